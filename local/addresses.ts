import type { DataDirectory } from './data-directory.ts';
import { reusePort } from './processes/ports.ts';

export const REGION = 'af-south-1';
/** Builds run in another region than everything else, so that a call that omits the region is denied. */
export const BUILD_REGION = 'eu-west-1';
export const ACCOUNT = '000000000000';
export const DOMAIN = 'localhost';

/** The second hosting cell of a run with `CELLS=2`, in its own account (docs/decisions/0070-two-cells-locally.md). */
export const SECOND_CELL = { id: 'two', account: '000000000002', appsDomain: 'cell-two.localhost' };
export type LocalCell = typeof SECOND_CELL;

/** Credentials of the administrator, who may do everything. Tests, seeds and operators' tools use them. */
export const ADMINISTRATOR = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };

/** Services with their own ports. */
const PARTS = [
  // `iam` authorizes the requests to engines in other processes.
  'dynamodb',
  'queues',
  'iam',
  'kms',
  'hosts',
  'routes',
  'builds',
  'states',
  'ai',
  'registrar',
  'route53',
  'dns',
  'panel',
  'databases',
  'payments',
  'logs',
  'cloudfront',
  'sts',
  'secrets',
  'git',
  'metrics',
  'users',
  'mails',
  'quotas',
  'certificates',
] as const;
type Part = (typeof PARTS)[number];

export interface Addresses {
  /** The only public address. */
  baseUrl: string;
  ports: Readonly<Record<Part, number>>;
  urls: Readonly<Record<Part, string>>;
  /** Environment variables that point the platform's code and AWS clients at the local services. */
  environment: Record<string, string>;
  /** The subset for hosted applications: the service that decrypts their variables. */
  appEnvironment: Record<string, string>;
  /** The subset for builds. It has no credentials, because a build's role has no rights here. */
  buildEnvironment: Record<string, string>;
}

/**
 * Returns the addresses of all services. Reuses the ports of the previous run if they are free.
 * @param reserved ports of earlier runs that no service takes, because they will be opened later
 */
export async function resolveAddresses(
  directory: Pick<DataDirectory, 'ports'>,
  port: number,
  reserved: readonly number[],
): Promise<Addresses> {
  for (const each of reserved) await reusePort(each);
  const ports = await directory.ports(...PARTS);
  const entries = PARTS.map((part) => [part, `http://127.0.0.1:${ports[part]}`] as const);
  const urls = Object.fromEntries(entries) as Record<Part, string>;
  const region = { AWS_REGION: REGION, AWS_DEFAULT_REGION: REGION };
  return {
    baseUrl: `http://localhost:${port}`,
    ports,
    urls,
    appEnvironment: { ...region, AWS_ENDPOINT_URL_KMS: urls.kms },
    buildEnvironment: { AWS_REGION: BUILD_REGION, AWS_DEFAULT_REGION: BUILD_REGION },
    environment: {
      ...region,
      AWS_ENDPOINT_URL_DYNAMODB: urls.dynamodb,
      AWS_ENDPOINT_URL_DYNAMODB_STREAMS: urls.dynamodb,
      AWS_ENDPOINT_URL_SQS: urls.queues,
      AWS_ENDPOINT_URL_S3: urls.queues,
      AWS_ENDPOINT_URL_KMS: urls.kms,
      AWS_ENDPOINT_URL_STS: urls.sts,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: urls.secrets,
      AWS_ENDPOINT_URL_SERVICE_QUOTAS: urls.quotas,
      AWS_ENDPOINT_URL_LOGS: urls.logs,
      AWS_ENDPOINT_URL_CLOUDWATCH: urls.metrics,
      AWS_ENDPOINT_URL_LAMBDA: urls.hosts,
      // The SDK prepends the account to this host, so the host must be a name (emulators/localhost-names.ts).
      AWS_ENDPOINT_URL_CLOUDFRONT_KEYVALUESTORE: `http://localhost:${ports.routes}`,
      AWS_ENDPOINT_URL_CLOUDFRONT: urls.cloudfront,
      AWS_ENDPOINT_URL_ACM: urls.certificates,
      AWS_ENDPOINT_URL_CODEBUILD: urls.builds,
      AWS_ENDPOINT_URL_SFN: urls.states,
      AWS_ENDPOINT_URL_ROUTE_53: urls.route53,
      AWS_ENDPOINT_URL_ROUTE_53_DOMAINS: urls.registrar,
      AWS_ENDPOINT_URL_DSQL: urls.databases,
      AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER: urls.users,
      AWS_ENDPOINT_URL_SESV2: urls.mails,
      LOCAL_REPOSITORIES_URL: urls.git,
    },
  };
}
