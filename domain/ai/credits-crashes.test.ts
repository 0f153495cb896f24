import { expect, test, vi } from 'vitest';
import { AiAccount, AiAudit, type AiCall, AiKeySpending, AiUsage } from '../../table/entities/ai.ts';
import type { Send } from '../../table/table.ts';
import { change } from '../../table/writes.ts';
import { MINUTE_MS, RAND, USED } from '../../test/simulation/ai-account.ts';
import {
  crashesAt,
  type FaultPlan,
  type SimulatedCall,
  seededRandom,
  simulation,
  toleratingFaults,
} from '../../test/simulation/simulation.ts';
import { closeWindowsOf } from './closing.ts';
import { hold, releaseHold } from './credits.ts';
import { addCredits, newCreditEntry, payDebt } from './entries.ts';
import { readSpending } from './key-spending.ts';
import { ledgerQueue } from './ledger.ts';
import { settle } from './settlement.ts';
import { readSums } from './usage-sums.ts';
import { windowsOf } from './windows.ts';

/** Credits under crashes and lost responses: a process may crash, or get an error, before and after each of its writes. */

const accountId = 'acc_1';

/** The call's record in the request log, which is written with its entry. */
const LINE: AiCall = {
  id: 'aic_1',
  accountId,
  keyId: 'key_1',
  requestId: 'req_1',
  createdAt: '2026-01-31T09:30:00.000Z',
  model: USED.model,
  provider: 'openai',
  saved: false,
  status: 200,
  code: null,
  inputTokens: 1,
  outputTokens: 1,
  amountMicroRand: 0,
  durationMs: 1,
  firstByteMs: 1,
};

/** The calls of all keys that are open by the account's item, in total and by window. */
const openByKey = (account: AiAccount) => [
  Object.entries(account).reduce((sum, [name, value]) => sum + (name.startsWith('open_') ? Number(value) : 0), 0),
  windowsOf(account).reduce((sum, { keys }) => sum + [...keys.values()].reduce((all, calls) => all + calls, 0), 0),
];

/** Calls and micro-rand by key. */
function byKey(sums: readonly { keyId?: unknown; calls: number; microRand: number }[]) {
  const found = new Map<unknown, [number, number]>();
  for (const { keyId, calls, microRand } of sums) {
    const [before, spent] = found.get(keyId) ?? [0, 0];
    found.set(keyId, [before + calls, spent + microRand]);
  }
  return found;
}

