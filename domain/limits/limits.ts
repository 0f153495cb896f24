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

/**
 * Enforcement of the limits that are counted (contract/limits/limits.ts, docs/decisions/0030-limits.md). The condition of a write holds the
 * whole limit, with all tiers and the override: nothing is read for it, and of racing requests no more pass than may.
 */

/** Limits that count what exists, and the attribute of the account that counts it. */
export const COUNTERS = {
  apiKeys: 'keyCount',
  applications: 'appCount',
  concurrentBuilds: 'buildCount',
  databases: 'databaseCount',
  unpaidDomainOrders: 'unpaidOrderCount',
  webhookEndpoints: 'webhookCount',
} as const satisfies Partial<Record<LimitName, keyof Account>>;
export type CountedLimit = keyof typeof COUNTERS;

/** Limits that count by month, and the attributes of the account with the month and the sum. */
const MONTHLY = {
  buildMinutesPerMonth: { month: 'buildMonth', counter: 'buildMinutes' },
  databaseUnitsPerMonth: { month: 'databaseMonth', counter: 'databaseUnits' },
} as const satisfies Partial<Record<LimitName, { month: keyof Account; counter: keyof Account }>>;
type MonthlyLimit = keyof typeof MONTHLY;
const isMonthly = (name: LimitName): name is MonthlyLimit => Object.hasOwn(MONTHLY, name);

/** Limits of what is measured, and the attribute of the account with the last measurement. */
const MEASURED = { databaseStorageMib: 'databaseMib' } as const satisfies Partial<Record<LimitName, keyof Account>>;
type MeasuredLimit = keyof typeof MEASURED;
const isMeasured = (name: LimitName): name is MeasuredLimit => Object.hasOwn(MEASURED, name);

/** Limits that count by day, and the attribute of {@link DailyUsage} that counts it. */
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

/** Returns the limits that are lower in this installation than usual; an override counts more. */
export const limitsHere = ({ aiCallsPerAccount }: Deps['settings']) => ({
  concurrentAiCalls: Math.min(LIMITS.concurrentAiCalls.amounts, aiCallsPerAccount ?? Number.POSITIVE_INFINITY),
});

/** Makes the error for a request beyond a limit. @param retryAfter seconds, where waiting helps */
export const limitReached = (name: LimitName, limit: number, retryAfter?: number): ApiError => {
  const { error } = limitRule(name);
  return new ApiError(isRefused(error) ? error : 'conflict', limitMessage(name, limit), {
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
};

/** Conditions of which one holds while a counter of the account is below its limit. */
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

/** The day (UTC) that {@link DailyUsage} counts. */
export const dayOf = (now: Date) => now.toISOString().slice(0, 10);
/** The month (UTC), as monthly counters name it. */
export const monthOf = (now: Date) => now.toISOString().slice(0, 7);

/** Conditions of which one holds while something is left of a limit of this month. */
const leftThisMonth = (name: MonthlyLimit, now: Date): AnyOf => {
  const { month, counter } = MONTHLY[name];
  return [{ [month]: 'absent' }, { [month]: { isNot: monthOf(now) } }, ...belowLimit(name, counter)];
};

/** Limits that the start of something needs: those that it counts towards, and those that it must be below. */
type Needed = CountedLimit | MonthlyLimit | MeasuredLimit;

const conditionsFor = (names: readonly Needed[], now: Date): AnyOf[] =>
  names.map((name) => {
    if (isMonthly(name)) return leftThisMonth(name, now);
    return belowLimit(name, isMeasured(name) ? MEASURED[name] : COUNTERS[name]);
  });

/** Returns how much of a limit an account uses; undefined for limits whose use is not on the account's item. */
export function usageOf(account: Account, name: LimitName, now: Date): number | undefined {
  if (isMonthly(name)) {
    const { month, counter } = MONTHLY[name];
    return account[month] === monthOf(now) ? (account[counter] ?? 0) : 0;
  }
  if (isMeasured(name)) return account[MEASURED[name]] ?? 0;
  return Object.hasOwn(COUNTERS, name) ? (account[COUNTERS[name as CountedLimit]] ?? 0) : undefined;
}

/** Returns how much of each limit an account uses, for the limits that are counted on its items. */
export function usagesOf(account: Account, today: DailyUsage | undefined, now: Date): Partial<Limits> {
  const ofAccount = LIMIT_NAMES.flatMap((name) => {
    const used = usageOf(account, name, now);
    // What was counted only from some day on may be below zero until what is older is gone.
    return used === undefined ? [] : [[name, Math.max(0, used)] as const];
  });
  const ofDay = (Object.keys(DAILY_COUNTERS) as DailyLimit[]).map(
    (name) => [name, today?.[DAILY_COUNTERS[name]] ?? 0] as const,
  );
  return Object.fromEntries([...ofAccount, ...ofDay]);
}

/** Makes the error for the first of these limits that an account has reached. */
function firstReached(
  account: Account | undefined,
  names: readonly Needed[],
  now: Date,
  otherwise: () => Error = () => new ApiError('conflict'),
): Error {
  if (!account) return new ApiError('not_found');
  const reached = names.find((name) => (usageOf(account, name, now) ?? 0) >= limitOf(account, name));
  return reached ? limitReached(reached, limitOf(account, reached)) : otherwise();
}

/**
 * Counts one more towards each limit; the write fails with the documented error of the first that is reached.
 *
 * @param when what else must hold of the account: `ConcurrentUpdateError` where it does not
 */
export function countTowards(
  deps: Pick<Deps, 'now'>,
  accountId: string,
  names: readonly Needed[],
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

/** The part of another change of the account's item that counts one more towards a limit. */
export const countingTowards = (name: CountedLimit): Pick<Change, 'add' | 'whenAny'> => ({
  add: { [COUNTERS[name]]: 1 },
  whenAny: [belowLimit(name, COUNTERS[name])],
});

/** Refuses a transaction while a limit is reached, without counting anything. */
export function assertWithin(deps: Pick<Deps, 'now'>, accountId: string, names: readonly Needed[]): Write {
  const now = deps.now();
  return checkOrInspect(Account, { id: accountId }, { whenAny: conditionsFor(names, now) }, (account) =>
    firstReached(account, names, now),
  );
}

/** The change of the account by the minutes of a build that ended. */
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

/** Counts towards a limit of a day, in the transaction of what is counted. Throws 429 where more is asked for than a day allows. */
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
  const of = { accountId: account.id, day: dayOf(now) };
  const counter = DAILY_COUNTERS[name];
  return upsert(
    DailyUsage,
    of,
    {
      set: { ...of, expiresAtEpoch: DailyUsage.expiresAtEpoch?.(of) },
      add: { [counter]: count },
      when: { [counter]: { absentOrBelow: limit - count + 1 } },
    },
    refused,
  );
}

/** Returns an account. Throws 404. */
export async function findAccount(deps: Pick<Deps, 'table'>, accountId: string): Promise<Account> {
  const account = await deps.table.get(Account, { id: accountId });
  if (!account) throw new ApiError('not_found');
  return account;
}
