import {
  type CloudFrontKeyValueStoreClient,
  DescribeKeyValueStoreCommand,
} from '@aws-sdk/client-cloudfront-keyvaluestore';
import { type DSQLClient, paginateListClusters } from '@aws-sdk/client-dsql';
import { GetAccountSettingsCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import { GetAccountLimitCommand, type Route53Client } from '@aws-sdk/client-route-53';
import { AWS_LIMITS, type AwsLimitName } from '../../contract/limits/aws-limits.ts';
import { type CertificateCalls, listCertificates } from '../edge/certificates.ts';
import type { ServiceQuotas } from './service-quotas.ts';
// CloudFront's store accepts only SigV4A signatures; importing the signer registers it with the SDK.
import '@aws-sdk/signature-v4a';

/** An account's usage of a quota, and its limit, in the quota's unit. */
export interface QuotaUse {
  used: number;
  limit: number;
}

/** A quota whose usage grows with the platform, and its measurement, which takes only a few inexpensive calls. */
export interface QuotaMeasure {
  quota: AwsLimitName;
  /** The region whose resources count; for a global service the region of its API. */
  region: string;
  measure(): Promise<QuotaUse>;
}

/** The region of global services' APIs. */
const GLOBAL = 'us-east-1';
/** Lambda reports bytes. */
const BYTES_PER_GIGABYTE = 1024 ** 3;

interface AccountClients {
  route53: Pick<Route53Client, 'send'>;
  dsql: DSQLClient;
  /** The region of databases. */
  databaseRegion: string;
  /** Calls an operation of Route 53 Domains. */
  registrar: <Output>(operation: string, input: object) => Promise<Output>;
  quotas: ServiceQuotas;
  /** Reads a resource of SES in the region from which emails are sent; undefined if SES sends no emails. */
  mail: { region: string; read: <Output>(path: string) => Promise<Output> } | undefined;
}

/** The limit of an account that may send any number of emails. */
const UNLIMITED = -1;

/** Emails in 24 hours, including the codes for sign-ups. Sign-ups fail once the quota is used up. */
const mailsOfDay = ({ region, read }: NonNullable<AccountClients['mail']>): QuotaMeasure => ({
  quota: 'mailsOfDay',
  region,
  async measure() {
    interface Account {
      SendQuota: { Max24HourSend: number; SentLast24Hours: number };
    }
    const { Max24HourSend, SentLast24Hours } = (await read<Account>('/v2/email/account')).SendQuota;
    return {
      used: SentLast24Hours,
      limit: Max24HourSend === UNLIMITED ? Number.MAX_SAFE_INTEGER : Max24HourSend,
    };
  },
});

/** Returns the measures of the platform's AWS account. */
export const accountMeasures = (clients: AccountClients): QuotaMeasure[] => [
  {
    quota: 'route53Zones',
    region: GLOBAL,
    // https://docs.aws.amazon.com/Route53/latest/APIReference/API_GetAccountLimit.html
    async measure() {
      const { Limit, Count } = await clients.route53.send(
        new GetAccountLimitCommand({ Type: 'MAX_HOSTED_ZONES_BY_OWNER' }),
      );
      return { used: Count ?? 0, limit: Limit?.Value ?? AWS_LIMITS.route53Zones.value };
    },
  },
  {
    quota: 'registeredDomains',
    region: GLOBAL,
    async measure() {
      let used = 0;
      let Marker: string | undefined;
      do {
        const page = await clients.registrar<{ Domains?: unknown[]; NextPageMarker?: string }>('ListDomains', {
          MaxItems: 100,
          Marker,
        });
        used += page.Domains?.length ?? 0;
        Marker = page.NextPageMarker;
      } while (Marker !== undefined);
      return { used, limit: await clients.quotas.limitOf('registeredDomains', GLOBAL) };
    },
  },
  {
    quota: 'dsqlClusters',
    region: clients.databaseRegion,
    async measure() {
      let used = 0;
      for await (const { clusters = [] } of paginateListClusters({ client: clients.dsql, pageSize: 100 }, {}))
        used += clusters.length;
      return { used, limit: await clients.quotas.limitOf('dsqlClusters', clients.databaseRegion) };
    },
  },
  ...(clients.mail ? [mailsOfDay(clients.mail)] : []),
];

interface CellClients {
  lambda: Pick<LambdaClient, 'send'>;
  region: string;
  store: Pick<CloudFrontKeyValueStoreClient, 'send'>;
  certificates: CertificateCalls;
  quotas: ServiceQuotas;
  /** The ARN of the store of host names. */
  storeArn: string;
  /** True for the platform's own account, whose concurrency has an alarm on Lambda's own metric (lib/stacks/measured-alarms.ts). */
  isHome: boolean;
}

/** Reserved concurrency in the AWS account of another cell, in which only applications run, each within its reservation. */
const reservedConcurrency = ({ lambda, region }: Pick<CellClients, 'lambda' | 'region'>): QuotaMeasure => ({
  quota: 'lambdaConcurrency',
  region,
  async measure() {
    const { AccountLimit } = await lambda.send(new GetAccountSettingsCommand({}));
    const { ConcurrentExecutions: limit = AWS_LIMITS.lambdaConcurrency.value } = AccountLimit ?? {};
    return { used: limit - (AccountLimit?.UnreservedConcurrentExecutions ?? limit), limit };
  },
});

/**
 * Counts all certificates and those in use. The latter also counts tenants, because each active tenant uses exactly one certificate, and ACM
 * lists a thousand certificates in a page while CloudFront lists a hundred tenants.
 */
async function countCertificates({ certificates }: Pick<CellClients, 'certificates'>) {
  const counted = { all: 0, inUse: 0 };
  for await (const { InUse } of listCertificates(certificates)) {
    counted.all += 1;
    if (InUse) counted.inUse += 1;
  }
  return counted;
}

/** Returns the measures of a hosting cell's AWS account and region. */
export const cellMeasures = ({ lambda, region, store, storeArn, isHome, ...clients }: CellClients): QuotaMeasure[] => [
  ...(isHome ? [] : [reservedConcurrency({ lambda, region })]),
  {
    quota: 'certificates',
    region: GLOBAL,
    async measure() {
      const { all } = await countCertificates(clients);
      return { used: all, limit: await clients.quotas.limitOf('certificates', GLOBAL) };
    },
  },
  {
    quota: 'distributionTenants',
    region: GLOBAL,
    async measure() {
      const { inUse } = await countCertificates(clients);
      return { used: inUse, limit: await clients.quotas.limitOf('distributionTenants', GLOBAL) };
    },
  },
  {
    quota: 'lambdaCodeStorage',
    region,
    async measure() {
      const { AccountLimit, AccountUsage } = await lambda.send(new GetAccountSettingsCommand({}));
      const { value } = AWS_LIMITS.lambdaCodeStorage;
      const limit = AccountLimit?.TotalCodeSize;
      return {
        used: (AccountUsage?.TotalCodeSize ?? 0) / BYTES_PER_GIGABYTE,
        limit: limit === undefined ? value : limit / BYTES_PER_GIGABYTE,
      };
    },
  },
  {
    quota: 'keyValueStoreBytes',
    region: GLOBAL,
    async measure() {
      const { TotalSizeInBytes = 0 } = await store.send(new DescribeKeyValueStoreCommand({ KvsARN: storeArn }));
      return { used: TotalSizeInBytes, limit: AWS_LIMITS.keyValueStoreBytes.value };
    },
  },
];
