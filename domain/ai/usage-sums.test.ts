import { expect, test } from 'vitest';
import { AiAccount, AiEntry, AiUsage } from '../../table/entities/ai.ts';
import { change, create, toStoredItem } from '../../table/writes.ts';
import {
  crashAtStep,
  type FaultPlan,
  interruptAt,
  simulation,
  toleratingFaults,
} from '../../test/simulation/simulation.ts';
import { releaseQuarantined } from '../processes/quarantine.ts';
import { sweep } from '../sweep/sweep.ts';
import { closeWindowsOf, MAX_ENTRIES, windowQueue } from './closing.ts';
import { hold } from './credits.ts';
import { addCredits, balanceUpdate, type NewEntry, newCreditEntry, newEntry } from './entries.ts';
import { settle } from './settlement.ts';
import { readSums } from './usage-sums.ts';
import { WINDOW_MS } from './windows.ts';

const accountId = 'acc_1';
const RAND = 1_000_000;
const USED = {
  requestId: 'req_1',
  inputTokens: 1,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 2,
  price: null,
  estimated: false,
};

async function account() {
  const simulated = simulation();
  const { memory, clock, steady, startProcess } = simulated;
  const { deps } = steady;
  await deps.table.transact(addCredits(newCreditEntry(deps, accountId, 'PURCHASE', 100 * RAND)));
  const call = async (keyId: string, model: string) => {
    const held = await hold(deps, { accountId, keyId }, 'openai', RAND);
    await settle(deps, held, 1000, { ...USED, keyId, model });
  };
  /** Adds entries of the current time, which the balance includes. */
  const enter = async (count: number, entry: Partial<AiEntry>) => {
    const made = Array.from({ length: count }, () => {
      const what = {
        ...USED,
        model: 'm',
        price: null,
        accountId,
        type: 'CALL' as const,
        amountMicroRand: -1,
        ...entry,
      };
      return newEntry(deps, what);
    });
    for (let at = 0; at < count; at += 25)
      await deps.table.putAll(made.slice(at, at + 25).map((each) => toStoredItem(AiEntry, each)));
    const { add, ...rest } = balanceUpdate(made[0] as NewEntry, -count);
    const what = { ...rest, add: { ...add, availableMicroRand: -count } };
    await deps.table.updateReturningChanged(change(AiAccount, { accountId }, what));
  };
  const close = (faults?: FaultPlan) =>
    toleratingFaults(() => closeWindowsOf(startProcess(faults ? { faults } : {}).deps, accountId));
  const read = async () =>
    (await readSums(deps, accountId, '0')).map(({ keyId, model, calls }) => [keyId, model, calls]);
  const stored = () => memory.items('AI_USAGE').reduce((sum, { calls }) => sum + Number(calls), 0);
  const credits = async () => (await deps.table.get(AiAccount, { accountId })) ?? expect.fail('no account');
  return { memory, clock, startProcess, deps, call, enter, close, read, stored, credits };
}

/** An account with calls of several keys and models in three windows that can be closed, and one that cannot. */
async function busyAccount() {
  const world = await account();
  for (const _ of [1, 2, 3]) {
    for (const keyId of ['', 'key_1']) for (const model of ['a', 'b']) await world.call(keyId, model);
    world.clock.now += WINDOW_MS;
  }
  await world.call('key_2', 'a');
  world.clock.now += 3 * 60_000;
  return world;
}
const ALL = [
  ['', 'a', 3],
  ['', 'b', 3],
  ['key_1', 'a', 3],
  ['key_1', 'b', 3],
  ['key_2', 'a', 1],
];

test('a read includes a call immediately, and the stored sums include it when its window is closed', async () => {
  const world = await busyAccount();
  expect([await world.read(), world.stored()]).toEqual([ALL, 0]);
  await world.close();
  expect([await world.read(), world.stored()]).toEqual([ALL, 12]);
  await world.close();
  expect([await world.read(), world.stored()]).toEqual([ALL, 12]);
  const [sum] = world.memory.items('AI_USAGE');
  expect(sum).toMatchObject({ inputTokens: 3, outputTokens: 6, microRand: 3000, expiresAtEpoch: expect.any(Number) });
});

test('sums are exact wherever a close crashes, with concurrent closes and with calls in between', async () => {
  // Reads of the account and of entries, twelve sums, the account.
  for (let step = 1; step <= 15; step += 1) {
    for (const when of ['before', 'after'] as const) {
      const world = await busyAccount();
      await world.close(crashAtStep(step, when));
      expect(await world.read(), `${when} ${step}`).toEqual(ALL);
      await world.call('key_2', 'a');
      world.clock.now += WINDOW_MS;
      // A slow close, during which a later close completes.
      await world.close(interruptAt(step, () => world.close()));
      expect(await world.read(), `${when} ${step}`).toEqual([...ALL.slice(0, 4), ['key_2', 'a', 2]]);
      world.clock.now += 3 * WINDOW_MS;
      await world.close();
      expect(world.stored(), `${when} ${step}`).toBe(14);
      expect((await world.credits()).balanceMicroRand).toBe(100 * RAND - 14_000);
    }
  }
});

test('a read is exact while a close runs between any two of its steps', async () => {
  for (let step = 1; step <= 3; step += 1) {
    const world = await busyAccount();
    const { deps } = world.startProcess({ faults: interruptAt(step, () => world.close()) });
    expect(
      (await readSums(deps, accountId, '0')).reduce((sum, { calls }) => sum + calls, 0),
      `step ${step}`,
    ).toBe(13);
  }
});

