import * as z from 'zod/mini';
import { parseJson } from '../contract/json.ts';
import { memoize } from '../contract/memoize.ts';

// Keeps zod from compiling a parser per schema, which costs more than all the parsing of a cold function.
z.config({ jitless: true });

const text = memoize(() => z.optional(z.string()));
/** Requests per rolling 60 seconds (specification, Limits 1). */
const perMinute = (fallback: number) => () => z._default(z.coerce.number().check(z.int(), z.positive()), fallback);

/**
 * The environment variables of functions. The CDK app sets those that a function needs; the local run sets the same variables to
 * local values. A variable is read and validated on first use, so that a function pays only for the variables that it uses.
 */
export const VARIABLES = {
  AWS_REGION: () => z._default(z.string(), 'us-east-1'),
  AWS_LAMBDA_FUNCTION_NAME: text,
  STAGE: () => z._default(z.string(), 'local'),
  TABLE_NAME: text,
  /** The API's base address, without a trailing slash. */
  PUBLIC_URL: text,
  /** Parent domain of applications' default addresses: `<slug>.<APPS_DOMAIN>`. */
  APPS_DOMAIN: text,
  RATE_LIMIT_SECRET: perMinute(120),
  RATE_LIMIT_PUBLIC: perMinute(30),
  RATE_LIMIT_ANONYMOUS: perMinute(30),
  RATE_LIMIT_LOGIN: perMinute(300),
  /** Issuer of logins (OpenID Connect), and the client id of the dashboard. */
  LOGIN_ISSUER: text,
  LOGIN_CLIENT_ID: text,
  /** The user pool of logins, for the deletion of users. */
  USER_POOL_ID: text,
  /**
   * Name of the secret that the edge sends, so that functions can trust its header with the visitor's address. Variables have
   * only the names of secrets, which are read from Secrets Manager at run time (aws/secret-values.ts).
   */
  ORIGIN_SECRET_NAME: text,
  SECRETS_KEY_ARN: text,
  BUILDS_BUCKET: text,
  /** The role whose sessions sign the requests of builds. */
  BUILD_ACCESS_ROLE_ARN: text,
  /** The role whose sessions sign links to exports of accounts. */
  EXPORT_ACCESS_ROLE_ARN: text,
  /** The CodeBuild project that runs the builder, and its region. */
  BUILD_PROJECT_NAME: text,
  BUILD_REGION: text,
  DEPLOYMENT_STATE_MACHINE_ARN: text,
  TEARDOWN_STATE_MACHINE_ARN: text,
  HOSTING_STATE_MACHINE_ARN: text,
  DATABASE_STATE_MACHINE_ARN: text,
  TENANT_STATE_MACHINE_ARN: text,
  /** The host name that custom domains must point to, and the multi-tenant distribution with its connection group. */
  EDGE_ENDPOINT: text,
  TENANT_DISTRIBUTION_ID: text,
  CONNECTION_GROUP_ID: text,
  /** Name servers that verify custom domains, comma-separated. Empty: the system's resolver. */
  DNS_SERVERS: () =>
    z.pipe(
      z._default(z.string(), ''),
      z.transform((list) => (list ? list.split(',') : [])),
    ),
  /** A name that the synthetic checks resolve, and the repository of the page that they deploy. */
  CHECKS_DNS_NAME: text,
  CHECKS_REPO_URL: text,
  /** The region in which applications' databases are created. */
  DATABASE_REGION: text,
  /** ARN of a database's cluster up to its id, and the role whose sessions sign the passwords of databases. */
  DATABASE_ARN_PREFIX: text,
  DATABASE_ACCESS_ROLE_ARN: text,
  APP_FUNCTION_PREFIX: text,
  /** ARN of an application's function up to and including the prefix of its name. */
  APP_FUNCTION_ARN_PREFIX: text,
  APP_FUNCTION_ROLE_ARN: text,
  APP_ADAPTER_LAYER_ARN: text,
  APP_ROUTES_ARN: text,
  /** Rand per dollar unless operators set another rate (domain/ai/models.ts). */
  AI_RAND_PER_DOLLAR: () => z._default(z.coerce.number().check(z.positive()), 18),
  /** JSON, provider id → base URL, which overrides the provider registry's. */
  AI_PROVIDER_BASE_URLS: () =>
    z.pipe(z.pipe(z._default(z.string(), '{}'), z.transform(parseJson)), z.record(z.string(), z.url())),
  /** Maximum number of concurrent AI calls of an account, if it is lower than the usual limit. */
  AI_CALLS_PER_ACCOUNT: () => z.optional(z.coerce.number().check(z.int(), z.positive())),
  /** Name of the secret with the platform's keys for the providers. */
  AI_KEYS_SECRET_NAME: text,
  DELIVERY_QUEUE_URL: text,
  /** The queue of deliveries to endpoints that have been slow for long. */
  SLOW_DELIVERY_QUEUE_URL: text,
  /** The queues of jobs outside the table. */
  ROUTE_QUEUE_URL: text,
  PAYMENT_QUEUE_URL: text,
  WORKFLOW_QUEUE_URL: text,
  /** The queue of emails; absent in an installation that sends none. */
  MAIL_QUEUE_URL: text,
  /** Sender of emails, and the region of its identity in SES. Empty: no emails are sent. */
  MAIL_FROM: text,
  MAIL_REGION: text,
  /** The queues in which failed work waits for operators. */
  DELIVERY_FAILURES_URL: text,
  DNS_FAILURES_URL: text,
  ROUTE_FAILURES_URL: text,
  PAYMENT_FAILURES_URL: text,
  WORKFLOW_FAILURES_URL: text,
  MAIL_FAILURES_URL: text,
  STREAM_FAILURES_URL: text,
  SCHEDULE_FAILURES_URL: text,
  DOMAIN_STATE_MACHINE_ARN: text,
  ZONE_SYNC_QUEUE_URL: text,
  /** Base URL of the payment provider, and the name of the platform's key, which also signs the provider's callbacks. */
  PAYMENTS_BASE_URL: text,
  PAYMENTS_SECRET_NAME: text,
  /** The company that issues the invoices, and its VAT number. */
  SELLER_NAME: text,
  SELLER_ADDRESS: text,
  SELLER_VAT_NUMBER: text,
  /** `true` allows webhooks to loopback addresses, as in the local run. */
  ALLOW_LOCAL_WEBHOOKS: () => z._default(z.enum(['true', 'false']), 'false'),
  /** `true` allows repositories on this machine, as in the local run. */
  ALLOW_LOCAL_REPOSITORIES: () => z._default(z.enum(['true', 'false']), 'false'),
  /** Base URL of the repositories at `https://git.localhost/`. Only in the local run. */
  LOCAL_REPOSITORIES_URL: text,
  /** Seconds between attempts (specification, Delivery 2). The queue rounds fractions up to whole seconds. */
  WEBHOOK_RETRY_SCHEDULE: () =>
    z.pipe(
      z._default(
        z.string().check(z.regex(/^ *\d+(\.\d+)?( *, *\d+(\.\d+)?)* *$/, 'must be seconds separated by commas')),
        '60,300,1800,7200,43200',
      ),
      z.transform((list) => list.split(',').map(Number)),
    ),
} satisfies Record<string, () => z.ZodMiniType>;

