import { ApiError } from '../../contract/errors.ts';
import {
  isRefused,
  LIMIT_NAMES,
  LIMITS,
  type LimitedAccount,
  type LimitName,
  type Limits,
  limitMessage,
  limitOf,
  limitRule,
  PLAN_TIERS,
} from '../../contract/limits/limits.ts';
import { Account, DailyUsage } from '../../table/entities/accounts.ts';
import { type AnyOf, type Change, unchanged } from '../../table/expressions.ts';
import { changeOrInspect, checkOrInspect, upsert, type Write } from '../../table/writes.ts';
import { concurrentUpdate } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { dayOf, monthOf } from '../time.ts';

/**
 * Enforcement of counted limits (contract/limits/limits.ts, docs/decisions/0030-limits.md). The condition of a write contains the
 * whole limit, with all tiers and the override. It needs no read, and concurrent requests cannot exceed the limit.
 */

/** Limits of existing resources, and the account's attribute that counts them. */
export const COUNTERS = {
  apiKeys: 'keyCount',
  applications: 'appCount',
  concurrentBuilds: 'buildCount',
  databases: 'databaseCount',
  unpaidDomainOrders: 'unpaidOrderCount',
  webhookEndpoints: 'webhookCount',
} as const satisfies Partial<Record<LimitName, keyof Account>>;
export type CountedLimit = keyof typeof COUNTERS;

/** Monthly limits, and the account's attributes with the month and the sum. */
export const MONTHLY = {
  buildMinutesPerMonth: { month: 'buildMonth', counter: 'buildMinutes' },
  databaseUnitsPerMonth: { month: 'databaseMonth', counter: 'databaseUnits' },
} as const satisfies Partial<Record<LimitName, { month: keyof Account; counter: keyof Account }>>;
type MonthlyLimit = keyof typeof MONTHLY;
const isMonthly = (name: LimitName): name is MonthlyLimit => Object.hasOwn(MONTHLY, name);

/** Measured limits, and the account's attribute with the last measurement. */
const MEASURED = { databaseStorageMib: 'databaseMib' } as const satisfies Partial<Record<LimitName, keyof Account>>;
type MeasuredLimit = keyof typeof MEASURED;
const isMeasured = (name: LimitName): name is MeasuredLimit => Object.hasOwn(MEASURED, name);

/** Daily limits, and the attribute of {@link DailyUsage} that counts them. */
export const DAILY_COUNTERS = {
  apiKeysPerDay: 'apiKeys',
  customDomainsPerDay: 'customDomains',
  certificatesPerDay: 'certificates',
  webhookResendsPerDay: 'webhookResends',
  topUpsPerDay: 'topUps',
  exportsPerDay: 'exports',
  invitationsPerDay: 'invitations',
} as const satisfies Partial<Record<LimitName, keyof DailyUsage>>;
export type DailyLimit = keyof typeof DAILY_COUNTERS;

/** Returns the limits that this installation may lower. An account's override takes precedence. */
export const limitsHere = ({ aiCallsPerAccount }: Deps['settings']) => ({
  concurrentAiCalls: Math.min(LIMITS.concurrentAiCalls.amounts, aiCallsPerAccount ?? Number.POSITIVE_INFINITY),
});