test('calls of earlier versions are not added again, and entries that are not calls are in no sum', async () => {
  const world = await account();
  const { deps } = world;
  const day = deps.now().toISOString().slice(0, 10);
  const sum = { accountId, day, keyId: 'key_1', model: 'm', calls: 2, inputTokens: 2, outputTokens: 4, microRand: 2 };
  await deps.table.transact([create(AiUsage, sum)]);
  await world.enter(2, {});
  await world.enter(1, { keyId: 'key_1' });
  await world.enter(1, { type: 'ADJUSTMENT', model: null });
  expect(await world.read()).toEqual([['key_1', 'm', 3]]);
  world.clock.now += 2 * WINDOW_MS;
  await world.close();
  expect([await world.read(), world.stored()]).toEqual([[['key_1', 'm', 3]], 3]);
});

test('a close with more entries than its maximum closes some windows and stays due, and releases no hold too early', async () => {
  const world = await account();
  await hold(world.deps, { accountId, keyId: 'key_1' }, 'openai', 5 * RAND);
  for (const count of [MAX_ENTRIES - 2, 2, 10]) {
    await world.enter(count, { keyId: 'key_1' });
    world.clock.now += WINDOW_MS;
  }
  // A read of more unsummed calls than its maximum includes the oldest ones only. The purchase is an entry too.
  expect(await world.read()).toEqual([['key_1', 'm', 4999]]);
  world.clock.now += 10 * WINDOW_MS;
  await world.close();
  const total = MAX_ENTRIES + 10;
  expect([await world.read(), world.stored()]).toEqual([[['key_1', 'm', total]], MAX_ENTRIES]);
  const left = 100 * RAND - total;
  const now = world.deps.now().toISOString();
  expect(await world.credits()).toMatchObject({ balanceMicroRand: left, availableMicroRand: left - 5 * RAND });
  expect((await world.credits()).dueAt?.localeCompare(now)).toBe(-1);
  await world.close();
  expect([await world.read(), world.stored()]).toEqual([[['key_1', 'm', total]], total]);
  expect(await world.credits()).toMatchObject({ balanceMicroRand: left, availableMicroRand: left });
  expect((await world.credits()).dueAt).toBeUndefined();
});

test('a read begins with the requested day', async () => {
  const world = await account();
  await world.call('key_1', 'a');
  const next = new Date(world.clock.now + 24 * 3_600_000).toISOString().slice(0, 10);
  expect(await readSums(world.deps, accountId, next)).toEqual([]);
});

test('the close of one account does not wait for that of another, nor do its holds', async () => {
  const closed = Promise.withResolvers<void>();
  const { steady, clock } = simulation({
    through: (send) => async (operation, input) => {
      const text = JSON.stringify(input);
      // The first account's entries are not read before the second one is closed.
      if (operation === 'Query' && text.includes('#acc_1#AI_ENTRIES')) await closed.promise;
      const output = await send<never>(operation, input);
      if (operation === 'UpdateItem' && text.includes('#acc_2') && text.includes('closedWindow')) closed.resolve();
      return output;
    },
  });
  const { deps } = steady;
  for (const id of ['acc_1', 'acc_2']) {
    await deps.table.transact(addCredits(newCreditEntry(deps, id, 'PURCHASE', 100 * RAND)));
    clock.now += 1000;
  }
  clock.now += 2 * WINDOW_MS;
  expect(await sweep(deps, windowQueue)).toMatchObject({ done: 2, failed: [] });
});

test('a sum that cannot be written takes no money and no call, and its account alone is alarmed until it is repaired', async () => {
  let isBroken = true;
  const { steady, memory, clock } = simulation({
    through: (send) => async (operation, input) => {
      const text = JSON.stringify(input);
      if (isBroken && operation === 'UpdateItem' && /acc_1#AI_USAGE.*#broken"/.test(text)) throw new Error('Invalid');
      return await send<never>(operation, input);
    },
  });
  const { deps } = steady;
  const call = async (id: string, model: string) => {
    const held = await hold(deps, { accountId: id, keyId: 'key_1' }, 'openai', RAND);
    await settle(deps, held, 1000, { ...USED, keyId: 'key_1', model });
  };
  for (const id of ['acc_1', 'acc_2']) {
    await deps.table.transact(addCredits(newCreditEntry(deps, id, 'PURCHASE', 100 * RAND)));
    for (const model of ['broken', 'sound']) await call(id, model);
  }
  // The process of a third call crashes.
  await hold(deps, { accountId, keyId: 'key_1' }, 'openai', RAND);
  const credits = async () => (await deps.table.get(AiAccount, { accountId })) ?? expect.fail('no account');
  const callsOf = async (id: string) => (await readSums(deps, id, '0')).reduce((sum, { calls }) => sum + calls, 0);
  clock.now += 10 * WINDOW_MS;
  const failed = [{ pk: expect.stringContaining('acc_1'), failures: 1, quarantined: false }];
  expect(await sweep(deps, windowQueue)).toMatchObject({ done: 1, failed });
  for (const quarantined of [...Array.from({ length: 8 }, () => false), true]) {
    clock.now += 24 * 3_600_000;
    expect((await sweep(deps, windowQueue)).failed).toMatchObject([{ quarantined }]);
  }
  await call(accountId, 'sound');
  expect([await callsOf('acc_1'), await callsOf('acc_2')]).toEqual([3, 2]);
  const balance = 100 * RAND - 3000;
  expect(await credits()).toMatchObject({ balanceMicroRand: balance, availableMicroRand: balance - RAND });
  isBroken = false;
  await releaseQuarantined(deps, { all: true });
  clock.now += 10 * WINDOW_MS;
  expect(await sweep(deps, windowQueue)).toMatchObject({ done: 1, failed: [] });
  expect(await credits()).toMatchObject({ balanceMicroRand: balance, availableMicroRand: balance });
  expect(memory.items('AI_USAGE').reduce((sum, { calls }) => sum + Number(calls), 0)).toBe(5);
});
