import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod/mini';
import { LIMIT_NAMES, type LimitOverrides, type LimitOverridesSchema } from '../../contract/limits/limits.ts';
import { Account, AccountRate } from '../../table/entities/accounts.ts';
import { AiAccount } from '../../table/entities/ai.ts';
import { unchanged } from '../../table/expressions.ts';
import { change, upsert, type Write } from '../../table/writes.ts';
import { concurrentUpdate, retryRequest } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { findAccount } from './limits.ts';

/**
 * Sets limits of one account, for operators. Keeps the other overrides; null removes an override. Limits that are enforced on other
 * items are copied to them, so that no request has to read the account.
 * @returns all overrides of the account
 */
export async function overrideLimits(
  deps: Deps,
  accountId: string,
  changes: z.output<ReturnType<typeof LimitOverridesSchema>>,
): Promise<LimitOverrides> {
  return await retryRequest(async () => {
    const { limits: before } = await findAccount(deps, accountId);
    const merged = LIMIT_NAMES.flatMap((name) => {
      const given = changes[name];
      const value = given === undefined ? before?.[name] : given;
      return value === undefined || value === null ? [] : [[name, value] as const];
    });
    const limits: LimitOverrides = Object.fromEntries(merged);
    if (isDeepStrictEqual(limits, before ?? {})) return limits;
    return await deps.commit(
      [
        change(Account, { id: accountId }, { set: { limits }, when: limitsAsRead(before) }, concurrentUpdate),
        ...copies(accountId, changes, limits),
      ],
      limits,
      {
        action: 'account.limits-changed',
        accountId,
        subjectId: accountId,
        before: { limits: before ?? {} },
        after: { limits },
      },
    );
  });
}

/** Returns the conditions that no override has been set or removed since the read. */
const limitsAsRead = (before: LimitOverrides = {}) =>
  Object.fromEntries(LIMIT_NAMES.map((name) => [`limits.${name}`, unchanged(before[name])]));

/** Returns the writes of the changed limits that are copied to other items. */
function copies(
  accountId: string,
  changes: z.output<ReturnType<typeof LimitOverridesSchema>>,
  { requestsPerMinute, concurrentAiCalls }: LimitOverrides,
): Write[] {
  const setOrRemove = (name: string, value: number | undefined) =>
    value === undefined ? { remove: [name] } : { set: { [name]: value } };
  const rate = setOrRemove('limit', requestsPerMinute);
  const calls = setOrRemove('callLimit', concurrentAiCalls);
  return [
    ...(changes.requestsPerMinute === undefined
      ? []
      : [upsert(AccountRate, { accountId }, { ...rate, set: { accountId, ...rate.set } })]),
    ...(changes.concurrentAiCalls === undefined
      ? []
      : [
          upsert(
            AiAccount,
            { accountId },
            {
              ...calls,
              set: { accountId, ...calls.set },
              setOnce: { balanceMicroRand: 0, availableMicroRand: 0, holds: {}, keys: {} },
            },
          ),
        ]),
  ];
}
