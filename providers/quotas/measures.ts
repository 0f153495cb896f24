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
// CloudFront's store takes SigV4A signatures only; the SDK finds the signer once it is imported.
import '@aws-sdk/signature-v4a';

/** Use of a quota by an account, and its limit, in the quota's own unit. */
export interface QuotaUse {
  used: number;
  limit: number;
}

/** A quota that grows with the platform, and how it is measured: by a few calls that cost next to nothing. */
export interface QuotaMeasure {
  quota: AwsLimitName;
  /** The region whose resources count; that of the service's API for a global one. */
  region: string;
  measure(): Promise<QuotaUse>;
}

/** The region of global services' APIs. */
const GLOBAL = 'us-east-1';
/** Lambda answers in bytes. */
const BYTES_PER_GIGABYTE = 1024 ** 3;

interface AccountClients {
  route53: Pick<Route53Client, 'send'>;
  dsql: DSQLClient;
  /** The region of databases. */
  databaseRegion: string;
  /** Calls an operation of Route 53 Domains. */
  registrar: <Output>(operation: string, input: object) => Promise<Output>;
  quotas: ServiceQuotas;
  /** Reads a document of SES, in the region that emails are sent from; undefined where SES sends none. */
  mail: { region: string; read: <Output>(path: string) => Promise<Output> } | undefined;
}

/** The limit of an account that may send any number of emails. */
const UNLIMITED = -1;

/** Emails of 24 hours, those with the codes of sign-ups included: without any left, no one can sign up. */
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

/** Returns the measures of the platform's own account. */
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

/** Concurrency of the account of another cell, in which nothing runs but applications, each within its reservation. */
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
 * Counts certificates: all of them, and those in use. CloudFront lists tenants by the hundred, ACM certificates by the thousand, and a
 * tenant that serves uses exactly one.
 */
async function countCertificates({ certificates }: Pick<CellClients, 'certificates'>) {
  const counted = { all: 0, inUse: 0 };
  for await (const { InUse } of listCertificates(certificates)) {
    counted.all += 1;
    if (InUse) counted.inUse += 1;
  }
  return counted;
}

/** Returns the measures of the account and region that a hosting cell is in. */
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
