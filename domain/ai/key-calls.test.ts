import { expect, test } from 'vitest';
import { LIMITS } from '../../contract/limits/limits.ts';
import { AiAccount } from '../../table/entities/ai.ts';
import { change } from '../../table/writes.ts';
import { aiAccount, MINUTE_MS } from '../../test/simulation/ai-account.ts';
import { interruptEach } from '../../test/simulation/simulation.ts';
import { closeWindowsOf } from './closing.ts';
import { holdCallSlot, releaseHold } from './credits.ts';

const keyId = 'key_01kzzzzzzzzzzzzzzzzz000001';
const other = 'key_01kzzzzzzzzzzzzzzzzz000002';
const MAX_CALLS = LIMITS.concurrentAiCallsPerKey.amounts;

/** An account that may have more calls open than one key. */
async function account() {
  const world = await aiAccount();
  const { deps, accountId, read } = world;
  await deps.table.updateReturningChanged(change(AiAccount, { accountId }, { set: { callLimit: 10 * MAX_CALLS } }));
  /** The names of the attributes that count calls of keys. */
  const keyAttributes = async () => Object.keys(await read()).filter((name) => /^open_|^calls_\d+_/.test(name));
  const begin = (key = keyId) => world.begin(key, 0.01);
  return { ...world, begin, keyAttributes };
}

test('refuses the call beyond the limit of a key with 429, and frees the slots of crashed calls', async () => {
  const { deps, accountId, begin, sweepFor } = await account();
  const refused = { account: { openCalls: MAX_CALLS + 1 }, isKeyLimitReached: true };
  const calls = await Promise.all(Array.from({ length: MAX_CALLS }, () => begin()));
  await expect(begin(other)).resolves.toMatchObject({ keyId: other });
  await expect(begin()).rejects.toMatchObject(refused);
  await expect(holdCallSlot(deps, { accountId, keyId })).rejects.toMatchObject({
    code: 'rate_limited',
    message: expect.stringContaining('concurrentAiCallsPerKey'),
    retryAfter: 5,
  });
  const [first] = calls;
  if (first) await releaseHold(deps, first);
  await begin();
  await expect(begin()).rejects.toMatchObject(refused);

  // While a call may be running, its slot is in use; afterwards all of them are free.
  await sweepFor(15);
  await expect(begin()).rejects.toMatchObject(refused);
  await sweepFor(11);
  for (let count = 0; count < MAX_CALLS; count += 1) await begin();
  await expect(begin()).rejects.toMatchObject({ isKeyLimitReached: true });
  // The late end of a call that was counted as crashed does not lower the count again.
  const [, second] = calls;
  if (second) await releaseHold(deps, second);
  await expect(begin()).rejects.toMatchObject({ isKeyLimitReached: true });
});

test('the calls of all logins share one limit, apart from the keys', async () => {
  const { begin } = await account();
  await Promise.all(Array.from({ length: MAX_CALLS }, () => begin('')));
  await expect(begin('')).rejects.toMatchObject({ isKeyLimitReached: true });
  await expect(begin()).resolves.toMatchObject({ keyId });
});

test('a crashed call of a key that calls on frees exactly its slot', async () => {
  const { deps, begin, read, sweepFor } = await account();
  await begin();
  for (let minute = 0; minute < 30; minute += 2) {
    await releaseHold(deps, await begin());
    await sweepFor(2);
  }
  const running = await begin();
  await sweepFor(1);
  expect(await read()).toMatchObject({ openCalls: 1, open_000001: 1 });
  await releaseHold(deps, running);
  expect(await read()).toMatchObject({ openCalls: 0, open_000001: 0 });
});

test.each([
  ['the key', keyId, 0],
  ['another key', other, 0],
  ['the key beside a running call', keyId, 1],
])(
  'a call of %s that begins while a window is closed is counted, and its window is closed later',
  async (_, key, running) => {
    await interruptEach(async (interruption) => {
      const { deps, accountId, clock, startProcess, begin, read } = await account();
      await releaseHold(deps, await begin());
      clock.now += 4 * MINUTE_MS;
      // In a later window, which stays open.
      for (let count = 0; count < running; count += 1) await begin('');
      clock.now += 7 * MINUTE_MS;
      const faults = interruption.by(() => begin(key));
      await closeWindowsOf(startProcess({ faults }).deps, accountId);
      if (!interruption.isReached) await begin(key);
      const open = { openCalls: running + 1, [`open_${key.slice(-6)}`]: 1, dueAt: expect.any(String) };
      expect(await read(), `before request ${interruption.step}`).toMatchObject(open);
    });
  },
);

test('keys that no longer call leave no attributes in the account, however many there were', async () => {
  const { deps, begin, keyAttributes, sweepFor } = await account();
  const ids = Array.from({ length: 250 }, (_, index) => `key_01kzzzzzzzzzzzzzzzzz${100_000 + index}`);
  for (const id of ids) await releaseHold(deps, await begin(id));
  await begin(ids[0]);
  expect((await keyAttributes()).length).toBeGreaterThanOrEqual(2 * ids.length);
  await sweepFor(40);
  expect(await keyAttributes()).toEqual([]);
});

test('attributes of keys that a close by an earlier version has left are removed, and its calls no longer count', async () => {
  const { deps, accountId, begin, read, keyAttributes, sweepFor } = await account();
  const crashed = await begin();
  const { availableMicroRand } = await read();
  await sweepFor(15);
  // The earlier version knows the sums of the window, and not those of its keys.
  const sums = ['held', 'calls'].map((name) => `${name}_${crashed.window}`);
  const earlier = { remove: sums, add: { openCalls: -1, availableMicroRand: crashed.microRand } };
  await deps.table.updateReturningChanged(change(AiAccount, { accountId }, earlier));
  expect(await keyAttributes()).toHaveLength(2);
  await releaseHold(deps, await begin());
  await sweepFor(10);
  expect(await keyAttributes()).toEqual([]);
  expect(await read()).toMatchObject({ openCalls: 0, availableMicroRand: availableMicroRand + crashed.microRand });
});

test('a key whose crashed calls are in windows that an earlier version closed can call again, also if no other key calls', async () => {
  const { deps, accountId, clock, begin, read, keyAttributes, sweepFor } = await account();
  const [crashed] = await Promise.all(Array.from({ length: MAX_CALLS }, () => begin()));
  const window = crashed?.window;
  const remove = [`held_${window}`, `calls_${window}`, 'duePk', 'dueAt'];
  const earlier = { remove, add: { openCalls: -MAX_CALLS } };
  await deps.table.updateReturningChanged(change(AiAccount, { accountId }, earlier));
  expect(await read()).toMatchObject({ openCalls: 0, open_000001: MAX_CALLS });
  // Nothing is due, so no sweep takes the account up.
  clock.now += 30 * MINUTE_MS;
  await releaseHold(deps, await begin());
  await sweepFor(10);
  expect(await keyAttributes()).toEqual([]);
  expect(await read()).toMatchObject({ openCalls: 0 });
});
