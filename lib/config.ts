import * as z from 'zod';
import { isHostName } from '../contract/host-names/host-names.ts';
import { parseJson } from '../contract/json.ts';
import { findCellProblems } from './cells.ts';
import { shareOf } from './concurrency.ts';
import { derivedLoginPrefix, findNameProblems, loginPrefix, prefixOf } from './derived-names.ts';
import { findDomainProblems } from './domain-settings.ts';
import { ARM_REGIONS, COGNITO_MAIL_REGIONS, DSQL_REGIONS } from './regions.ts';

/** The local run uses `localhost`. */
const hostName = z
  .string()
  .refine((name) => name === 'localhost' || isHostName(name), 'must be a domain name, e.g. hosting.example');
const regionName = z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'must be an AWS region, e.g. eu-west-1');
const perMinute = z.coerce.number().int().positive();

/** A hosting cell outside the platform's own account and region (docs/deploying.md, Hosting cells). */
const cellSettings = z.object({
  id: z.string().regex(/^[a-z][a-z0-9]{0,7}$/, 'a cell’s id is up to 8 lower-case letters and digits'),
  account: z.string().regex(/^\d{12}$/),
  /** Default: the platform's region. */
  region: regionName.optional(),
  /** The cell's applications have the addresses `<slug>.<appsDomain>`. */
  appsDomain: hostName,
  /** The Route 53 hosted zone of that domain, in the cell's account. */
  hostedZoneId: z.string().optional(),
});
export type CellSettings = z.output<typeof cellSettings>;