/** Creates the error of a request beyond a limit. @param retryAfter seconds, if waiting helps */
export const limitReached = (name: LimitName, limit: number, retryAfter?: number): ApiError => {
  const { error } = limitRule(name);
  return new ApiError(isRefused(error) ? error : 'conflict', limitMessage(name, limit), {
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
};

/** Returns alternative conditions, one of which holds while a counter of the account is below its limit. */
function belowLimit(name: LimitName, counter: string): AnyOf {
  const override = `limits.${name}`;
  const { amounts } = limitRule(name);
  const overridden: AnyOf = [
    { [counter]: { below: { attribute: override } } },
    { [counter]: 'absent', [override]: { atLeast: 1 } },
  ];
  if (amounts === 'plan') {
    return [{ [override]: 'absent', [counter]: { below: { attribute: 'plan.appLimit' } } }, ...overridden];
  }
  const tiers = typeof amounts === 'number' ? [amounts] : amounts;
  return [
    ...tiers.map((amount, tier) => ({
      [override]: 'absent' as const,
      [counter]: { absentOrBelow: amount },
      ...(tier === 0 ? {} : { 'plan.appLimit': { atLeast: PLAN_TIERS[tier] ?? 0 } }),
    })),
    ...overridden,
  ];
}

/** Returns alternative conditions, one of which holds while this month's use is below the limit. */
const belowMonthlyLimit = (name: MonthlyLimit, now: Date): AnyOf => {
  const { month, counter } = MONTHLY[name];
  const override = `limits.${name}`;
  const unused: AnyOf = [{ [month]: 'absent' }, { [month]: { isNot: monthOf(now) } }];
  // Even an unused month has nothing left below an override of 0.
  const beginning = unused.flatMap(
    (each): AnyOf => [
      { ...each, [override]: 'absent' },
      { ...each, [override]: { atLeast: 1 } },
    ],
  );
  return [...beginning, ...belowLimit(name, counter)];
};

/** Limits that the creation of a resource may depend on. It increments counted limits, and only checks the others. */
type RequiredLimit = CountedLimit | MonthlyLimit | MeasuredLimit;

const conditionsFor = (names: readonly RequiredLimit[], now: Date): AnyOf[] =>
  names.map((name) => {
    if (isMonthly(name)) return belowMonthlyLimit(name, now);
    return belowLimit(name, isMeasured(name) ? MEASURED[name] : COUNTERS[name]);
  });

/** Returns an account's usage of a limit; undefined for limits that other items count. */
export function usageOf(account: Account, name: LimitName, now: Date): number | undefined {
  if (isMonthly(name)) {
    const { month, counter } = MONTHLY[name];
    return account[month] === monthOf(now) ? (account[counter] ?? 0) : 0;
  }
  if (isMeasured(name)) return account[MEASURED[name]] ?? 0;
  return Object.hasOwn(COUNTERS, name) ? (account[COUNTERS[name as CountedLimit]] ?? 0) : undefined;
}

/** Returns an account's usage of each limit that the account's item or the day's usage counts. */
export function usagesOf(account: Account, today: DailyUsage | undefined, now: Date): Partial<Limits> {
  const accountUsage = LIMIT_NAMES.flatMap((name) => {
    const used = usageOf(account, name, now);
    // A counter that was introduced later may be negative until all older resources are deleted.
    return used === undefined ? [] : [[name, Math.max(0, used)] as const];
  });
  const dailyUsage = (Object.keys(DAILY_COUNTERS) as DailyLimit[]).map(
    (name) => [name, today?.[DAILY_COUNTERS[name]] ?? 0] as const,
  );
  return Object.fromEntries([...accountUsage, ...dailyUsage]);
}

/** Creates the error of the first of these limits that an account has reached. */
function firstReached(
  account: Account | undefined,
  names: readonly RequiredLimit[],
  now: Date,
  otherwise: () => Error = () => new ApiError('conflict'),
): Error {
  if (!account) return new ApiError('not_found');
  const reached = names.find((name) => (usageOf(account, name, now) ?? 0) >= limitOf(account, name));
  return reached ? limitReached(reached, limitOf(account, reached)) : otherwise();
}

/**
 * Returns the write that increments each counted limit. It fails with the documented error of the first limit that is reached.
 *
 * @param when an additional condition on the account; the write fails with `ConcurrentUpdateError` if only this condition fails
 */
export function countTowards(
  deps: Pick<Deps, 'now'>,
  accountId: string,
  names: readonly RequiredLimit[],
  when?: Change['when'],
): Write {
  const now = deps.now();
  const counters = names.flatMap((name) => (isMonthly(name) || isMeasured(name) ? [] : [COUNTERS[name]]));
  return changeOrInspect(
    Account,
    { id: accountId },
    {
      ...(when && { when }),
      add: Object.fromEntries(counters.map((counter) => [counter, 1])),
      whenAny: conditionsFor(names, now),
    },
    (account) => firstReached(account, names, now, when && concurrentUpdate),
  );
}

/** Returns the part of a change of the account's item that increments a counted limit. */
export const countingTowards = (name: CountedLimit): Pick<Change, 'add' | 'whenAny'> => ({
  add: { [COUNTERS[name]]: 1 },
  whenAny: [belowLimit(name, COUNTERS[name])],
});

/** Returns the check that fails a transaction while a limit is reached. It counts nothing. */
export function assertWithin(deps: Pick<Deps, 'now'>, accountId: string, names: readonly RequiredLimit[]): Write {
  const now = deps.now();
  return checkOrInspect(Account, { id: accountId }, { whenAny: conditionsFor(names, now) }, (account) =>
    firstReached(account, names, now),
  );
}

/** Returns the change that adds the minutes of an ended build to the account. Each build counts in whole minutes, rounded up. */
export const addBuildMinutes = (account: Account, milliseconds: number, now: Date): Change => {
  const { buildMonth, buildMinutes } = account;
  const month = monthOf(now);
  const before = buildMonth === month ? (buildMinutes ?? 0) : 0;
  return {
    set: { buildMonth: month, buildMinutes: before + Math.ceil(Math.max(0, milliseconds) / 60_000) },
    when: {
      buildMonth: unchanged(buildMonth),
      buildMinutes: unchanged(buildMinutes),
    },
  };
};

const secondsUntilTomorrow = (now: Date) => Math.ceil(86_400 - ((now.getTime() / 1000) % 86_400));

/** Returns the write that counts towards a daily limit, for the transaction of what it counts. Throws 429 if `count` alone exceeds the limit. */
export function countToday(
  deps: Pick<Deps, 'now'>,
  account: LimitedAccount & { id: string },
  name: DailyLimit,
  count = 1,
): Write {
  const now = deps.now();
  const limit = limitOf(account, name);
  const refused = () => limitReached(name, limit, secondsUntilTomorrow(now));
  if (count > limit) throw refused();
  const key = { accountId: account.id, day: dayOf(now) };
  const counter = DAILY_COUNTERS[name];
  return upsert(
    DailyUsage,
    key,
    {
      set: { ...key, expiresAtEpoch: DailyUsage.expiresAtEpoch?.(key) },
      add: { [counter]: count },
      when: { [counter]: { absentOrBelow: limit - count + 1 } },
    },
    refused,
  );
}

/** Returns an account. Throws 404 if it does not exist. */
export async function findAccount(deps: Pick<Deps, 'table'>, accountId: string): Promise<Account> {
  const account = await deps.table.get(Account, { id: accountId });
  if (!account) throw new ApiError('not_found');
  return account;
}
