import { expect, test } from 'vitest';
import { AiAccount, AiEntry, AiKeySpending } from '../../table/entities/ai.ts';
import { MINUTE_MS, RAND, USED } from '../../test/simulation/ai-account.ts';
import { type FaultPlan, seededRandom, simulation, toleratingFaults } from '../../test/simulation/simulation.ts';
import { monthOf } from '../time.ts';
import { closeWindowsOf } from './closing.ts';
import { type Hold, hold, releaseHold } from './credits.ts';
import { addCredits, newCreditEntry } from './entries.ts';
import { monthAttribute } from './key-budgets.ts';
import { readSpending } from './key-spending.ts';
import { settle } from './settlement.ts';
import { startOf, windowsOf } from './windows.ts';

/**
 * The months of API keys under crashes, lost responses and clocks that differ, while budgets are set, raised and removed and a month ends.
 */

const accountId = 'acc_1';
const MONTHS = ['2026-01', '2026-02'];
const KEYS = ['key_1', 'key_2', 'key_3', ''];
/** The request of calls that began without a budget, to find them in the ledger. */
const WITHOUT_BUDGET = 'req_1';

/** A call that is running, in a process of its own. */
interface Running {
  process: ReturnType<ReturnType<typeof simulation>['startProcess']>;
  held: Hold;
}

/** The least and the most that the month of a key may have of charges of calls with a budget. */
interface Bounds {
  least: number;
  most: number;
}

