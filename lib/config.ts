import * as z from 'zod';

const hostName = z
  .string()
  .regex(/^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/);
const perMinute = z.coerce.number().int().positive();

/** Everything that may differ from one installation to the next: `-c name=value` on cdk's command line, or cdk.json. */
export const Settings = z.object({
  /** Which installation this is; part of every name. `local` and `dev` are thrown away with their data, others are protected. */
  stage: z
    .string()
    .regex(/^[a-z][a-z0-9]{1,11}$/, 'a stage is 2 to 12 lower-case letters and digits')
    .default('dev'),
  /** The platform's own name: the API answers at `https://<domain>`, applications at `<slug>.apps.<domain>`. */
  domain: hostName.default('example.com'),
  /** Where everything but the certificates lives. */
  region: z.string().default('af-south-1'),
  /** The account; without it the templates fit any account (and synthesizing needs no credentials). */
  account: z
    .string()
    .regex(/^\d{12}$/)
    .optional(),
  /**
   * The Route 53 zone of `domain`. With it certificates are issued and names point at the distributions; without it the
   * platform is reached by the distributions' own names.
   */
  hostedZoneId: z.string().optional(),
  /** Who hears of alarms; the address confirms the subscription once. */
  alarmEmail: z.email().optional(),
  /** Requests per rolling 60 seconds: of a secret key, of a public key, of an address without a valid key. */
  rateLimitSecret: perMinute.default(120),
  rateLimitPublic: perMinute.default(30),
  rateLimitAnonymous: perMinute.default(30),
  /** Requests per rolling 60 seconds of somebody who is logged in to the dashboard. */
  rateLimitLogin: perMinute.default(300),
  /** People sign in at `https://<loginPrefix>.auth.<region>.amazoncognito.com`: one of a kind in the region. */
  loginPrefix: z
    .string()
    .regex(/^(?!.*(aws|amazon|cognito))[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/)
    .optional(),
  /** Seconds from each failed attempt at a webhook delivery to the next, comma-separated: one fewer than attempts. */
  webhookRetrySchedule: z
    .string()
    .regex(/^\d+(,\d+)*$/)
    .default('60,300,1800,7200,43200'),
  /** Invocations at once that send webhooks, each up to ten attempts: what is left of the account's concurrency is for others. */
  deliveryConcurrency: z.coerce.number().int().min(2).max(1000).optional(),
  /** Host keys of Git hosts that applications may be cloned from over SSH, as lines of known_hosts; the big hosts' are built in. */
  gitKnownHosts: z.string().max(10_000).default(''),
  /** The whole API's ceiling, requests per second sustained and at once: a runaway's bill, not a caller's limit. */
  apiRequestsPerSecond: z.coerce.number().int().positive().default(500),
  apiBurst: z.coerce.number().int().positive().default(1000),
  /** Where applications' databases are: Aurora DSQL is not everywhere. */
  databaseRegion: z.string().default('eu-west-1'),
  /** What a dollar costs in rand: AI models are listed in dollars. Operators can set another without a deployment. */
  aiRandPerDollar: z.coerce.number().positive().default(18),
  /** Any text; with a new one a deployment reads the keys for AI providers anew. */
  aiKeysVersion: z.string().max(40).default('1'),
  /** The same for the key of the card processor. */
  paymentsKeyVersion: z.string().max(40).default('1'),
  /** Version of the Lambda Web Adapter layer (arm64), which lets an application that listens on a port run on Lambda. */
  adapterLayerVersion: z.coerce.number().int().positive().default(25),
});

export type SettingsInput = z.input<typeof Settings>;

/** The settings and what follows from them. */
export interface Config extends z.output<typeof Settings> {
  /** Starts every physical name: `hosting-<stage>`. */
  prefix: string;
  /** Applications answer at `<slug>.<appsDomain>`. */
  appsDomain: string;
  /** The base address, without a trailing slash. */
  publicUrl: string;
  deliveryConcurrency: number;
  loginPrefix: string;
  /** Whether webhooks may go to the machine that sends them: only where that is somebody's own. */
  allowLocalWebhooks: boolean;
  /** Whether repositories may be on the machine that builds: likewise. */
  allowLocalRepositories: boolean;
  /** Whether the stage's data outlives its stacks. */
  keepsData: boolean;
}

/** Parses settings; throws an error that names each one that is wrong. */
export function configure(input: SettingsInput): Config {
  const { data: settings, error } = Settings.safeParse(input);
  if (error) throw new Error(`These settings cannot be:\n${z.prettifyError(error)}`);
  const prefix = `hosting-${settings.stage}`;
  return {
    ...settings,
    prefix,
    appsDomain: `apps.${settings.domain}`,
    publicUrl: `https://${settings.domain}`,
    loginPrefix:
      settings.loginPrefix ?? `${prefix}-${settings.domain.replaceAll('.', '-')}`.slice(0, 63).replace(/-+$/, ''),
    // One machine runs each invocation as a thread.
    deliveryConcurrency: settings.deliveryConcurrency ?? (settings.stage === 'local' ? 32 : 200),
    allowLocalWebhooks: settings.stage === 'local',
    allowLocalRepositories: settings.stage === 'local',
    keepsData: !['local', 'dev'].includes(settings.stage),
  };
}
