import { expect, test } from 'vitest';
import { Account } from '../../table/entities/accounts.ts';
import { newSimulatedAccount } from '../../test/simulation/account.ts';
import { simulation } from '../../test/simulation/simulation.ts';
import { jobAbout, performJob } from './jobs.ts';

async function harness(fails: number, act: (name: string, detail: string) => void = () => undefined) {
  const { steady, clock } = simulation({});
  await steady.deps.table.transact([newSimulatedAccount('acc_1')]);
  let left = fails;
  const jobs = {
    'account.act': jobAbout(Account, async (_: object, { id }, detail) => {
      left -= 1;
      if (left >= 0) throw new Error('throttled');
      act(id, detail);
    }),
  };
  const pauses: number[] = [];
  const perform = (job: string, key = Account.key({ id: 'acc_1' }), detail?: string) =>
    performJob(jobs, steady.deps, { job, key, detail }, async (milliseconds) => {
      pauses.push(milliseconds);
      clock.now += milliseconds;
    });
  return { perform, pauses };
}

test('a job reads its item as it is now, and gets what the change said beside it', async () => {
  const acted: string[][] = [];
  const { perform } = await harness(0, (...given) => acted.push(given));
  expect(await perform('account.act', undefined, 'acc_1-close')).toMatchObject({ job: 'account.act', done: true });
  expect(acted).toEqual([['acc_1', 'acc_1-close']]);
});

test('a job about an item that is gone does nothing', async () => {
  const { perform } = await harness(99);
  expect(await perform('account.act', Account.key({ id: 'acc_gone' }))).toMatchObject({ done: false });
});

test('a job that fails is repeated twice, and then left to its queue', async () => {
  const brief = await harness(2);
  await expect(brief.perform('account.act')).resolves.toMatchObject({ done: true });
  expect(brief.pauses).toEqual([500, 2000]);
  const lasting = await harness(3);
  await expect(lasting.perform('account.act')).rejects.toThrow('throttled');
});

test('a job of another version fails, so that its queue keeps it', async () => {
  const { perform } = await harness(0);
  await expect(perform('account.other')).rejects.toThrow('no job account.other');
});
