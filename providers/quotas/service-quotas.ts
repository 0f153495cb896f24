import * as z from 'zod/mini';
import { type AwsLimitName, awsLimit } from '../../contract/limits/aws-limits.ts';
import { tolerate } from '../aws-errors.ts';

/** Calls an operation of Service Quotas in a region. */
type Call = (operation: string, input: object, options: { region: string }) => Promise<unknown>;

/** The quotas of an AWS account. */
export interface ServiceQuotas {
  /** Returns the account's value of a quota, or AWS's default if the account never had another value. */
  limitOf(name: AwsLimitName, region: string): Promise<number>;
}

/**
 * Implementation with Service Quotas. A quota whose code AWS does not publish is found by name among those of its service
 * (https://docs.aws.amazon.com/servicequotas/2019-06-24/apireference/API_ListServiceQuotas.html). A quota that is not listed has the value
 * of a new account.
 */
export function createServiceQuotas(call: Call): ServiceQuotas {
  // If the quota's service does not answer, the quota has an ErrorReason and no value.
  const Quota = z.object({ QuotaName: z.optional(z.string()), Value: z.optional(z.number()) });
  const One = z.object({ Quota });
  const Page = z.object({ Quotas: z._default(z.array(Quota), []), NextToken: z.optional(z.string()) });

  function readValue({ QuotaName, Value }: z.output<typeof Quota>): number {
    if (Value === undefined) throw new Error(`Service Quotas does not know the value of "${QuotaName}" at the moment`);
    return Value;
  }

  async function findByCode(ServiceCode: string, QuotaCode: string, region: string): Promise<number | undefined> {
    const answer = call('GetServiceQuota', { ServiceCode, QuotaCode }, { region });
    const found = await tolerate(answer, { NoSuchResourceException: undefined });
    return found === undefined ? undefined : readValue(One.parse(found).Quota);
  }

  async function findByName(ServiceCode: string, name: string, region: string): Promise<number | undefined> {
    let NextToken: string | undefined;
    do {
      const input = { ServiceCode, MaxResults: 100, ...(NextToken === undefined ? {} : { NextToken }) };
      const page = Page.parse(await call('ListServiceQuotas', input, { region }));
      const found = page.Quotas.find(({ QuotaName }) => QuotaName?.toLowerCase() === name.toLowerCase());
      if (found) return readValue(found);
      NextToken = page.NextToken;
    } while (NextToken !== undefined);
    return undefined;
  }

  return {
    async limitOf(limit, home) {
      const { service, name, quotaCode, quotaRegion: region = home, value } = awsLimit(limit);
      const found = await (quotaCode ? findByCode(service, quotaCode, region) : findByName(service, name, region));
      return found ?? value;
    },
  };
}
