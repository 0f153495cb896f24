import * as z from 'zod/mini';
import { once } from '../contract/envelope.ts';

// Zod would compile a parser for each schema it meets: more work than all that one cold function parses.
z.config({ jitless: true });

/** JSON, or what is no JSON, for the next schema to refuse. */
const parsed = (json: string): unknown => {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
};

const text = once(() => z.optional(z.string()));
/** Requests per rolling 60 seconds (specification, Limits 1). */
const perMinute = (usual: number) => () => z._default(z.coerce.number().check(z.int(), z.positive()), usual);

/**
 * Everything the environment tells a function, in one place. The CDK app gives each function the names it needs; the local
 * run gives the same names with local values. Each is read and checked when first asked for: a function pays for its own.
 */
const VARIABLES = {
  AWS_REGION: () => z._default(z.string(), 'us-east-1'),
  AWS_LAMBDA_FUNCTION_NAME: text,
  STAGE: () => z._default(z.string(), 'local'),
  TABLE_NAME: text,
  /** The one base address of the API, without a trailing slash. */
  PUBLIC_URL: text,
  /** Applications answer at `<slug>.<APPS_DOMAIN>`. */
  APPS_DOMAIN: text,
  RATE_LIMIT_SECRET: perMinute(120),
  RATE_LIMIT_PUBLIC: perMinute(30),
  RATE_LIMIT_ANONYMOUS: perMinute(30),
  RATE_LIMIT_LOGIN: perMinute(300),
  /** Who issues logins (OpenID Connect), and the client that ours are issued to. */
  LOGIN_ISSUER: text,
  LOGIN_CLIENT_ID: text,
  /** Shown by our own edge, whose word on the visitor's address is then believed. */
  ORIGIN_SECRET: text,
  SECRETS_KEY_ARN: text,
  BUILDS_BUCKET: text,
  BUILD_PROJECT_NAME: text,
  DEPLOYMENT_STATE_MACHINE_ARN: text,
  TEARDOWN_STATE_MACHINE_ARN: text,
  HOSTING_STATE_MACHINE_ARN: text,
  DATABASE_STATE_MACHINE_ARN: text,
  DOOR_STATE_MACHINE_ARN: text,
  /** Where the domains of applications are to lead, and the multi-tenant distribution that lets their visitors in. */
  DOOR_ADDRESS: text,
  DOOR_DISTRIBUTION_ID: text,
  DOOR_GROUP_ID: text,
  /** Who is asked for the proof of a domain, comma-separated; whom the system asks, if empty. */
  DNS_SERVERS: text,
  /** Where applications' databases are made. */
  DATABASE_REGION: text,
  APP_FUNCTION_PREFIX: text,
  /** ARN of an application's function up to and including the prefix of its name. */
  APP_FUNCTION_ARN_PREFIX: text,
  APP_FUNCTION_ROLE_ARN: text,
  APP_ADAPTER_LAYER_ARN: text,
  APP_ROUTES_ARN: text,
  /** What a dollar costs in rand, where operators have not set another rate (domain/ai/models.ts). */
  AI_RAND_PER_DOLLAR: () => z._default(z.coerce.number().check(z.positive()), 18),
  /** JSON, provider id → base URL: where providers are reached, if not where the registry says. */
  AI_PROVIDER_BASE_URLS: () =>
    z.pipe(z.pipe(z._default(z.string(), '{}'), z.transform(parsed)), z.record(z.string(), z.url())),
  /** Our own keys for the providers. */
  OPENAI_API_KEY: text,
  ANTHROPIC_API_KEY: text,
  GOOGLE_API_KEY: text,
  MISTRAL_API_KEY: text,
  GROQ_API_KEY: text,
  DEEPSEEK_API_KEY: text,
  XAI_API_KEY: text,
  OPENROUTER_API_KEY: text,
  TOGETHER_API_KEY: text,
  DELIVERY_QUEUE_URL: text,
  DOMAIN_STATE_MACHINE_ARN: text,
  MIRROR_QUEUE_URL: text,
  /** Where the card processor is, and our key for it: it signs its callbacks with the same. */
  PAYMENTS_BASE_URL: text,
  PAYMENTS_SECRET_KEY: text,
  /** `true` where webhooks may go to this machine itself: the local run. */
  ALLOW_LOCAL_WEBHOOKS: () => z._default(z.enum(['true', 'false']), 'false'),
  /** `true` where repositories may be on this machine itself: the local run. */
  ALLOW_LOCAL_REPOSITORIES: () => z._default(z.enum(['true', 'false']), 'false'),
  /** Seconds between attempts (specification, Delivery 2). */
  WEBHOOK_RETRY_SCHEDULE: () =>
    z.pipe(
      z._default(
        z.string().check(z.regex(/^ *\d+( *, *\d+)* *$/, 'must be seconds, separated by commas')),
        '60,300,1800,7200,43200',
      ),
      z.transform((list) => list.split(',').map(Number)),
    ),
} satisfies Record<string, () => z.ZodMiniType>;

