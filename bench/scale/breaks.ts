import { AWS_LIMITS, type AwsLimitName, awsLimit } from '../../contract/limits/aws-limits.ts';
import { LIMITS } from '../../contract/limits/limits.ts';
import { MAX_KEPT_RELEASES } from '../../domain/deployments/rollback.ts';
import { sharesOf } from '../../lib/concurrency.ts';
import type { Heat } from './heat.ts';
import { DURATION_S, HAS, peakRate, RELEASE_MB } from './load.ts';

/** One limit, and how much of it the platform's accounts take. */
export interface Limit {
  what: string;
  value: number;
  unit: string;
  /** The extent of the limit: a cell's limits grow with the number of cells, the platform's do not. */
  of: 'platform' | 'cell';
  adjustable: boolean;
  source: string;
  /** Returns the amount that so many accounts take, in the limit's unit. */
  taken(accounts: number): number;
}

const DYNAMODB = 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html';
const TABLE_QUOTAS = 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html';

/** Write units that one partition key takes in a second, and a table as it is by default. */
export const PARTITION_WRITE_UNITS = 1000;
const TABLE_WRITE_UNITS = 40_000;
/** Bytes of a route in the key-value store: a host name and the host of a function URL. */
const ROUTE_BYTES = 30 + 65;
/** Concurrency that AWS keeps unreserved. */
const UNRESERVED = 100;
const CONCURRENCY = AWS_LIMITS.lambdaConcurrency.value;
/** Concurrency that the platform's own functions reserve, where they share the account with the applications. */
const PLATFORM_RESERVES = sharesOf(CONCURRENCY);

type Demand = Pick<Limit, 'of' | 'taken'> & { limit: AwsLimitName; value?: number; what?: string };

/** Demands on quotas of AWS (contract/limits/aws-limits.ts). */
const demands = (controlPlaneRequests: number): Demand[] => [
  {
    limit: 'lambdaConcurrency',
    what: 'concurrency that applications reserve, each by its plan',
    of: 'cell',
    value: CONCURRENCY - PLATFORM_RESERVES - UNRESERVED,
    taken: (accounts) => accounts * HAS.applications * LIMITS.concurrentRequests.amounts[0],
  },
  {
    limit: 'lambdaConcurrency',
    what: 'concurrent requests of applications',
    of: 'cell',
    taken: (accounts) => peakRate(accounts, 'request of a hosted application') * DURATION_S.hostedRequest,
  },
  {
    limit: 'lambdaConcurrency',
    what: 'concurrent API requests, deliveries and AI calls',
    of: 'platform',
    taken: (accounts) =>
      peakRate(accounts, 'API request') * DURATION_S.apiRequest +
      peakRate(accounts, 'webhook event to one endpoint') * DURATION_S.delivery +
      peakRate(accounts, 'AI call on credits') * DURATION_S.aiCall,
  },
  {
    limit: 'lambdaControlPlaneRate',
    what: `releases, of ${controlPlaneRequests} requests each`,
    of: 'cell',
    taken: (accounts) => peakRate(accounts, 'deployment') * controlPlaneRequests,
  },
  {
    limit: 'lambdaCodeStorage',
    of: 'cell',
    taken: (accounts) => (accounts * HAS.applications * MAX_KEPT_RELEASES * RELEASE_MB) / 1024,
  },
  {
    limit: 'codeBuildConcurrency',
    what: 'concurrent builds (others wait in the queue)',
    of: 'platform',
    taken: (accounts) => peakRate(accounts, 'deployment') * DURATION_S.build,
  },
  {
    limit: 'keyValueStoreBytes',
    what: 'routes in the key-value store',
    of: 'cell',
    taken: (accounts) => accounts * HAS.hosts * ROUTE_BYTES,
  },
  { limit: 'distributionTenants', of: 'cell', taken: (accounts) => accounts * HAS.customDomains },
  { limit: 'certificates', of: 'cell', taken: (accounts) => accounts * HAS.customDomains },
  { limit: 'dsqlClusters', of: 'platform', taken: (accounts) => accounts * HAS.databases },
  { limit: 'registeredDomains', of: 'platform', taken: (accounts) => accounts * HAS.domains },
  { limit: 'route53Zones', of: 'platform', taken: (accounts) => accounts * HAS.domains },
  {
    limit: 'route53Rate',
    what: 'changes of zones, of two requests each',
    of: 'platform',
    taken: (accounts) => 2 * peakRate(accounts, 'change of a DNS record'),
  },
];

/** Returns the limits of the table: of every partition key at which all accounts meet, or those of a cell, and of the table itself. */
function tableLimits(heat: readonly Heat[]): Limit[] {
  const meeting = new Map<string, Heat[]>();
  for (const each of heat) {
    if (!['platform', 'cell'].includes(each.scope) || each.writeUnits === 0) continue;
    meeting.set(each.key, [...(meeting.get(each.key) ?? []), each]);
  }
  const keys = [...meeting].map(
    ([key, all]): Limit => ({
      what: `table key \`${key}\``,
      value: PARTITION_WRITE_UNITS * (all[0]?.shards ?? 1),
      unit: 'write units per second',
      of: all[0]?.scope === 'cell' ? 'cell' : 'platform',
      adjustable: false,
      source: DYNAMODB,
      taken: (accounts) =>
        all.reduce((sum, { operation, writeUnits }) => sum + peakRate(accounts, operation) * writeUnits, 0),
    }),
  );
  const all: Limit = {
    what: 'table writes in total',
    value: TABLE_WRITE_UNITS,
    unit: 'write units per second',
    of: 'platform',
    adjustable: true,
    source: TABLE_QUOTAS,
    taken: (accounts) =>
      heat.reduce((sum, { operation, writeUnits }) => sum + peakRate(accounts, operation) * writeUnits, 0),
  };
  return [...keys, all];
}

/** Every limit that growth meets. */
export const limitsOf = (heat: readonly Heat[], controlPlaneRequests: number): Limit[] => [
  ...demands(controlPlaneRequests).map(({ limit, what, value, ...demand }): Limit => {
    const quota = awsLimit(limit);
    return { ...demand, ...quota, value: value ?? quota.value, what: what ?? quota.name };
  }),
  ...tableLimits(heat),
];

/** Returns the number of accounts at which a limit is reached. All demands are proportional to the accounts. */
export const breaksAt = ({ value, taken }: Limit): number => Math.floor(value / taken(1));

/** Returns the cells that so many accounts need for the limits of cells. */
export const cellsFor = (limits: readonly Limit[], accounts: number): number =>
  Math.max(
    1,
    ...limits.filter((limit) => limit.of === 'cell').map(({ value, taken }) => Math.ceil(taken(accounts) / value)),
  );