/** Settings that may differ between installations, given by `-c name=value` on cdk's command line or in cdk.json. */
export const Settings = z.object({
  /**
   * The installation's name, part of every resource name. `local` and `dev` are deleted with their data; other stages
   * are protected.
   */
  stage: z
    .string()
    .regex(/^[a-z][a-z0-9]{1,11}$/, 'a stage is 2 to 12 lower-case letters and digits')
    .default('dev'),
  /** The platform's domain: the API is at `https://<domain>`. Required for stages other than `dev` and `local`. */
  domain: hostName.default('example.com'),
  /**
   * The domain of applications, which have the addresses `<slug>.<appsDomain>`. It must be a separately registered domain. The stages `dev`
   * and `local` may leave it out and use `apps.<domain>`.
   */
  appsDomain: hostName.optional(),
  /** The AWS region of all resources but those of the edge, which CloudFront requires in us-east-1. */
  region: regionName.default('af-south-1'),
  /** The AWS account. Without it the templates fit any account, and synthesis needs no credentials. */
  account: z
    .string()
    .regex(/^\d{12}$/)
    .optional(),
  /**
   * The Route 53 hosted zone of `domain`, for its certificates and its DNS records, which point to the distributions. The stages `dev` and
   * `local` may leave it out. The API is then available at the distributions' own names, with API keys. Users cannot sign in, because links
   * and sign-in pages use `domain`.
   */
  hostedZoneId: z.string().optional(),
  /** The Route 53 hosted zone of `appsDomain`. Default: `hostedZoneId`, for a domain below `domain`. */
  appsHostedZoneId: z.string().optional(),
  /**
   * Hosting cells in addition to the home cell: other accounts or regions in which applications run, as JSON. A cell must stay in the list
   * as long as it has applications.
   */
  cells: z
    .preprocess((given) => (typeof given === 'string' ? parseJson(given) : given), z.array(cellSettings))
    .default([]),
  /**
   * The name of a restored table that replaces the table created by the stacks, and the ARN of its stream (docs/runbook.md#restore). Without
   * them, the platform uses the table created by the stacks.
   */
  table: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{3,255}$/)
    .optional(),
  tableStream: z
    .string()
    .regex(/^arn:aws:dynamodb:[^:]+:\d{12}:table\/[^/]+\/stream\/.+$/)
    .optional(),
  /**
   * A region to which a backup of the table is copied every day, in case `region` is lost (docs/runbook.md#loss-of-a-region). Without it,
   * there is no copy outside of the region.
   */
  backupRegion: regionName.optional(),
  /** Email address that receives alarms. AWS sends it a request to confirm the subscription. */
  alarmEmail: z.email().optional(),
  /** Email address for alarms that need an immediate response, such as that of a paging service. Default: `alarmEmail`. */
  pageEmail: z.email().optional(),
  /**
   * `full` adds the synthetic checks and the alarms on service levels, which detect problems that users notice, to the alarms on symptoms.
   * They triple the cost of an idle installation (docs/costs.md). Default: `full` for stages whose data is protected, otherwise `basic`.
   */
  monitoring: z.enum(['basic', 'full']).optional(),
  /**
   * `on` shifts the functions that handle requests and messages to a new version with a canary: a tenth of the invocations for five minutes,
   * with a rollback if an alarm on a service level goes off. It therefore needs `monitoring` `full`. Default: `on` with `full` monitoring.
   * Use `off` for a release that fixes an outage, because the outage's alarms would roll it back, and to replace the table
   * (docs/runbook.md).
   */
  canary: z.enum(['on', 'off']).optional(),
  /**
   * A public Git repository of an application that answers every request to `/` with 200, such as a copy of `examples/hello-node`. The
   * synthetic checks deploy it and deliver webhooks to it. Without it, they check neither.
   */
  checksRepoUrl: z.url().optional(),
  /** Monthly budget of the AWS account in US dollars. Alarms are sent at 80%, and if the forecast exceeds the budget. */
  monthlyBudget: z.coerce.number().positive().default(200),
  /**
   * Lambda's concurrency quota of the account in this region. Below 500, nothing is reserved for the platform's own functions, because AWS
   * keeps 100 for functions without a reservation.
   */
  lambdaConcurrency: z.coerce.number().int().positive().default(1000),
  /**
   * The capacity for calls to AI models. `on-demand`: each open call occupies an execution environment of Lambda. `managed`: calls run on
   * instances that Lambda manages. Three instances always run, each with hundreds of open calls, which is cheaper from about twelve open calls
   * on average (docs/costs.md).
   */
  aiCapacity: z.enum(['on-demand', 'managed']).default('on-demand'),
  /**
   * Sender of sign-up and password emails: an address of a domain that is verified in SES, or `cognito` for Cognito's own sender, which is
   * limited to 50 emails a day. Default: `no-reply@<domain>` with a hosted zone, otherwise `cognito`.
   */
  mailFrom: z.union([z.email(), z.literal('cognito')]).optional(),
  /** The region of the SES identity of `mailFrom`. Default: `region`. */
  mailRegion: regionName.optional(),
  /** Requests per rolling 60 seconds: per secret key, per public key, and per address without a valid key. */
  rateLimitSecret: perMinute.default(120),
  rateLimitPublic: perMinute.default(30),
  rateLimitAnonymous: perMinute.default(30),
  /** Requests per rolling 60 seconds of a user who is signed in to the dashboard. */
  rateLimitLogin: perMinute.default(300),
  /** Requests of one client address per 60 seconds, at the edge. */
  rateLimitAddress: z.coerce.number().int().min(10).default(3000),
  /**
   * Host prefix of the sign-in pages, `https://<loginPrefix>.auth.<region>.amazoncognito.com`. Unique within the
   * region.
   */
  loginPrefix: loginPrefix.optional(),
  /**
   * Seconds between a failed attempt of a webhook delivery and the next attempt, comma-separated. The number of attempts is one more than the
   * number of delays.
   */
  webhookRetrySchedule: z
    .string()
    .regex(/^\d+(,\d+)*$/)
    .default('60,300,1800,7200,43200'),
  /**
   * Maximum concurrent attempts of webhook deliveries, a quarter of them to endpoints that have been slow for long. The remaining concurrency
   * of the account stays available to other functions.
   */
  deliveryConcurrency: z.coerce.number().int().min(4).max(1000).optional(),
  /**
   * Additional SSH host keys of Git hosts, as lines of known_hosts. The keys of GitHub, GitLab and Bitbucket are built
   * in.
   */
  gitKnownHosts: z.string().max(10_000).default(''),
  /**
   * Limit of the whole API in requests per second, sustained and burst. It is not a limit per caller, but limits the cost of a runaway client.
   */
  apiRequestsPerSecond: z.coerce.number().int().positive().default(500),
  apiBurst: z.coerce.number().int().positive().default(1000),
  /** Region of applications' databases. Default: `region` if AWS documents Aurora DSQL there, otherwise eu-west-1. */
  databaseRegion: regionName.optional(),
  /**
   * Region of builds, in which CodeBuild must have ARM containers. Default: `region` if AWS documents them there, otherwise eu-west-1. The files
   * that a build reads and writes stay in `region`.
   */
  buildRegion: regionName.optional(),
  /** The company that issues the invoices: its name, its address in one line, and its VAT number if it has one. */
  sellerName: z.string().min(1).max(200).default('Hosting Platform'),
  sellerAddress: z.string().max(500).default(''),
  sellerVatNumber: z
    .string()
    .regex(/^(\d{10})?$/, 'a South African VAT number has ten digits')
    .default(''),
  /** Public HTTPS URL of a repository that the dashboard offers to new users as their first deployment. Empty: none. */
  exampleRepository: z.union([z.literal(''), z.url({ protocol: /^https$/ })]).default(''),
  /** Rand per US dollar. AI models are priced in dollars. Operators can change the rate without a deployment. */
  aiRandPerDollar: z.coerce.number().positive().default(18),
  /** The version (id) of the origin secret that the edge sends. Default: the secret's current version. */
  originSecretVersion: z
    .string()
    .regex(/^[A-Za-z0-9-]{32,64}$/)
    .optional(),
  /** Version of the Lambda Web Adapter layer (arm64), which runs an application that listens on a port on Lambda. */
  adapterLayerVersion: z.coerce.number().int().positive().default(25),
});