type Config = { readonly [Name in keyof typeof VARIABLES]: z.output<ReturnType<(typeof VARIABLES)[Name]>> };

/** Reads a variable; throws an error that names it where its value cannot be. */
function read(name: keyof typeof VARIABLES, value = process.env[name]): unknown {
  const { success, data, error } = VARIABLES[name]().safeParse(value);
  if (success) return data;
  throw new Error(`environment variable ${name}: ${error.issues.map(({ message }) => message).join(', ')}`);
}

/** Throws, naming the variable, where no function could work with this value of it. Names that none reads are let pass. */
export function checkVariable(name: string, value: string): void {
  if (name in VARIABLES) read(name as keyof Config, value);
}

export const config = new Proxy({} as Config, {
  get(known, name) {
    if (!(name in known) && name in VARIABLES) {
      Object.defineProperty(known, name, { value: read(name as keyof Config) });
    }
    return Reflect.get(known, name);
  },
});

/** A variable that this function cannot work without. Throws at cold start, naming it. */
export function required<K extends keyof Config>(name: K): NonNullable<Config[K]> {
  const value = config[name];
  if (value === undefined || value === '') throw new Error(`environment variable ${name} is not set`);
  return value;
}

const endpoints = new Map<string, URL>();

/** Where an AWS service is reached: the override that all AWS SDKs know, else the region's public endpoint. */
export function endpointOf(service: string, region: string = config.AWS_REGION): URL {
  const name = service === 'route53domains' ? 'ROUTE_53_DOMAINS' : service.toUpperCase();
  const override = process.env[`AWS_ENDPOINT_URL_${name}`] ?? process.env.AWS_ENDPOINT_URL;
  const address = override ?? `https://${service}.${region}.amazonaws.com`;
  let found = endpoints.get(address);
  if (!found) {
    found = new URL(address);
    endpoints.set(address, found);
  }
  return found;
}

/** Credentials as Lambda (variables) or CodeBuild and ECS (the container's credential address) hand them out. */
export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
  /** Epoch milliseconds; absent for those that live as long as the process. */
  expiresAt?: number;
}

const ContainerCredentials = once(() =>
  z.object({
    AccessKeyId: z.string(),
    SecretAccessKey: z.string(),
    Token: z.string(),
    Expiration: z.string(),
  }),
);

/** Reads the credentials of this process; a caller keeps them until `expiresAt`. */
export async function readCredentials(): Promise<Credentials> {
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: token } = process.env;
  if (id && secret) return { accessKeyId: id, secretAccessKey: secret, ...(token ? { sessionToken: token } : {}) };
  const path = process.env.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI;
  if (!path) throw new Error('no AWS credentials in the environment');
  const answer = await fetch(`http://169.254.170.2${path}`);
  const found = ContainerCredentials().parse(await answer.json());
  return {
    accessKeyId: found.AccessKeyId,
    secretAccessKey: found.SecretAccessKey,
    sessionToken: found.Token,
    expiresAt: Date.parse(found.Expiration) - 300_000,
  };
}
