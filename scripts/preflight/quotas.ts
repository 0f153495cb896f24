import * as z from 'zod';
import { type AwsLimitName, awsLimit } from '../../contract/limits/aws-limits.ts';
import { LIMITS } from '../../contract/limits/limits.ts';
import type { CellNames } from '../../lib/cells.ts';
import { type Check, check } from './check.ts';
import type { Clients } from './clients.ts';
import type { Plan } from './plan.ts';

const Reserved = z.object({ ReservedConcurrentExecutions: z.number().default(0) });

/** Concurrency that AWS keeps available for functions without a reservation. */
const UNRESERVED_CONCURRENCY = 100;

/** Maximum concurrency that the first application of an account may reserve. */
const FIRST_APPLICATION = LIMITS.concurrentRequests.amounts[0];

/**
 * Returns the concurrency that the settings assume, but at minimum the sum of AWS's unreserved concurrency and the reservations of the
 * platform's functions and one application.
 */
function neededConcurrency({ config, resources }: Plan): number {
  const reserved = resources('AWS::Lambda::Function').map(({ properties }) => Reserved.parse(properties));
  const sum = reserved.reduce((total, { ReservedConcurrentExecutions: each }) => total + each, 0);
  return Math.max(config.lambdaConcurrency, UNRESERVED_CONCURRENCY + sum + FIRST_APPLICATION);
}

interface Need {
  limit: AwsLimitName;
  /** Default: the region of the settings. */
  region?(plan: Plan): string;
  /** The minimum for an installation that is open to sign-ups. Default: AWS's default. */
  needed?(plan: Plan): number;
  /** Consequence of a lower value. */
  why: string;
  /** An alternative to raising the quota. */
  otherwise?: string;
}

/** The quotas that a new account must raise, or that may be too low. */
const NEEDS: readonly Need[] = [
  {
    limit: 'lambdaConcurrency',
    needed: neededConcurrency,
    why: 'applications reserve from it, 20 each; a young account has 10',
    otherwise: 'Or tell the platform what the account has, for a small installation: -c lambdaConcurrency=',
  },
  { limit: 'lambdaCodeStorage', why: 'each kept release of each application counts' },
  {
    limit: 'codeBuildConcurrency',
    region: ({ config }) => config.buildRegion,
    needed: () => 5,
    why: 'further builds wait; a young account runs one at a time',
  },
  {
    limit: 'dsqlClusters',
    region: ({ config }) => config.databaseRegion,
    why: 'each database of a customer is a cluster',
  },
  { limit: 'route53Zones', why: 'each registered domain has a zone' },
  { limit: 'registeredDomains', why: 'domains of all customers are registered in this account' },
  { limit: 'distributionTenants', why: 'each custom domain is a tenant' },
  { limit: 'certificates', why: 'each custom domain has a certificate; a young account may have fewer' },
];

const Quota = z.object({ QuotaName: z.string(), QuotaCode: z.string(), Value: z.number() });
const SingleQuota = z.object({ Quota });
/** A listed quota has no value if AWS cannot read it at the moment. Only the requested one must have a value. */
const Listed = z.looseObject({ QuotaName: z.string().optional() });
const Page = z.object({ Quotas: z.array(Listed).default([]), NextToken: z.string().optional() });

type FoundQuota = z.output<typeof Quota>;

/** Reads a quota by its code: the account's value, or AWS's default if the account has never had another one. */
async function readByCode(
  { json }: Clients,
  region: string,
  ServiceCode: string,
  QuotaCode: string,
): Promise<FoundQuota> {
  const input = { ServiceCode, QuotaCode };
  try {
    return SingleQuota.parse(await json('servicequotas', region, 'GetServiceQuota', input)).Quota;
  } catch (error) {
    if (!(error instanceof Error && error.name === 'NoSuchResourceException')) throw error;
    return SingleQuota.parse(await json('servicequotas', region, 'GetAWSDefaultServiceQuota', input)).Quota;
  }
}

/** Finds a quota by its name, because AWS does not publish the codes of all quotas. */
async function readByName({ json }: Clients, region: string, ServiceCode: string, name: string) {
  for (const operation of ['ListServiceQuotas', 'ListAWSDefaultServiceQuotas']) {
    let NextToken: string | undefined;
    do {
      const page = Page.parse(
        await json('servicequotas', region, operation, { ServiceCode, MaxResults: 100, NextToken }),
      );
      const found = page.Quotas.find(({ QuotaName }) => QuotaName?.toLowerCase() === name.toLowerCase());
      if (found) return Quota.parse(found);
      NextToken = page.NextToken;
    } while (NextToken);
  }
  return undefined;
}

function checkQuota(plan: Plan, { limit, needed, why, otherwise, ...need }: Need): Check {
  const { service, name, quotaCode, quotaRegion, source, value: documented } = awsLimit(limit);
  const region = quotaRegion ?? need.region?.(plan) ?? plan.config.region;
  const minimum = needed?.(plan) ?? documented;
  return check<FoundQuota | undefined>({
    what: `${name} (${service}, ${region})`,
    needed: `${minimum}: ${why}`,
    region,
    find: (clients) =>
      quotaCode ? readByCode(clients, region, service, quotaCode) : readByName(clients, region, service, name),
    assess: (quota) => {
      if (!quota) {
        const remedy = [`Service Quotas does not list it: ask AWS Support for ${minimum} (${source}).`];
        return {
          ok: documented >= minimum,
          found: `not listed in Service Quotas; new accounts have ${documented}`,
          remedy,
        };
      }
      const request = `aws service-quotas request-service-quota-increase --service-code ${service} --quota-code ${quota.QuotaCode} --desired-value ${minimum} --region ${region}`;
      return {
        ok: quota.Value >= minimum,
        found: String(quota.Value),
        remedy: [request, 'AWS answers within days.', ...(otherwise ? [otherwise] : [])],
      };
    },
    remedy: [`See the Service Quotas console in ${region}; the limit is described at ${source}`],
  });
}

export const checkQuotas = (plan: Plan): Check[] => NEEDS.map((need) => checkQuota(plan, need));

/** The quotas that applications use in any cell. */
const IN_CELLS: readonly AwsLimitName[] = ['lambdaConcurrency', 'lambdaCodeStorage', 'distributionTenants'];

/** Checks the quotas of a hosting cell. */
export const checkCellQuotas = (plan: Plan, { config }: CellNames): Check[] =>
  NEEDS.filter(({ limit }) => IN_CELLS.includes(limit))
    // The alternative is a setting of the platform, whose account may have a higher quota.
    .map(({ otherwise: _, ...need }) => checkQuota({ ...plan, config }, need));