/** Returns true for a stage whose data and stacks are protected from deletion. */
export const isProtectedStage = (stage: string): boolean => !['local', 'dev', ''].includes(stage);

export type SettingsInput = z.input<typeof Settings>;

/** The settings and the values derived from them. */
export interface Config extends Omit<z.output<typeof Settings>, 'mailFrom' | 'monitoring' | 'canary'> {
  monitoring: 'basic' | 'full';
  canary: 'on' | 'off';
  buildRegion: string;
  databaseRegion: string;
  /** Prefix of every physical name: `hosting-<stage>`. */
  prefix: string;
  /** Parent domain of applications' default addresses: `<slug>.<appsDomain>`. */
  appsDomain: string;
  /** The API's base address, without a trailing slash. */
  publicUrl: string;
  deliveryConcurrency: number;
  /** Sender of emails through SES; undefined for Cognito's own sender. */
  mailFrom: string | undefined;
  mailRegion: string;
  loginPrefix: string;
  /** Allows webhooks to loopback addresses. True only in the local run. */
  allowLocalWebhooks: boolean;
  /** Allows repositories on the building machine. True only in the local run. */
  allowLocalRepositories: boolean;
  /** Retains the stage's data when its stacks are deleted. */
  keepsData: boolean;
}

/** Parses settings and derives the configuration. Throws an error that names each invalid setting. */
export function configure(input: SettingsInput): Config {
  const { data: settings, error } = Settings.safeParse(input);
  if (error) throw new Error(`Invalid settings:\n${z.prettifyError(error)}`);
  const appsDomain = settings.appsDomain ?? `apps.${settings.domain}`;
  const problems = [
    ...findDomainProblems({ ...settings, domain: input.domain }),
    ...findCellProblems({ ...settings, appsDomain }),
    ...findNameProblems(settings),
    ...findConflicts(settings),
  ];
  if (problems.length > 0) throw new Error(`Invalid settings:\n${problems.join('\n')}`);
  const isLocal = settings.stage === 'local';
  const monitoring = monitoringOf(settings);
  return {
    ...settings,
    prefix: prefixOf(settings.stage),
    appsDomain,
    appsHostedZoneId: settings.appsHostedZoneId ?? settings.hostedZoneId,
    buildRegion: settings.buildRegion ?? (ARM_REGIONS.includes(settings.region) ? settings.region : 'eu-west-1'),
    databaseRegion: settings.databaseRegion ?? (DSQL_REGIONS.includes(settings.region) ? settings.region : 'eu-west-1'),
    mailFrom: senderOf(settings),
    mailRegion: settings.mailRegion ?? settings.region,
    publicUrl: `https://${settings.domain}`,
    checksRepoUrl: settings.checksRepoUrl ?? (isLocal ? 'https://git.localhost/hello-node.git' : undefined),
    monitoring,
    canary: settings.canary ?? (monitoring === 'full' ? 'on' : 'off'),
    loginPrefix: settings.loginPrefix ?? derivedLoginPrefix(settings),
    // In the local run each invocation is a thread of one machine.
    deliveryConcurrency:
      settings.deliveryConcurrency ??
      (isLocal ? 40 : Math.max(4, shareOf(settings.lambdaConcurrency, 'queue/deliverWebhook'))),
    allowLocalWebhooks: isLocal,
    allowLocalRepositories: isLocal,
    keepsData: isProtectedStage(settings.stage),
  };
}

const monitoringOf = ({ monitoring, stage }: z.output<typeof Settings>) =>
  monitoring ?? (isProtectedStage(stage) ? 'full' : 'basic');

/** Returns the conflicts between settings, each naming the setting to change. */
function findConflicts(settings: z.output<typeof Settings>): string[] {
  const { table = '', tableStream, backupRegion, region, mailRegion = region, canary } = settings;
  const problems: string[] = [];
  if ((tableStream?.split('/')[1] ?? '') !== table)
    problems.push('table, tableStream: give the name of a table and the ARN of its own stream together');
  if (backupRegion === region) problems.push('backupRegion: give another region than that of the table');
  if (senderOf(settings) !== undefined && ![region, ...COGNITO_MAIL_REGIONS].includes(mailRegion))
    problems.push(`mailRegion: Cognito takes identities of ${region}, ${COGNITO_MAIL_REGIONS.join(', ')} only`);
  if (canary === 'on' && monitoringOf(settings) === 'basic')
    problems.push('canary: "on" needs monitoring=full, whose alarms undo a bad release');
  return problems;
}

function senderOf({ mailFrom, hostedZoneId, domain }: z.output<typeof Settings>): string | undefined {
  if (mailFrom) return mailFrom === 'cognito' ? undefined : mailFrom;
  return hostedZoneId ? `no-reply@${domain}` : undefined;
}
