import { expect } from 'vitest';
import { closeWindowsOf } from '../../domain/ai/closing.ts';
import { hold } from '../../domain/ai/credits.ts';
import { addCredits, newCreditEntry } from '../../domain/ai/entries.ts';
import { settle } from '../../domain/ai/settlement.ts';
import { AiAccount } from '../../table/entities/ai.ts';
import { simulation } from './simulation.ts';

/** A rand, in micro-rand. */
export const RAND = 1_000_000;
export const MINUTE_MS = 60_000;

/** The tokens, the request and the model of a call. */
export const USED = {
  inputTokens: 1,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 1,
  requestId: 'req_1',
  model: 'openai/gpt-4o',
  price: null,
  estimated: false,
};

/** A simulation with an account that has AI credits of R1,000. */
export async function aiAccount() {
  const simulated = simulation();
  const { steady, clock } = simulated;
  const { deps } = steady;
  const accountId = 'acc_1';
  await deps.table.transact(addCredits(newCreditEntry(deps, accountId, 'PURCHASE', 1000 * RAND)));
  /** Holds an amount in rand for a call of a key, which may have a budget in rand. */
  const begin = (keyId: string, rand: number, budgetRand?: number) =>
    hold(deps, { accountId, keyId, budgetMicroRand: budgetRand && budgetRand * RAND }, 'openai', rand * RAND);
  /** A call of a key that costs what it holds. */
  const call = async (keyId: string, rand: number, budgetRand?: number) =>
    await settle(deps, await begin(keyId, rand, budgetRand), rand * RAND, { ...USED, keyId });
  const read = async () => (await deps.table.get(AiAccount, { accountId })) ?? expect.fail('no account');
  /** Advances the clock, with a sweep every minute. */
  const sweepFor = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      clock.now += MINUTE_MS;
      await closeWindowsOf(deps, accountId);
    }
  };
  return { ...simulated, deps, accountId, begin, call, read, sweepFor };
}
