import type { ApiError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits/limits.ts';
import { AiKeyCalls } from '../../table/entities/ai.ts';
import { DAY, epoch } from '../../table/entity.ts';
import { atMostOnce, change, upsert } from '../../table/writes.ts';
import { ConcurrentUpdateError, concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { limitReached } from '../limits/limits.ts';
import { HOLD_LIFETIME_MS, startOf, sumAttribute, windowAt, windowsOf } from './windows.ts';

/** Open calls of one API key at most: one key never takes all of its account's places, nor the platform's. */
const MAX_CALLS = LIMITS.concurrentAiCallsPerKey.amounts;

export interface KeyPlace {
  accountId: string;
  keyId: string;
  window: number;
}

/**
 * Counts a call of a key. Throws 429 with `retryAfter` seconds when the key has {@link MAX_CALLS} open calls; those that died
 * count until they cannot be running any more.
 */
export async function takeKeyPlace(
  deps: Pick<Deps, 'table' | 'now'>,
  of: { accountId: string; keyId: string },
  retryAfter: number,
): Promise<KeyPlace> {
  const now = deps.now();
  const window = windowAt(now);
  const what = {
    set: { ...of, entity: AiKeyCalls.type, expiresAtEpoch: epoch(now.toISOString()) + DAY },
    add: { openCalls: 1, [sumAttribute('calls', window)]: 1 },
    when: { openCalls: { absentOrBelow: MAX_CALLS } },
  };
  const count = upsert(AiKeyCalls, of, what, concurrentUpdate);
  const full = (): ApiError => limitReached('concurrentAiCallsPerKey', MAX_CALLS, retryAfter);
  try {
    await deps.table.updateReturningChanged(count);
  } catch (error) {
    if (!(error instanceof ConcurrentUpdateError)) throw error;
    if (!(await forgetDeadCalls(deps, of))) throw full();
    await deps.table.updateReturningChanged({ ...count, onConditionFailed: full });
  }
  return { ...of, window };
}

/** Gives a place back. Where the answer is lost, the place is free once the calls of its window are over. */
export const leaveKeyPlace = async (
  deps: Pick<Deps, 'table'>,
  { window, accountId, keyId }: KeyPlace,
): Promise<void> => {
  const calls = sumAttribute('calls', window);
  const what = { add: { openCalls: -1, [calls]: -1 }, when: { [calls]: { atLeast: 1 } } };
  const write = atMostOnce(change(AiKeyCalls, { accountId, keyId }, what, concurrentUpdate));
  await ignoreConflict(deps.table.updateReturningChanged(write));
};

/** Takes calls out of the count that began so long ago that they died. @returns true if there were any */
async function forgetDeadCalls(
  deps: Pick<Deps, 'table' | 'now'>,
  of: { accountId: string; keyId: string },
): Promise<boolean> {
  const item = await deps.table.get(AiKeyCalls, of);
  const before = deps.now().getTime() - HOLD_LIFETIME_MS;
  const over = windowsOf(item ?? {}).filter(({ window }) => startOf(window + 1) <= before);
  if (over.length === 0) return false;
  const what = {
    add: { openCalls: -over.reduce((sum, { calls }) => sum + calls, 0) },
    remove: over.flatMap(({ attributes }) => attributes),
    when: Object.fromEntries(over.map(({ window, calls }) => [sumAttribute('calls', window), { is: calls }])),
  };
  await ignoreConflict(deps.table.updateReturningChanged(change(AiKeyCalls, of, what, concurrentUpdate)));
  return true;
}
