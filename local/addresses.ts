import type { DataDirectory } from './data-directory.ts';

export const REGION = 'af-south-1';
export const ACCOUNT = '000000000000';
export const DOMAIN = 'localhost';

/** Who listens on a port of their own. */
const PARTS = [
  ...(['dynamodb', 'queues', 'kms', 'hosts', 'routes', 'builds', 'states'] as const),
  ...(['ai', 'registrar', 'route53', 'dns', 'panel', 'databases', 'payments', 'logs', 'cloudfront'] as const),
];
type Part = (typeof PARTS)[number];

export interface Addresses {
  /** The one public address. */
  baseUrl: string;
  ports: Readonly<Record<Part, number>>;
  urls: Readonly<Record<Part, string>>;
  /** What leads the shipped code, and AWS's own clients, to the parts. */
  environment: Record<string, string>;
}

/** Where everything listens; the same as in the last run where that is still free. */
export async function addressesOf(directory: DataDirectory, port: number): Promise<Addresses> {
  const ports = await directory.ports(...PARTS);
  const named = PARTS.map((part) => [part, `http://127.0.0.1:${ports[part]}`] as const);
  const urls = Object.fromEntries(named) as Record<Part, string>;
  return {
    baseUrl: `http://localhost:${port}`,
    ports,
    urls,
    environment: {
      AWS_REGION: REGION,
      AWS_DEFAULT_REGION: REGION,
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_ENDPOINT_URL_DYNAMODB: urls.dynamodb,
      AWS_ENDPOINT_URL_SQS: urls.queues,
      AWS_ENDPOINT_URL_S3: urls.queues,
      AWS_ENDPOINT_URL_KMS: urls.kms,
      AWS_ENDPOINT_URL_LOGS: urls.logs,
      AWS_ENDPOINT_URL_LAMBDA: urls.hosts,
      // The SDK puts the account before this host, which must therefore be a name (stand-ins/localhost-names.ts).
      AWS_ENDPOINT_URL_CLOUDFRONT_KEYVALUESTORE: `http://localhost:${ports.routes}`,
      AWS_ENDPOINT_URL_CLOUDFRONT: urls.cloudfront,
      AWS_ENDPOINT_URL_CODEBUILD: urls.builds,
      AWS_ENDPOINT_URL_SFN: urls.states,
      AWS_ENDPOINT_URL_ROUTE_53: urls.route53,
      AWS_ENDPOINT_URL_ROUTE_53_DOMAINS: urls.registrar,
      AWS_ENDPOINT_URL_DSQL: urls.databases,
    },
  };
}