type Config = { readonly [Name in keyof typeof VARIABLES]: z.output<ReturnType<(typeof VARIABLES)[Name]>> };

/** Reads and validates a variable. Throws an error that names it if its value is invalid. */
function read(name: keyof typeof VARIABLES, value = process.env[name]): unknown {
  const { success, data, error } = VARIABLES[name]().safeParse(value);
  if (success) return data;
  throw new Error(`Environment variable ${name}: ${error.issues.map(({ message }) => message).join(', ')}`);
}

/** Throws an error that names the variable if the value is invalid. Ignores names that no function reads. */
export function checkVariable(name: string, value: string): void {
  if (Object.hasOwn(VARIABLES, name)) read(name as keyof Config, value);
}

export const config = new Proxy({} as Config, {
  get(known, name) {
    if (!Object.hasOwn(known, name) && Object.hasOwn(VARIABLES, name)) {
      Object.defineProperty(known, name, { value: read(name as keyof Config) });
    }
    return Reflect.get(known, name);
  },
});

/** Returns a variable that the function requires. Throws an error that names it at cold start if it is not set. */
export function required<K extends keyof Config>(name: K): NonNullable<Config[K]> {
  const value = config[name];
  if (value === undefined || value === '') throw new Error(`Environment variable ${name} is not set`);
  return value;
}

const endpoints = new Map<string, URL>();
/** Endpoint names of services for which the SDKs' variable is not the name in upper case. */
const ENDPOINT_VARIABLES: Record<string, string> = {
  'cognito-idp': 'COGNITO_IDENTITY_PROVIDER',
  email: 'SESV2',
  monitoring: 'CLOUDWATCH',
  route53domains: 'ROUTE_53_DOMAINS',
  secretsmanager: 'SECRETS_MANAGER',
  servicequotas: 'SERVICE_QUOTAS',
  'streams.dynamodb': 'DYNAMODB_STREAMS',
};

/** Returns an AWS service's endpoint: the override that all AWS SDKs read, otherwise the region's public endpoint. */
export function endpointFor(service: string, region: string = config.AWS_REGION): URL {
  const name = ENDPOINT_VARIABLES[service] ?? service.toUpperCase();
  const override = process.env[`AWS_ENDPOINT_URL_${name}`] ?? process.env.AWS_ENDPOINT_URL;
  const address = override ?? `https://${service}.${region}.amazonaws.com`;
  let found = endpoints.get(address);
  if (!found) {
    found = new URL(address);
    endpoints.set(address, found);
  }
  return found;
}

/** Credentials of a function's role. */
export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

let credentials: Credentials | undefined;

/** Makes this process sign with these credentials. For commands, whose credentials expire and may not be in the environment. */
export function setCredentials(other: Credentials): void {
  credentials = other;
}

/** Returns the credentials of this process. Those in a function's environment are valid for as long as it runs. */
export function readCredentials(): Credentials {
  if (credentials) return credentials;
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: token } = process.env;
  if (!id || !secret) throw new Error('The environment contains no AWS credentials');
  credentials = { accessKeyId: id, secretAccessKey: secret, ...(token ? { sessionToken: token } : {}) };
  return credentials;
}
