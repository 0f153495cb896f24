import * as z from 'zod';
import { AWS_LIMITS, type AwsLimit, type AwsLimitName } from '../../../contract/limits/aws-limits.ts';
import { type Emulator, jsonOperations, parse, ServiceError, serve } from '../wire.ts';

const ServiceCode = z.string().min(1).max(63);
const GetServiceQuota = z.object({ ServiceCode, QuotaCode: z.string().min(1).max(128) });
const ListServiceQuotas = z.object({
  ServiceCode,
  MaxResults: z.number().int().min(1).max(100).default(100),
  NextToken: z.string().optional(),
});

/** Listed instead of a value if AWS cannot read a quota (https://docs.aws.amazon.com/servicequotas/2019-06-24/apireference/API_ErrorReason.html). */
const ErrorReason = { ErrorCode: 'DEPENDENCY_SERVICE_ERROR', ErrorMessage: 'The AWS service is not available.' };

export interface ServiceQuotas extends Emulator {
  /** Raises a quota, as AWS does some days after a request. */
  grant(name: AwsLimitName, value: number): void;
}

/**
 * Starts an emulator of Service Quotas with the quotas of contract/limits/aws-limits.ts: GetServiceQuota and ListServiceQuotas.
 * Quotas have the values of a new account unless they have been raised. Limits without a quota code are not listed.
 */
export async function startServiceQuotas({ port }: { port?: number } = {}): Promise<ServiceQuotas> {
  const granted = new Map<string, number>();
  const known = Object.entries<AwsLimit>(AWS_LIMITS).flatMap(([id, limit]) =>
    limit.quotaCode ? [{ ...limit, id, quotaCode: limit.quotaCode }] : [],
  );
  const show = ({ id, service, name, value, quotaCode, adjustable, quotaRegion }: (typeof known)[number]) => ({
    ServiceCode: service,
    QuotaCode: quotaCode,
    QuotaName: name,
    Adjustable: adjustable,
    Value: granted.get(id) ?? value,
    GlobalQuota: quotaRegion !== undefined,
    Unit: 'None',
  });
  const emulator = await serve(
    port,
    'application/x-amz-json-1.1',
    jsonOperations({
      GetServiceQuota(body) {
        const input = parse(GetServiceQuota, body);
        const found = known.find(
          ({ service, quotaCode }) => service === input.ServiceCode && quotaCode === input.QuotaCode,
        );
        if (!found) throw new ServiceError('NoSuchResourceException', 'The specified resource does not exist.');
        return { Quota: show(found) };
      },
      ListServiceQuotas(body) {
        const input = parse(ListServiceQuotas, body);
        const from = Number(input.NextToken ?? 0);
        // Each list begins with a quota that AWS cannot read at the moment.
        const unreadable = {
          ServiceCode: input.ServiceCode,
          QuotaCode: 'L-00000000',
          QuotaName: 'Unread',
          ErrorReason,
        };
        const listed = [unreadable, ...known.filter(({ service }) => service === input.ServiceCode).map(show)];
        const end = from + input.MaxResults;
        return {
          Quotas: listed.slice(from, end),
          ...(end < listed.length ? { NextToken: String(end) } : {}),
        };
      },
    }),
  );
  return { ...emulator, grant: (name, value) => void granted.set(name, value) };
}
