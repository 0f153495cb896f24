import * as z from 'zod/mini';
import type { ErrorCode } from '../errors.ts';

/** The smallest number of applications in each tier of plans. A plan belongs to the last tier whose number it reaches. */
export const PLAN_TIERS = [0, 3, 10, 25] as const;

/** One number for all plans, or a number for each tier of {@link PLAN_TIERS}, in ascending order. */
type Amounts = number | readonly [number, number, number, number];

/** Effects of limits that do not refuse requests. */
const NOT_REFUSED = { cut: 'The rest is left out', queued: 'The rest waits' } as const;

interface LimitRule {
  /** The limited quantity, in the words of messages and pages. */
  counts: string;
  /** The limit. With `plan`, it is the number of applications of the plan. */
  amounts: Amounts | 'plan';
  /** The error of a request beyond the limit. `cut` and `queued` refuse nothing: the excess is left out, or waits. */
  error: Extract<ErrorCode, 'plan_limit' | 'conflict' | 'rate_limited'> | keyof typeof NOT_REFUSED;
  /** A condition that lowers the limit in an installation, in the words of the documentation. */
  lowered?: string;
  /** A further effect of reaching the limit, as a sentence without a full stop. */
  effect?: string;
  /** The action that makes room. */
  remedy: string;
  /** The smallest override that operators may set. Default: 0. */
  min?: number;
  /** True if the limit is the same for every account, without overrides. */
  isFixed?: true;
}

/** The effect of both limits on the use of databases (domain/databases/access.ts). */
const NO_CONNECTIONS = 'Applications open no new connections to databases meanwhile';

/** The number of an account's oldest keys whose full rate is reserved within the account's rate, so that other keys cannot use it up. */
export const KEYS_WITH_RESERVE = 4;

/**
 * The limits of an account (docs/decisions/0030-limits.md). Operators can override them for an account
 * (`functions/operator/adjustAccount.ts`). Limits of a single request (lengths, sizes) are in the schemas of its fields.
 */
export const LIMITS = {
  requestsPerMinute: {
    counts: 'requests in 60 seconds over all API keys of the account',
    amounts: 2400,
    error: 'rate_limited',
    remedy: 'Slow down',
    min: 1000,
  },
  apiKeys: { counts: 'API keys that are not revoked', amounts: 50, error: 'conflict', remedy: 'Revoke a key' },
  apiKeysPerDay: {
    counts: 'API keys created in a day (UTC)',
    amounts: 200,
    error: 'rate_limited',
    remedy: 'Wait until tomorrow',
  },
  applications: { counts: 'applications', amounts: 'plan', error: 'plan_limit', remedy: 'Delete an application' },
  concurrentRequests: {
    counts: 'concurrent requests to one application',
    amounts: [20, 50, 100, 200],
    error: 'rate_limited',
    remedy: 'Try again',
  },
  concurrentBuilds: {
    counts: 'concurrent deployments',
    amounts: [2, 3, 10, 25],
    error: 'queued',
    remedy: 'Wait for a deployment to finish',
  },
  buildMinutesPerMonth: {
    counts: 'build minutes in a calendar month (UTC)',
    amounts: [500, 1500, 5000, 15_000],
    error: 'plan_limit',
    remedy: 'Wait for the next month',
  },
  databases: {
    counts: 'databases of all applications',
    amounts: [5, 10, 20, 50],
    error: 'plan_limit',
    remedy: 'Delete a database',
  },
  databaseStorageMib: {
    counts: 'MiB stored in all databases',
    amounts: [1024, 4096, 10_240, 25_600],
    error: 'plan_limit',
    effect: NO_CONNECTIONS,
    remedy: 'Delete data or a database',
  },
  databaseUnitsPerMonth: {
    counts: 'DPUs (distributed processing units) of all databases in a calendar month (UTC)',
    amounts: [200_000, 500_000, 1_500_000, 3_000_000],
    error: 'plan_limit',
    effect: NO_CONNECTIONS,
    remedy: 'Wait for the next month',
  },
  customDomainsPerDay: {
    counts: 'custom domains added in a day (UTC)',
    amounts: 500,
    error: 'rate_limited',
    remedy: 'Wait until tomorrow',
  },
  certificatesPerDay: {
    counts: 'certificates for custom domains in a day (UTC)',
    amounts: 50,
    error: 'rate_limited',
    remedy: 'Wait until tomorrow',
  },
  unpaidDomainOrders: {
    counts: 'unpaid domain orders',
    amounts: 20,
    error: 'conflict',
    remedy: 'Pay for an order, or wait 24 hours until it is void',
  },
  concurrentAiCalls: {
    counts: 'concurrent AI calls',
    amounts: 200,
    lowered: 'or a quarter of the installation’s capacity if that is less',
    error: 'rate_limited',
    remedy: 'Wait for a call to end',
  },
  concurrentAiCallsPerKey: {
    counts: 'concurrent AI calls of one API key, or of all logins together',
    amounts: 100,
    error: 'rate_limited',
    remedy: 'Wait for a call to end',
    isFixed: true,
  },
  webhookEndpoints: { counts: 'webhook endpoints', amounts: 20, error: 'conflict', remedy: 'Delete an endpoint' },
  webhookResendsPerDay: {
    counts: 'webhook deliveries resent in a day (UTC)',
    amounts: 5000,
    error: 'rate_limited',
    remedy: 'Wait until tomorrow',
  },
  invitationsPerDay: {
    counts: 'invitations of members in a day (UTC)',
    amounts: 50,
    error: 'rate_limited',
    remedy: 'Wait until tomorrow',
  },
  topUpsPerDay: {
    counts: 'card payments started in a day (UTC)',
    amounts: 100,
    error: 'rate_limited',
    remedy: 'Wait until tomorrow',
  },
  exportsPerDay: {
    counts: 'exports of the account in a day (UTC)',
    amounts: 3,
    error: 'rate_limited',
    remedy: 'Wait until tomorrow',
  },
  buildLogKib: {
    counts: 'KiB of the log of one deployment',
    amounts: 4096,
    error: 'cut',
    remedy: 'Print less',
    isFixed: true,
  },
  runtimeLogKibPerMinute: {
    counts: 'KiB that one instance of an application prints in a minute',
    amounts: [256, 512, 1024, 2048],
    error: 'cut',
    remedy: 'Print less',
  },
} as const satisfies Record<string, LimitRule>;

