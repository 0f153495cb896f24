import { AWS_LIMITS, type AwsLimitName, awsLimit } from '../../contract/limits/aws-limits.ts';
import { LIMITS } from '../../contract/limits/limits.ts';
import { MAX_KEPT_RELEASES } from '../../domain/deployments/rollback.ts';
import { sharesOf } from '../../lib/concurrency.ts';
import type { Heat } from './heat.ts';
import { AVERAGE_ACCOUNT, DURATION_S, peakRate, RELEASE_MB } from './load.ts';

/** A limit, and how much of it the platform's accounts use. */
export interface Limit {
  name: string;
  value: number;
  unit: string;
  /** Scope of the limit. Limits of cells grow with the number of cells; those of the platform do not. */
  scope: 'platform' | 'cell';
  adjustable: boolean;
  source: string;
  /** Returns how much a number of accounts uses, in the limit's unit. */
  demand(accounts: number): number;
}

const DYNAMODB = 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html';
const TABLE_QUOTAS = 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html';

/** Write units per second of one partition key, and of a table by default. */
export const PARTITION_WRITE_UNITS = 1000;
const TABLE_WRITE_UNITS = 40_000;
/** Bytes of a route in the key-value store: a host name, and the host of a function URL. */
const ROUTE_BYTES = 30 + 65;
/** Concurrency that AWS keeps unreserved. */
const UNRESERVED = 100;
const CONCURRENCY = AWS_LIMITS.lambdaConcurrency.value;
/** Concurrency that the platform's own functions reserve if they share the AWS account with the applications. */
const PLATFORM_RESERVES = sharesOf(CONCURRENCY);

type Demand = Pick<Limit, 'scope' | 'demand'> & { limit: AwsLimitName; value?: number; name?: string };

/** Usage of AWS quotas (contract/limits/aws-limits.ts). */
const demands = (controlPlaneRequests: number): Demand[] => [
  {
    limit: 'lambdaConcurrency',
    name: 'concurrency that applications reserve, each by its plan',
    scope: 'cell',
    value: CONCURRENCY - PLATFORM_RESERVES - UNRESERVED,
    demand: (accounts) => accounts * AVERAGE_ACCOUNT.applications * LIMITS.concurrentRequests.amounts[0],
  },
  {
    limit: 'lambdaConcurrency',
    name: 'concurrent requests of applications',
    scope: 'cell',
    demand: (accounts) => peakRate(accounts, 'request of a hosted application') * DURATION_S.hostedRequest,
  },
  {
    limit: 'lambdaConcurrency',
    name: 'concurrent API requests, deliveries and AI calls',
    scope: 'platform',
    demand: (accounts) =>
      peakRate(accounts, 'API request') * DURATION_S.apiRequest +
      peakRate(accounts, 'webhook event to one endpoint') * DURATION_S.delivery +
      peakRate(accounts, 'AI call on credits') * DURATION_S.aiCall,
  },
  {
    limit: 'lambdaControlPlaneRate',
    name: `releases, of ${controlPlaneRequests} requests each`,
    scope: 'cell',
    demand: (accounts) => peakRate(accounts, 'deployment') * controlPlaneRequests,
  },
  {
    limit: 'lambdaCodeStorage',
    scope: 'cell',
    demand: (accounts) => (accounts * AVERAGE_ACCOUNT.applications * MAX_KEPT_RELEASES * RELEASE_MB) / 1024,
  },
  {
    limit: 'codeBuildConcurrency',
    name: 'concurrent builds (others wait in the queue)',
    scope: 'platform',
    demand: (accounts) => peakRate(accounts, 'deployment') * DURATION_S.build,
  },
  {
    limit: 'keyValueStoreBytes',
    name: 'routes in the key-value store',
    scope: 'cell',
    demand: (accounts) => accounts * AVERAGE_ACCOUNT.hosts * ROUTE_BYTES,
  },
  { limit: 'distributionTenants', scope: 'cell', demand: (accounts) => accounts * AVERAGE_ACCOUNT.customDomains },
  { limit: 'certificates', scope: 'cell', demand: (accounts) => accounts * AVERAGE_ACCOUNT.customDomains },
  { limit: 'dsqlClusters', scope: 'platform', demand: (accounts) => accounts * AVERAGE_ACCOUNT.databases },
  { limit: 'registeredDomains', scope: 'platform', demand: (accounts) => accounts * AVERAGE_ACCOUNT.domains },
  { limit: 'route53Zones', scope: 'platform', demand: (accounts) => accounts * AVERAGE_ACCOUNT.domains },
  {
    limit: 'route53Rate',
    name: 'changes of zones, of two requests each',
    scope: 'platform',
    demand: (accounts) => 2 * peakRate(accounts, 'change of a DNS record'),
  },
];

/** Returns the limits of the table and of every partition key that all accounts, or those of a cell, share. */
function tableLimits(heat: readonly Heat[]): Limit[] {
  const byKey = new Map<string, Heat[]>();
  for (const entry of heat) {
    if (!['platform', 'cell'].includes(entry.scope) || entry.writeUnits === 0) continue;
    byKey.set(entry.key, [...(byKey.get(entry.key) ?? []), entry]);
  }
  const keys = [...byKey].map(
    ([key, all]): Limit => ({
      name: `table key \`${key}\``,
      value: PARTITION_WRITE_UNITS * (all[0]?.shards ?? 1),
      unit: 'write units per second',
      scope: all[0]?.scope === 'cell' ? 'cell' : 'platform',
      adjustable: false,
      source: DYNAMODB,
      demand: (accounts) =>
        all.reduce((sum, { operation, writeUnits }) => sum + peakRate(accounts, operation) * writeUnits, 0),
    }),
  );
  const all: Limit = {
    name: 'table writes in total',
    value: TABLE_WRITE_UNITS,
    unit: 'write units per second',
    scope: 'platform',
    adjustable: true,
    source: TABLE_QUOTAS,
    demand: (accounts) =>
      heat.reduce((sum, { operation, writeUnits }) => sum + peakRate(accounts, operation) * writeUnits, 0),
  };
  return [...keys, all];
}

/** Returns every limit that growth may reach. */
export const limitsOf = (heat: readonly Heat[], controlPlaneRequests: number): Limit[] => [
  ...demands(controlPlaneRequests).map(({ limit, name, value, ...demand }): Limit => {
    const quota = awsLimit(limit);
    return { ...demand, ...quota, value: value ?? quota.value, name: name ?? quota.name };
  }),
  ...tableLimits(heat),
];

/** Returns the number of accounts at which a limit is reached. All demands are proportional to the accounts. */
export const breaksAt = ({ value, demand }: Limit): number => Math.floor(value / demand(1));

/** Returns the number of cells that a number of accounts needs to stay within the limits of cells. */
export const cellsFor = (limits: readonly Limit[], accounts: number): number =>
  Math.max(
    1,
    ...limits.filter((limit) => limit.scope === 'cell').map(({ value, demand }) => Math.ceil(demand(accounts) / value)),
  );
