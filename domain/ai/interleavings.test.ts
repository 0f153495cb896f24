import { describe, expect, test } from 'vitest';
import { AiAccount } from '../../table/entities/ai.ts';
import { MINUTE_MS, RAND, USED } from '../../test/simulation/ai-account.ts';
import { crashAtStep, interruptEach, simulation, toleratingFaults } from '../../test/simulation/simulation.ts';
import { ConcurrentUpdateError } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { closeWindowsOf } from './closing.ts';
import { type Hold, HoldRefused, hold, releaseHold } from './credits.ts';
import { addCredits, newCreditEntry, payDebt, takeCredits } from './entries.ts';
import { readSpending } from './key-spending.ts';
import { settle } from './settlement.ts';

/** Each operation on an account's credits, interrupted before each of its requests to the table by each other operation. */

const [accountId, keyId] = ['acc_1', 'key_1'];
const usage = { ...USED, keyId };
const TAKEN = -2 * RAND;

/** Takes the place of a process that hangs before one of its requests until it is resumed. */
function hangingAt(at: number) {
  const [reached, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const faults = async ({ step, when }: { step: number; when: string }) => {
    if (step !== at || when === 'after') return undefined;
    reached.resolve();
    await resumed.promise;
    return undefined;
  };
  return { faults, reached: reached.promise, resume: resumed.resolve };
}

/**
 * An account with credits of R20, three open calls, and three earlier ones: two have crashed, and one hangs before its last request.
 * @param minutes since the earlier calls began. After 7, their entries' window can be closed; after 30, they are over
 */
async function world(minutes: number) {
  const { memory, clock, steady, startProcess } = simulation();
  const { deps } = steady;
  const begin = (by: Deps) => hold(by, { accountId, keyId }, 'openai', RAND);
  await deps.table.transact(addCredits(newCreditEntry(deps, accountId, 'PURCHASE', 20 * RAND)));
  await begin(deps);
  const charged = await begin(deps);
  const crashing = startProcess({ faults: crashAtStep(2, 'before') });
  await toleratingFaults(() => settle(crashing.deps, charged, RAND / 2, usage));
  const hanging = hangingAt(2);
  const late = settle(startProcess(hanging).deps, await begin(deps), RAND / 4, usage);
  await hanging.reached;
  clock.now += minutes * MINUTE_MS;
  const open: Hold[] = [await begin(deps), await begin(deps), await begin(deps)];
  const next = () => open.shift() ?? expect.fail('no open call');
  // The calls that crashed after their entry, and that hang.
  let costs = RAND / 2 + RAND / 4;
  return {
    deps,
    clock,
    startProcess,
    open,
    begin: async (by: Deps) => open.push(await begin(by)),
    next,
    end: async (by: Deps, cost: number) => {
      await settle(by, next(), cost, usage);
      costs += cost;
    },
    costs: () => costs,
    endLate: async () => {
      hanging.resume();
      await late;
    },
    read: async () => (await deps.table.get(AiAccount, { accountId })) ?? expect.fail('no account'),
    entries: () => memory.items('AI_ENTRY'),
  };
}
type World = Awaited<ReturnType<typeof world>>;

const OPERATIONS: Readonly<Record<string, (world: World, deps: Deps) => Promise<unknown>>> = {
  'a call begins': ({ begin }, deps) => begin(deps),
  'a call ends within its hold': ({ end }, deps) => end(deps, RAND / 2),
  'a call ends beyond all credits': ({ end }, deps) => end(deps, 30 * RAND),
  'a call ends free of charge': ({ next }, deps) => releaseHold(deps, next()),
  'a call ends that hung': ({ endLate }) => endLate(),
  'credits are bought': async ({ read }, deps) => {
    const { debtMicroRand = 0 } = await read();
    const owed = Math.min(debtMicroRand, 20 * RAND);
    const payment = owed > 0 ? newCreditEntry(deps, accountId, 'ADJUSTMENT', -owed) : undefined;
    await deps.table.transact(addCredits(newCreditEntry(deps, accountId, 'PURCHASE', 20 * RAND), payment));
  },
  'credits are taken': (_, deps) =>
    deps.table.transact(
      takeCredits(newCreditEntry(deps, accountId, 'ADJUSTMENT', TAKEN), () => new ConcurrentUpdateError()),
    ),
  'a debt is paid': async (_, deps) => payDebt(deps, await deps.table.get(AiAccount, { accountId })),
  'windows are closed': (_, deps) => closeWindowsOf(deps, accountId),
};

/** Runs an operation, which others may make impossible. */
async function attempt(operation: () => Promise<unknown>): Promise<void> {
  try {
    await operation();
  } catch (error) {
    if (!(error instanceof HoldRefused || error instanceof ConcurrentUpdateError)) throw error;
  }
}

/** Ends all calls and closes all windows. Then the account must have what its ledger has, and nothing may be held. */
async function expectSettled(world: World, what: string): Promise<void> {
  const { deps, clock, open, end, endLate, costs, read, entries } = world;
  await endLate();
  while (open.length > 0) await end(deps, RAND);
  clock.now += 60 * MINUTE_MS;
  for (let close = 0; close < 2; close += 1) await closeWindowsOf(deps, accountId);
  const sumOf = (some: readonly Record<string, unknown>[]) =>
    some.reduce((sum, { amountMicroRand }) => sum + Number(amountMicroRand), 0);
  const { balanceMicroRand, availableMicroRand, openCalls, debtMicroRand = 0 } = await read();
  expect({ balanceMicroRand, availableMicroRand, openCalls }, what).toEqual({
    balanceMicroRand: sumOf(entries()),
    availableMicroRand: balanceMicroRand,
    openCalls: 0,
  });
  expect(balanceMicroRand, what).toBeGreaterThanOrEqual(0);
  expect(debtMicroRand, what).toBeGreaterThanOrEqual(0);
  const calls = entries().filter(({ type }) => type === 'CALL');
  const paid = entries().filter(({ type, amountMicroRand }) => type === 'ADJUSTMENT' && amountMicroRand !== TAKEN);
  expect(-sumOf(calls) - sumOf(paid) + debtMicroRand, `${what}: charged, paid or owed`).toBe(costs());
  expect((await readSpending(deps, accountId, [keyId])).get(keyId), what).toBe(-sumOf(calls));
}

/** A call that costs R30 leaves a debt, beside which credits are bought at the same moment. */
const inDebt =
  (rand: number) =>
  async ({ deps, end }: World): Promise<void> => {
    await end(deps, 30 * RAND);
    await deps.table.transact(addCredits(newCreditEntry(deps, accountId, 'PURCHASE', rand * RAND)));
  };
const EARLIER: [string, number, (world: World) => Promise<unknown>][] = [
  ['without a debt', 30, async () => undefined],
  ['without a debt, while earlier calls may still run', 7, async () => undefined],
  ['in debt', 30, inDebt(0)],
  ['in debt beside just enough credits', 30, inDebt(16)],
  ['in debt beside twice the credits', 30, inDebt(40)],
];

describe.each(EARLIER)('%s', (_, minutes, earlier) => {
  test.each(Object.keys(OPERATIONS))(
    '%s while any other operation happens: the account equals its ledger',
    async (name) => {
      for (const other of Object.keys(OPERATIONS)) {
        await interruptEach(async (interruption) => {
          const here = await world(minutes);
          const perform = (operation: string, by: Deps) => attempt(async () => await OPERATIONS[operation]?.(here, by));
          await earlier(here);
          const faults = interruption.by(() => perform(other, here.deps));
          await perform(name, here.startProcess({ faults }).deps);
          if (interruption.isReached) await expectSettled(here, `${other} before request ${interruption.step}`);
        });
      }
    },
  );
});