async function credits(rand: number, faults?: FaultPlan, through?: (send: Send) => Send) {
  const simulated = simulation({ ...(faults ? { faults } : {}), ...(through ? { through } : {}) });
  const { memory, clock, steady, startProcess } = simulated;
  await steady.deps.table.transact(addCredits(newCreditEntry(steady.deps, accountId, 'PURCHASE', rand * RAND)));
  const read = async () => (await steady.deps.table.get(AiAccount, { accountId })) ?? expect.fail('no account');
  const ledger = () => memory.items('AI_ENTRY').reduce((sum, { amountMicroRand }) => sum + Number(amountMicroRand), 0);
  /** The sums of days match the ledger's calls: a read at any moment, and the stored sums once all windows are closed. */
  const expectUsage = (sums: AiUsage[], what: string) => {
    const calls = memory.items('AI_ENTRY').filter(({ type }) => type === 'CALL');
    const usage = calls.map(({ keyId, amountMicroRand }) => ({ keyId, calls: 1, microRand: -Number(amountMicroRand) }));
    expect(byKey(sums), what).toEqual(byKey(usage));
  };
  const expectUsageRight = async (what: string) => expectUsage(await readSums(steady.deps, accountId, '0'), what);
  /** The spending of the keys as a read returns it. Once all windows are closed, it must equal the charges of their calls in the ledger. */
  const spendingOfKeys = async () => {
    const keyIds = [...chargesOfKeys().keys()];
    return await readSpending(steady.deps, accountId, keyIds);
  };
  const chargesOfKeys = () => {
    const charges = new Map<string, number>();
    for (const { type, keyId, amountMicroRand } of memory.items('AI_ENTRY'))
      if (type === 'CALL') charges.set(String(keyId), (charges.get(String(keyId)) ?? 0) - Number(amountMicroRand));
    return charges;
  };
  /** The result of the ledger check, which must be `right` at any moment. */
  const audit = async () => {
    const item = (await steady.deps.table.get(AiAudit, { accountId })) ?? expect.fail('no audit');
    return await ledgerQueue.act(steady.deps, item, { pk: '', sk: '', duePk: '', dueAt: '' });
  };
  /** One call in a separate process. @returns the amount that the process knows to be charged */
  const call = async (keyId: string, held: number, cost: number | undefined, rand?: number): Promise<number> => {
    const { deps } = startProcess();
    const budgetMicroRand = rand === undefined ? undefined : rand * RAND;
    let charged = 0;
    await toleratingFaults(async () => {
      const granted = await hold(deps, { accountId, keyId, budgetMicroRand }, 'openai', held * RAND);
      if (cost === undefined) await releaseHold(deps, granted);
      else ({ charged } = await settle(deps, granted, cost * RAND, { ...USED, keyId }, LINE));
    });
    return charged;
  };
  /** Spends a part of a key's budget. */
  const spend = async (keyId: string, rand: number) => {
    const held = await hold(steady.deps, { accountId, keyId, budgetMicroRand: rand * RAND }, 'openai', rand * RAND);
    await settle(steady.deps, held, rand * RAND, { ...USED, keyId });
  };
  /** Advances the clock until every window is closed, with a sweep every minute. */
  const settleDown = async () => {
    for (let minute = 0; minute < 26; minute += 1) {
      clock.now += MINUTE_MS;
      await closeWindowsOf(steady.deps, accountId);
    }
  };
  /** Checks the invariants that hold once all calls have ended and all windows are closed. */
  const expectExact = async (what: string) => {
    await settleDown();
    const account = await read();
    expect(account.balanceMicroRand, what).toBe(ledger());
    expect(account.availableMicroRand, what).toBe(account.balanceMicroRand);
    expect(account.openCalls ?? 0, what).toBe(0);
    expect(windowsOf(account), what).toEqual([]);
    expect(openByKey(account), what).toEqual([0, 0]);
    expect(await spendingOfKeys(), what).toEqual(chargesOfKeys());
    expect(account.dueAt, what).toBeUndefined();
    expect(await audit(), what).toBe('right');
    expectUsage(
      memory.items('AI_USAGE').map((item) => AiUsage.parse(item)),
      what,
    );
  };
  return {
    ...simulated,
    read,
    ledger,
    expectUsageRight,
    spendingOfKeys,
    chargesOfKeys,
    audit,
    call,
    spend,
    settleDown,
    expectExact,
  };
}

const CASES: [string, number, number | undefined, { budget: number; spent: number }?][] = [
  ['a call within its hold', 2, 1],
  ['a call that costs more than its hold', 1, 3],
  ['a call that takes all there is and costs more', 20, 12],
  ['a call that is not charged', 2, undefined],
  ['a call of a key with less left of its budget than it holds', 5, 1, { budget: 6, spent: 4 }],
];
const KEY = 'key_1';

test.each(CASES)('%s leaves exact credits wherever its process crashes', async (_, held, cost, key) => {
  const counting = await credits(10 + (key?.spent ?? 0), () => undefined);
  if (key) await counting.spend(KEY, key.spent);
  const full = await counting.call(KEY, held, cost, key?.budget);
  await counting.expectExact('undisturbed');
  for (let number = 1; number <= counting.calls(); number += 1) {
    for (const { when, faults } of crashesAt(number)) {
      const world = await credits(10 + (key?.spent ?? 0), faults);
      if (key) await world.spend(KEY, key.spent);
      await world.call(KEY, held, cost, key?.budget);
      expect(await world.audit(), `${when} ${number}`).toBe('right');
      await world.expectUsageRight(`${when} ${number}`);
      await world.expectExact(`crash ${when} ${number}`);
      expect([0, full], `all or nothing, ${when} ${number}`).toContain(10 * RAND - world.ledger());
    }
  }
});

