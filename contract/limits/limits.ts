import * as z from 'zod/mini';
import type { ErrorCode } from '../errors.ts';

/** Smallest number of applications of the plans in each tier: a plan belongs to the last tier that it reaches. */
export const PLAN_TIERS = [0, 3, 10, 25] as const;

/** One number for all plans, or one for each tier of {@link PLAN_TIERS}, never falling. */
type Amounts = number | readonly [number, number, number, number];

/** Consequences of limits that refuse nothing. */
const NOT_REFUSED = { cut: 'The rest is left out', queued: 'The rest waits' } as const;

interface LimitRule {
  /** The things that are limited, as messages and pages name them. */
  counts: string;
  /** The number itself, unless it is `plan`: then it is the plan's own number of applications. */
  amounts: Amounts | 'plan';
  /**
   * The error of a request beyond the limit. Nothing is refused with `cut`, where the rest is left out, and `queued`, where
   * the rest waits.
   */
  error: Extract<ErrorCode, 'plan_limit' | 'conflict' | 'rate_limited'> | keyof typeof NOT_REFUSED;
  /** Condition that lowers the number in an installation, as the documentation says it. */
  lowered?: string;
  /** Further consequence of reaching the limit, in one sentence without a full stop. */
  effect?: string;
  /** The action that makes room. */
  remedy: string;
  /** Smallest override that operators may set; 0 by default. */
  min?: number;
  /** True where the number is the same for everybody: no override. */
  isFixed?: true;
}

/** Consequence of both limits of databases (domain/databases/access.ts). */
const NO_CONNECTIONS = 'Applications open no new connections to databases meanwhile';

/** Number of keys of an account, its first, whose whole rate is reserved within the account's: no other key can use it up. */
export const KEYS_WITH_RESERVE = 4;

/**
 * Every limit of an account (docs/decisions/0030-limits.md). Operators override them for one account
 * (`functions/operator/adjustAccount.ts`). Limits of a single request (lengths, sizes) are in the schemas of their fields.
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
    counts: 'requests at once to one application',
    amounts: [20, 50, 100, 200],
    error: 'rate_limited',
    remedy: 'Try again',
  },
  concurrentBuilds: {
    counts: 'deployments at once',
    amounts: [2, 3, 10, 25],
    error: 'queued',
    remedy: 'Wait for a deployment to finish',
  },
  buildMinutesPerMonth: {
    counts: 'minutes of builds in a calendar month (UTC)',
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
    counts: 'AI calls at once',
    amounts: 200,
    lowered: 'or a quarter of what the installation has capacity for',
    error: 'rate_limited',
    remedy: 'Wait for a call to end',
  },
  concurrentAiCallsPerKey: {
    counts: 'AI calls at once of one API key, or of all logins together',
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
    counts: 'card payments begun in a day (UTC)',
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

/** Returns the place of a plan in {@link PLAN_TIERS}. */
export const tierOf = (appLimit: number): number => PLAN_TIERS.findLastIndex((least) => appLimit >= least);

/** The attributes of an account that decide its limits. */
export interface LimitedAccount {
  plan: { appLimit: number };
  limits?: LimitOverrides | undefined;
}

/** Returns one limit of an account: the override, or the number of its plan. */
export function limitOf({ plan, limits = {} }: LimitedAccount, name: LimitName): number {
  const { amounts } = limitRule(name);
  const usual =
    amounts === 'plan'
      ? plan.appLimit
      : typeof amounts === 'number'
        ? amounts
        : (amounts[tierOf(plan.appLimit)] ?? amounts[0]);
  return limits[name] ?? usual;
}

/** Returns every limit of an account. */
export const limitsOf = (account: LimitedAccount): Limits =>
  Object.fromEntries(LIMIT_NAMES.map((name) => [name, limitOf(account, name)])) as Limits;

/** True for an error that a request beyond a limit is answered with. */
export const isRefused = (error: LimitRule['error']): error is Exclude<LimitRule['error'], keyof typeof NOT_REFUSED> =>
  !Object.hasOwn(NOT_REFUSED, error);

/**
 * Returns the sentences that say what else follows, how to make room, and how to get more where there is more: `Revoke a key, or
 * ask support for more.`
 */
function waysOut(name: LimitName): string {
  const { effect, remedy, amounts, isFixed } = limitRule(name);
  const way = Array.isArray(amounts) || amounts === 'plan' ? 'choose a larger plan' : 'ask support for more';
  // Operators raise none that is the same for everybody.
  return `${effect ? `${effect}. ` : ''}${remedy}${isFixed ? '' : `, or ${way}`}.`;
}

/** Returns the sentences for a request beyond a limit: the limit, its name in `GET /v1/account`, and the ways to more. */
export const limitMessage = (name: LimitName, limit: number): string =>
  `The limit for ${limitRule(name).counts} is reached: ${limit} (${name}). ${waysOut(name)}`;

/** Returns the sentences that say what happens beyond a limit, and the ways to more. */
export function describeBeyond(name: LimitName): string {
  const { error } = limitRule(name);
  return `${isRefused(error) ? 'Requests are refused' : NOT_REFUSED[error]}. ${waysOut(name)}`;
}

/** Returns the text that documents a limit: what it counts, its number by plan, and what happens beyond it. */
export function describeLimit(name: LimitName): string {
  const { counts, amounts, error, lowered } = limitRule(name);
  const beyond = isRefused(error) ? `\`${error}\`` : NOT_REFUSED[error].toLowerCase();
  const tiers =
    Array.isArray(amounts) && PLAN_TIERS.map((least, tier) => `${amounts[tier]} from ${least} applications`);
  const numbers = amounts === 'plan' ? 'as the plan says' : tiers ? tiers.join(', ') : `${amounts} on every plan`;
  return `Maximum ${counts}: ${numbers}${lowered ? `, ${lowered}` : ''}. Beyond it: ${beyond}.`;
}

const amount = (name: LimitName) => z.int().register(z.globalRegistry, { description: describeLimit(name) });

const shapeOf = <T extends z.ZodMiniType>(
  build: (name: LimitName) => T,
  names: readonly LimitName[] = LIMIT_NAMES,
): Record<LimitName, T> => Object.fromEntries(names.map((name) => [name, build(name)])) as Record<LimitName, T>;

/** Schema of an account's limits, documented from {@link LIMITS}. */
export const LimitsSchema = () => z.object(shapeOf(amount));

/** Schema of how much of its limits an account uses, as far as that is counted. */
export const UsageSchema = () =>
  z.partial(
    z.object(
      shapeOf((name) =>
        z.int().register(z.globalRegistry, {
          description: `Now: ${limitRule(name).counts}; absent where it is not counted`,
        }),
      ),
    ),
  );

const override = (name: LimitName) => z.nullable(z.int().check(z.minimum(limitRule(name).min ?? 0)));

/** Schema of the overrides of one account: whole numbers, and null for the plan's own number again. */
export const LimitOverridesSchema = () =>
  z.partial(
    z.strictObject(
      shapeOf(
        override,
        LIMIT_NAMES.filter((name) => !limitRule(name).isFixed),
      ),
    ),
  );