async function world(seed: number) {
  const random = seededRandom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const faults: FaultPlan = ({ when }) => {
    const drawn = random();
    if (drawn < 0.03) return 'crash';
    if (drawn < 0.08) throw new Error(`failed ${when}`);
    return undefined;
  };
  const startAt = Date.parse('2026-01-31T23:35:00.000Z') + below(20) * MINUTE_MS;
  const { memory, clock, startProcess, steady } = simulation({ startAt, faults });
  const { deps } = steady;
  await deps.table.transact(addCredits(newCreditEntry(deps, accountId, 'PURCHASE', 500 * RAND)));
  const budgets = new Map<string, number>();
  const bounds = new Map<string, Bounds>();
  let running: Running[] = [];

  const read = async () => (await deps.table.get(AiAccount, { accountId })) ?? expect.fail('no account');
  const itemOf = async (keyId: string) => await deps.table.get(AiKeySpending, { accountId, keyId });

  const begin = async (keyId: string) => {
    // Clocks differ by less than the grace period of a window.
    const process = startProcess({ skewMs: below(40_000) - 20_000 });
    const caller = { accountId, keyId, budgetMicroRand: budgets.get(keyId) };
    await toleratingFaults(async () => {
      running.push({ process, held: await hold(process.deps, caller, 'openai', (1 + below(4)) * RAND) });
    });
  };
  /** Ends a call within its hold: settled, or without a charge. */
  const end = async ({ process, held }: Running) => {
    const cost = random() < 0.2 ? undefined : below(held.granted + 1);
    const charged = held.budget ? (cost ?? 0) : 0;
    const begun = monthOf(startOf(held.budget?.window ?? 0));
    const widen = (month: string, by: Bounds) => {
      const { least, most } = bounds.get(`${held.keyId} ${month}`) ?? { least: 0, most: 0 };
      bounds.set(`${held.keyId} ${month}`, { least: least + by.least, most: most + by.most });
    };
    // A call charges the month in which it began. If it crashes, the close of its last window charges the month in which it ended.
    for (const month of new Set([begun, monthOf(process.deps.now())])) widen(month, { least: 0, most: charged });
    await toleratingFaults(async () => {
      if (cost === undefined) return await releaseHold(process.deps, held);
      const { failures } = await settle(process.deps, held, cost, {
        ...USED,
        keyId: held.keyId,
        requestId: held.budget ? null : WITHOUT_BUDGET,
      });
      if (failures.length === 0) widen(begun, { least: charged, most: 0 });
    });
  };
  const changeBudget = (keyId: string) => {
    if (random() < 0.4) budgets.delete(keyId);
    else budgets.set(keyId, (budgets.get(keyId) ?? 0) + (1 + below(10)) * RAND);
  };
  const playRound = async () => {
    for (const keyId of KEYS) if (random() < 0.2) changeBudget(keyId);
    const ending = running.filter(() => random() < 0.6);
    running = running.filter((call) => !ending.includes(call));
    const beginning = Array.from({ length: 1 + below(5) }, () => begin(KEYS[below(KEYS.length)] ?? ''));
    await Promise.all([...beginning, ...ending.map(end)]);
    clock.now += below(4 * MINUTE_MS);
    if (random() < 0.7) {
      const closes = Array.from({ length: 1 + below(2) }, async () => {
        const { deps: closing } = startProcess({ skewMs: below(40_000) - 20_000 });
        await toleratingFaults(() => closeWindowsOf(closing, accountId));
      });
      await Promise.all(closes);
    }
  };

  /** The charges of calls of a key, by the ledger. */
  const chargesOf = (keyId: string, isIncluded: (entry: AiEntry) => boolean = () => true) =>
    memory
      .items('AI_ENTRY')
      .map((item) => AiEntry.parse(item))
      .filter((entry) => entry.keyId === keyId && isIncluded(entry))
      .reduce((sum, { amountMicroRand }) => sum - amountMicroRand, 0);
  /** The charges of calls of a key without a budget. */
  const free = (keyId: string, month: string) =>
    chargesOf(keyId, ({ requestId, window = 0 }) => requestId === WITHOUT_BUDGET && monthOf(startOf(window)) === month);
  /** Checks that a month has the charges of calls without a budget exactly, and those of the others within what is known. */
  const expectMonth = (keyId: string, month: string, charged: number, what: string) => {
    const { least, most } = bounds.get(`${keyId} ${month}`) ?? { least: 0, most: 0 };
    expect(charged - free(keyId, month), `${what}: ${keyId} ${month}`).toBeGreaterThanOrEqual(least);
    expect(charged - free(keyId, month), `${what}: ${keyId} ${month}`).toBeLessThanOrEqual(most);
  };
  const expectSound = async (what: string) => {
    const account = Object.entries(await read());
    const open = account.reduce((sum, [name, value]) => sum + (name.startsWith('open_') ? Number(value) : 0), 0);
    expect(open, what).toBe((await read()).openCalls ?? 0);
    const spending = await readSpending(deps, accountId, KEYS);
    for (const keyId of KEYS) {
      expectMonth(keyId, monthOf(deps.now()), spending.get(keyId) ?? 0, what);
      const item = await itemOf(keyId);
      for (const month of MONTHS) {
        const [spent = 0, charged = 0] = [
          item?.[monthAttribute('spent', month)],
          item?.[monthAttribute('charged', month)],
        ];
        expect(Number(spent), what).toBeGreaterThanOrEqual(Number(charged));
      }
    }
  };
  /** Checks what holds once all calls are over and all windows are closed. */
  const expectExact = async (what: string) => {
    for (let minute = 0; minute < 27; minute += 1) {
      clock.now += MINUTE_MS;
      await closeWindowsOf(deps, accountId);
    }
    const account = await read();
    const ledger = memory.items('AI_ENTRY').reduce((sum, { amountMicroRand }) => sum + Number(amountMicroRand), 0);
    const { balanceMicroRand, availableMicroRand, openCalls } = account;
    expect([balanceMicroRand, availableMicroRand, openCalls ?? 0], what).toEqual([ledger, ledger, 0]);
    const left = Object.keys(account).filter((name) => /^(open|held|calls|ledger)_/.test(name));
    expect(left, what).toEqual([]);
    for (const keyId of KEYS) {
      // The next call with a budget releases what the calls of the past have left.
      const next = await hold(deps, { accountId, keyId, budgetMicroRand: 1000 * RAND }, 'openai', RAND);
      await releaseHold(deps, next);
      const item = (await itemOf(keyId)) ?? expect.fail('no item');
      const chargedIn = (month: string) => Number(item[monthAttribute('charged', month)] ?? 0);
      expect(
        MONTHS.reduce((sum, month) => sum + chargedIn(month), 0),
        `${what}: ${keyId}`,
      ).toBe(chargesOf(keyId));
      expect(
        Object.keys(item).filter((name) => name.startsWith('added_')),
        what,
      ).toEqual([]);
      for (const month of MONTHS) {
        const charged = chargedIn(month);
        expectMonth(keyId, month, charged, what);
        expect(Number(item[monthAttribute('spent', month)] ?? 0), `${what}: ${keyId} ${month}`).toBe(charged);
      }
      expect(item.openCalls, what).toBe(0);
      expect(
        windowsOf(item).map(({ window }) => window),
        what,
      ).toEqual([next.window]);
    }
  };
  return { playRound, expectSound, expectExact };
}

test('whatever fails while budgets change and a month ends, the months of keys end with their charges and no holds', async () => {
  for (let seed = 1; seed <= 15; seed += 1) {
    const { playRound, expectSound, expectExact } = await world(seed);
    for (let round = 0; round < 15; round += 1) {
      await playRound();
      await expectSound(`seed ${seed}, round ${round}`);
    }
    await expectExact(`seed ${seed}`);
  }
}, 120_000);