test.each(CASES)('%s leaves exact credits whichever response is lost', async (_, held, cost, key) => {
  const counting = await credits(10 + (key?.spent ?? 0), () => undefined);
  if (key) await counting.spend(KEY, key.spent);
  const full = await counting.call(KEY, held, cost, key?.budget);
  for (let number = 1; number <= counting.calls(); number += 1) {
    for (const when of ['before', 'after'] as const) {
      const losing: FaultPlan = (call) => {
        if (call.number === number && call.when === when) throw new Error('no answer');
        return undefined;
      };
      const world = await credits(10 + (key?.spent ?? 0), losing);
      if (key) await world.spend(KEY, key.spent);
      const known = await world.call(KEY, held, cost, key?.budget);
      await world.expectExact(`loses ${when} ${number}`);
      const charged = 10 * RAND - world.ledger();
      expect([0, full], `${when} ${number}`).toContain(charged);
      expect(known, 'what is reported is what is charged').toBe(charged);
    }
  }
});

test.each(CASES)('%s makes no credits available twice, whichever request is repeated', async (_, held, cost, key) => {
  for (let number = 1, isReached = true; isReached; number += 1) {
    isReached = false;
    const repeating: FaultPlan = (call) => {
      if (call.number !== number || call.when === 'before') return undefined;
      isReached = true;
      return 'repeat';
    };
    const world = await credits(10 + (key?.spent ?? 0), repeating);
    if (key) await world.spend(KEY, key.spent);
    const { deps } = world.steady;
    const caller = { accountId, keyId: KEY, budgetMicroRand: key && key.budget * RAND };
    const open = await hold(deps, caller, 'openai', RAND / 2);
    await world.call(KEY, held, cost, key?.budget);
    const { availableMicroRand, openCalls } = await world.read();
    expect(availableMicroRand, `${number}`).toBeLessThanOrEqual(world.ledger() - RAND / 2);
    expect(openCalls, `${number}`).toBeGreaterThanOrEqual(1);
    const { spent_202601: spent, charged_202601: charged } = {
      ...(await deps.table.get(AiKeySpending, { accountId, keyId: KEY })),
    };
    if (key) expect(Number(spent), `${number}`).toBeGreaterThanOrEqual(Number(charged) + RAND / 2);
    await releaseHold(deps, open);
    await world.expectExact(`repeats ${number}`);
  }
});

/** Injects errors and crashes at random. */
const randomFaults =
  (random: () => number): FaultPlan =>
  ({ when }: SimulatedCall) => {
    const drawn = random();
    if (drawn < 0.04) return 'crash';
    if (drawn < 0.1) throw new Error(`failed ${when}`);
    return undefined;
  };

test('with concurrent calls, purchases, debts and faults, credits are never negative and end exact', async () => {
  for (let seed = 1; seed <= 25; seed += 1) {
    const random = seededRandom(seed);
    const world = await credits(5, randomFaults(random));
    const { deps } = world.steady;
    const expectSound = async () => {
      const account = await world.read();
      const held = windowsOf(account).reduce((sum, each) => sum + each.held, 0);
      expect(account.balanceMicroRand, `seed ${seed}`).toBeGreaterThanOrEqual(0);
      expect(account.availableMicroRand, `seed ${seed}`).toBe(account.balanceMicroRand - held);
      expect(openByKey(account), `seed ${seed}`).toEqual([account.openCalls ?? 0, account.openCalls ?? 0]);
      expect(await world.spendingOfKeys(), `seed ${seed}`).toEqual(world.chargesOfKeys());
      expect(await world.audit(), `seed ${seed}`).toBe('right');
      await world.expectUsageRight(`seed ${seed}`);
    };
    for (let round = 0; round < 12; round += 1) {
      const calls = Array.from({ length: 1 + Math.floor(random() * 5) }, (_, index) => {
        const cost = random() < 0.2 ? undefined : Math.floor(random() * 4);
        return world.call(`key_${index}`, 1 + Math.floor(random() * 3), cost);
      });
      await Promise.all(calls);
      if (random() < 0.3) await deps.table.transact(addCredits(newCreditEntry(deps, accountId, 'PURCHASE', 2 * RAND)));
      await payDebt(deps, await world.read());
      world.clock.now += Math.floor(random() * 5) * MINUTE_MS;
      if (random() < 0.7) await toleratingFaults(() => closeWindowsOf(world.startProcess().deps, accountId));
      await expectSound();
    }
    await world.expectExact(`seed ${seed}`);
  }
}, 120_000);

