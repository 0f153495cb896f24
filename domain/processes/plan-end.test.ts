import { expect, test } from 'vitest';
import { accountRules } from '../../events/accounts.ts';
import { billingRules } from '../../events/billing.ts';
import { consume } from '../../events/consume.ts';
import { Account } from '../../table/entities/accounts.ts';
import { App } from '../../table/entities/apps.ts';
import { billingSimulation, withoutCards } from '../../test/simulation/billing.ts';
import { jobsOf } from '../../test/simulation/jobs.ts';
import { START } from '../../test/simulation/simulation.ts';
import { listCells } from '../apps/cells.ts';
import { subscriptionQueue } from '../billing/lifecycle.ts';
import { currentPlans } from '../billing/plans.ts';
import { cancelSubscription, createSubscription } from '../billing/subscriptions.ts';
import { readNothing, withWallet } from '../billing/wallet.ts';
import { sweep } from '../sweep/sweep.ts';
import { createApp } from './create-app.ts';
import { accountQueue } from './suspension.ts';

const DAY = 24 * 3600_000;
const sealed = { wrappedKey: '', iv: '', ciphertext: '' };
const secrets = { seal: async () => sealed, unseal: async () => '' };

/** An account with a plan and as many applications as it allows. */
async function harness(plan: 'app-3' | 'app-25', walletCents: number) {
  const world = billingSimulation({});
  const { memory, clock } = world;
  const deps = {
    ...world.deps,
    payments: withoutCards,
    secrets,
    plans: currentPlans(world.deps),
    txt: { at: async () => [] },
    tlds: async () => [],
  };
  const stream = consume({ ...billingRules({ ...deps, ...jobsOf(deps) }), ...accountRules(deps) });
  let at = 0;
  const flow = async () => {
    while (at < memory.records.length) {
      const Records = memory.records.slice(at);
      at = memory.records.length;
      await stream({ Records });
    }
  };
  const accountId = await world.open(walletCents, 1);
  const caller = { accountId, keyId: '' };
  const { id } = (await createSubscription(deps, caller, { plan, billingCycle: 'MONTHLY' })).data;
  const create = (name: string) =>
    createApp({ ...deps, cells: () => listCells(deps) }, caller, {
      name,
      framework: 'NODE',
      branch: 'main',
      nodeVersion: '22',
      deployNow: false,
      installCommand: 'npm ci',
    });
  for (let count = 0; count < Number(plan.slice(4)); count += 1) await create(`App ${count}`);
  await flow();
  return {
    deps,
    caller,
    flow,
    /** The schedules run a minute later. */
    wait: async () => {
      clock.now += 60_000;
      expect((await sweep(deps, accountQueue)).failed).toEqual([]);
    },
    account: async () => deps.table.get(Account, { id: accountId }),
    create,
    buy: (slug: string) => createSubscription(deps, caller, { plan: slug, billingCycle: 'MONTHLY' }),
    cancel: () => cancelSubscription(deps, caller, { id }),
    /** The schedules run every day until a day. @param loses true for a stream that loses all changes */
    sleepUntil: async (day: number, loses = false) => {
      while (clock.now < START + day * DAY) {
        clock.now += DAY;
        for (const { failed } of [await sweep(deps, subscriptionQueue), await sweep(deps, accountQueue)])
          expect(failed).toEqual([]);
        if (loses) at = memory.records.length;
        await flow();
      }
    },
    statuses: () =>
      memory
        .items('APP')
        .map((item) => App.parse(item))
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .map(({ status }) => status),
    notices: () => memory.items('EVENT').flatMap(({ type, data }) => (type === 'plan.limit_exceeded' ? [data] : [])),
    give: (cents: number) =>
      withWallet(deps, accountId, readNothing, async (wallet) => {
        wallet.move('ADJUSTMENT', cents, 'A gift');
        await deps.commit(wallet.writes(), undefined);
      }),
  };
}

test('a cancelled plan ends: all applications but the oldest are suspended seven days later', async () => {
  const { cancel, create, sleepUntil, statuses, notices } = await harness('app-25', 120_000);
  await cancel();
  // The period is paid until day 28.
  await sleepUntil(27);
  expect(notices()).toEqual([]);
  await sleepUntil(29);
  expect(notices()).toMatchObject([{ plan: 'app-1', appLimit: 1, applications: 25 }]);
  await expect(create('One more')).rejects.toMatchObject({ code: 'plan_limit' });
  await sleepUntil(34);
  expect(new Set(statuses())).toEqual(new Set(['RUNNING']));
  await sleepUntil(37);
  expect(statuses()).toEqual(['RUNNING', ...Array(24).fill('SUSPENDED')]);
});

test('a plan that is not paid ends the same way, and the payment resumes everything', async () => {
  const { sleepUntil, statuses, notices, give, flow } = await harness('app-3', 23_000);
  // The period ends on day 28; seven days later the subscription is suspended, after seven more its applications.
  await sleepUntil(34);
  expect(notices()).toEqual([]);
  await sleepUntil(41);
  expect([notices().length, new Set(statuses())]).toEqual([1, new Set(['RUNNING'])]);
  await sleepUntil(44);
  expect(statuses()).toEqual(['RUNNING', 'SUSPENDED', 'SUSPENDED']);
  await give(30_000);
  await flow();
  expect(statuses()).toEqual(['RUNNING', 'RUNNING', 'RUNNING']);
});

test('a larger plan that is still too small can be bought and resumes the oldest; a smaller one is 409', async () => {
  const { cancel, sleepUntil, statuses, buy, flow } = await harness('app-25', 250_000);
  await cancel();
  await sleepUntil(37);
  await buy('app-10');
  await flow();
  expect(statuses()).toEqual([...Array(10).fill('RUNNING'), ...Array(15).fill('SUSPENDED')]);
  await expect(buy('app-3')).rejects.toMatchObject({ code: 'conflict' });
});

test('a larger plan resumes applications a minute later if the stream has lost its purchase', async () => {
  const { cancel, sleepUntil, statuses, buy, wait, account } = await harness('app-25', 250_000);
  await cancel();
  await sleepUntil(37);
  await buy('app-10');
  await wait();
  expect(statuses()).toEqual([...Array(10).fill('RUNNING'), ...Array(15).fill('SUSPENDED')]);
  expect((await account())?.dueAt).toBeUndefined();
});

test('a plan whose end the stream has lost ends the same way', async () => {
  const { cancel, sleepUntil, statuses, notices } = await harness('app-25', 120_000);
  await cancel();
  await sleepUntil(30, true);
  expect(notices()).toHaveLength(1);
  await sleepUntil(37, true);
  expect(statuses()).toEqual(['RUNNING', ...Array(24).fill('SUSPENDED')]);
});