export type LimitName = keyof typeof LIMITS;
export const LIMIT_NAMES = Object.keys(LIMITS) as LimitName[];
export type Limits = Record<LimitName, number>;

/** The limits that operators set for one account. */
export type LimitOverrides = { [Name in LimitName]?: number | undefined };

/** Returns the rule of a limit. */
export const limitRule = (name: LimitName): LimitRule => LIMITS[name];

/** Returns the index of a plan's tier in {@link PLAN_TIERS}. */
const tierOf = (appLimit: number): number => PLAN_TIERS.findLastIndex((minimum) => appLimit >= minimum);

/** The attributes of an account that determine its limits. */
export interface LimitedAccount {
  plan: { appLimit: number };
  limits?: LimitOverrides | undefined;
}

/** Returns a limit for a plan that allows `appLimit` applications, without overrides. */
function defaultLimit(name: LimitName, appLimit: number): number {
  const { amounts } = limitRule(name);
  if (amounts === 'plan') return appLimit;
  if (typeof amounts === 'number') return amounts;
  return amounts[tierOf(appLimit)] ?? amounts[0];
}

/** Returns a limit of an account: its override, or the default for its plan. */
export const limitOf = ({ plan, limits = {} }: LimitedAccount, name: LimitName): number =>
  limits[name] ?? defaultLimit(name, plan.appLimit);

/** Returns every limit of an account. */
export const limitsOf = (account: LimitedAccount): Limits =>
  Object.fromEntries(LIMIT_NAMES.map((name) => [name, limitOf(account, name)])) as Limits;

/** Returns true for a limit that refuses requests with an error. */
export const isRefused = (error: LimitRule['error']): error is Exclude<LimitRule['error'], keyof typeof NOT_REFUSED> =>
  !Object.hasOwn(NOT_REFUSED, error);

/**
 * Returns the further effect of a limit, the action that makes room and, unless the limit is fixed, how to get a higher one:
 * `Revoke a key, or ask support for more.`
 */
function describeRemedy(name: LimitName): string {
  const { effect, remedy, amounts, isFixed } = limitRule(name);
  const increase = Array.isArray(amounts) || amounts === 'plan' ? 'choose a larger plan' : 'ask support for more';
  return `${effect ? `${effect}. ` : ''}${remedy}${isFixed ? '' : `, or ${increase}`}.`;
}

/** Returns the message for a request beyond a limit: the limit, its name in `GET /v1/account`, and the remedy. */
export const limitMessage = (name: LimitName, limit: number): string =>
  `The limit for ${limitRule(name).counts} is reached: ${limit} (${name}). ${describeRemedy(name)}`;

/** Returns the effect of exceeding a limit, and the remedy. */
export function describeBeyond(name: LimitName): string {
  const { error } = limitRule(name);
  return `${isRefused(error) ? 'Requests are refused' : NOT_REFUSED[error]}. ${describeRemedy(name)}`;
}

/** Returns the documentation of a limit: the limited quantity, the number by plan, and the effect of exceeding it. */
function describeLimit(name: LimitName): string {
  const { counts, amounts, error, lowered } = limitRule(name);
  const beyond = isRefused(error) ? `\`${error}\`` : NOT_REFUSED[error].toLowerCase();
  const tiers =
    Array.isArray(amounts) && PLAN_TIERS.map((minimum, tier) => `${amounts[tier]} from ${minimum} applications`);
  const numbers = amounts === 'plan' ? 'defined by the plan' : tiers ? tiers.join(', ') : `${amounts} on every plan`;
  return `Maximum ${counts}: ${numbers}${lowered ? `, ${lowered}` : ''}. Beyond it: ${beyond}.`;
}

const amount = (name: LimitName) => z.int().register(z.globalRegistry, { description: describeLimit(name) });

const shapeOf = <T extends z.ZodMiniType>(
  build: (name: LimitName) => T,
  names: readonly LimitName[] = LIMIT_NAMES,
): Record<LimitName, T> => Object.fromEntries(names.map((name) => [name, build(name)])) as Record<LimitName, T>;

/** The schema of an account's limits, with the documentation of {@link LIMITS}. */
export const LimitsSchema = () => z.object(shapeOf(amount));

/** The schema of an account's current use of its limits. Limits without a stored counter are absent. */
export const UsageSchema = () =>
  z.partial(
    z.object(
      shapeOf((name) =>
        z.int().register(z.globalRegistry, {
          description: `Current use: ${limitRule(name).counts}; absent if it is not counted`,
        }),
      ),
    ),
  );

const override = (name: LimitName) => z.nullable(z.int().check(z.minimum(limitRule(name).min ?? 0)));

/** The schema of an account's overrides: whole numbers, or null to return to the default of the plan. */
export const LimitOverridesSchema = () =>
  z.partial(
    z.strictObject(
      shapeOf(
        override,
        LIMIT_NAMES.filter((name) => !limitRule(name).isFixed),
      ),
    ),
  );