test('a call whose process crashed between its entry and the balance is charged once, however many sweeps run', async () => {
  // The writes of a call: hold, entry, balance.
  const world = await credits(10, ({ what, number, when }) =>
    what === 'table.UpdateItem' && number > 2 && when === 'before' ? 'crash' : undefined,
  );
  const { deps } = world.steady;
  // Otherwise the purchase, which the balance includes, would be in the same window, and its sum would keep the second close out.
  world.clock.now += 7 * MINUTE_MS;
  await closeWindowsOf(deps, accountId);
  await world.call('key_1', 5, 2);
  expect([world.ledger(), (await world.read()).balanceMicroRand]).toEqual([8 * RAND, 10 * RAND]);
  world.clock.now += 7 * MINUTE_MS;
  const repairs = await Promise.all([closeWindowsOf(deps, accountId), closeWindowsOf(deps, accountId)]);
  expect(repairs.filter(Boolean)).toHaveLength(1);
  expect(repairs.find(Boolean)).toMatchObject({ unappliedMicroRand: -2 * RAND, calls: 0 });
  // Its hold remains while calls of its window may run, so that the balance always covers the charge.
  expect(await world.read()).toMatchObject({ balanceMicroRand: 8 * RAND, availableMicroRand: 3 * RAND, openCalls: 1 });
  await world.expectExact('afterwards');
});

/** A table with a throttled partition that accepts one item of each batch: the entry or the request log record. */
const takingOnly =
  (type: 'AI_ENTRY' | 'AI_CALL') =>
  (send: Send): Send =>
  async <Output>(operation: string, input: object): Promise<Output> => {
    if (operation !== 'BatchWriteItem') return await send<Output>(operation, input);
    const { RequestItems } = input as {
      RequestItems: Record<string, { PutRequest: { Item: { entity: { S: string } } } }[]>;
    };
    const puts = Object.values(RequestItems).flat();
    const isTaken = ({ PutRequest }: (typeof puts)[number]) => PutRequest.Item.entity.S === type;
    if (puts.some(isTaken)) await send(operation, { RequestItems: { memory: puts.filter(isTaken) } });
    return { UnprocessedItems: { memory: puts.filter((put) => !isTaken(put)) } } as Output;
  };

test.each(['AI_ENTRY', 'AI_CALL'] as const)(
  'a call of which only the %s can be written leaves exact credits',
  async (type) => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const world = await credits(10, undefined, takingOnly(type));
    const calling = world.call('key_1', 5, 2);
    await vi.runAllTimersAsync();
    // The process does not report a charge that it does not know of. If the entry was written, the close of its window applies it.
    expect(await calling).toBe(0);
    vi.useRealTimers();
    expect(10 * RAND - world.ledger()).toBe(type === 'AI_ENTRY' ? 2 * RAND : 0);
    await world.expectExact('afterwards');
  },
);

test('holds from before accounts had windows are released when they expire', async () => {
  const { steady, clock, read, expectExact } = await credits(10);
  const expiresAt = new Date(clock.now + 16 * MINUTE_MS).toISOString();
  const old = { set: { holds: { h1: { microRand: 4 * RAND, expiresAt } } }, add: { availableMicroRand: -4 * RAND } };
  await steady.deps.table.updateReturningChanged(change(AiAccount, { accountId }, old));
  clock.now += 10 * MINUTE_MS;
  await closeWindowsOf(steady.deps, accountId);
  expect((await read()).availableMicroRand).toBe(6 * RAND);
  await expectExact('afterwards');
});

test('the 1,000th open call costs 4 write units, as the first does', async () => {
  const { steady, memory } = await credits(10_000);
  const { deps } = steady;
  await deps.table.updateReturningChanged(change(AiAccount, { accountId }, { set: { callLimit: 2000 } }));
  const unitsOf = async (keyId: string) => {
    const before = memory.written.length;
    const held = await hold(deps, { accountId, keyId }, 'openai', RAND);
    await settle(deps, held, 1000, { ...USED, keyId }, LINE);
    return memory.written.slice(before).reduce((sum, { units }) => sum + units, 0);
  };
  await unitsOf('key_0');
  const first = await unitsOf('key_0');
  for (let open = 0; open < 999; open += 1)
    await hold(deps, { accountId, keyId: `key_${1 + Math.floor(open / 100)}` }, 'openai', RAND);
  expect(await unitsOf('key_0')).toBe(first);
  expect(first).toBe(4);
  console.log(`an AI call on credits: ${first} write units`);
});
