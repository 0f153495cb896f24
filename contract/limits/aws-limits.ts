const LAMBDA = 'https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html';
const CODEBUILD = 'https://docs.aws.amazon.com/codebuild/latest/userguide/limits.html';
const STATES = 'https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html';
const CODEBUILD_QUEUE = 'https://docs.aws.amazon.com/codebuild/latest/userguide/builds-working.html';
const DSQL = 'https://docs.aws.amazon.com/aurora-dsql/latest/userguide/CHAP_quotas.html';
const ROUTE53 = 'https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/DNSLimitations.html';
const ROUTE53_RATES = 'https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/throttling-api-requests.html';
const CLOUDFRONT = 'https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/cloudfront-limits.html';
const ACM = 'https://docs.aws.amazon.com/acm/latest/userguide/acm-limits.html';
const LOGS = 'https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/cloudwatch_limits_cwl.html';
const SES = 'https://docs.aws.amazon.com/ses/latest/dg/quotas.html';
const METRICS = 'https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_limits.html';

/** A limit of an AWS service. It applies to one account in one region, unless the service is global. */
export interface AwsLimit {
  /** The service's code in Service Quotas. */
  service: string;
  /** The name in Service Quotas, or a description if the limit is not listed there. */
  name: string;
  /** The default value for a new account. */
  value: number;
  unit: 'count' | 'bytes' | 'gigabytes' | 'characters' | 'requests per second';
  /** The code in Service Quotas. Absent if the quota has no code or AWS does not publish it; the quota is then found by its name. */
  quotaCode?: `L-${string}`;
  /** True if AWS raises the limit on request. */
  adjustable: boolean;
  /** The size of a rate limit's token bucket in requests, if it is larger than `value`. */
  burst?: number;
  /** The region in whose Service Quotas a global quota is listed. */
  quotaRegion?: string;
  source: string;
}

/**
 * The AWS limits that affect the platform. The emulators enforce them, the preflight compares them with the quotas of the account,
 * and the limits of the platform are derived from them (docs/decisions/0035-strict-emulators.md).
 */
export const AWS_LIMITS = {
  lambdaConcurrency: {
    service: 'lambda',
    name: 'Concurrent executions',
    value: 1000,
    unit: 'count',
    quotaCode: 'L-B99A9384',
    adjustable: true,
    source: LAMBDA,
  },
  /** Shared by all operations except Invoke, GetFunction and GetPolicy. */
  lambdaControlPlaneRate: {
    service: 'lambda',
    name: 'Rate of control plane API requests',
    value: 15,
    unit: 'requests per second',
    quotaCode: 'L-B2AA0F47',
    adjustable: false,
    source: LAMBDA,
  },
  lambdaGetFunctionRate: {
    service: 'lambda',
    name: 'Rate of GetFunction API requests',
    value: 100,
    unit: 'requests per second',
    quotaCode: 'L-37540937',
    adjustable: false,
    source: LAMBDA,
  },
  /** Counts the compressed size of every function and layer version. */
  lambdaCodeStorage: {
    service: 'lambda',
    name: 'Function and layer storage',
    value: 75,
    unit: 'gigabytes',
    quotaCode: 'L-2ACBD22F',
    adjustable: true,
    source: LAMBDA,
  },
  /** Counts a function together with its layers. */
  lambdaUnzippedBytes: {
    service: 'lambda',
    name: 'Deployment package size (unzipped)',
    value: 250 * 1024 ** 2,
    unit: 'bytes',
    quotaCode: 'L-E49FF7B8',
    adjustable: false,
    source: LAMBDA,
  },
  lambdaDirectUploadBytes: {
    service: 'lambda',
    name: 'Deployment package size (direct upload)',
    value: 50 * 1024 ** 2,
    unit: 'bytes',
    quotaCode: 'L-75F48B05',
    adjustable: false,
    source: LAMBDA,
  },
  /** Applies to the request and to the response. */
  lambdaPayloadBytes: {
    service: 'lambda',
    name: 'Synchronous payload',
    value: 6 * 1024 ** 2,
    unit: 'bytes',
    quotaCode: 'L-5C4B2C97',
    adjustable: false,
    source: LAMBDA,
  },
  lambdaEnvironmentBytes: {
    service: 'lambda',
    name: 'Environment variable size',
    value: 4096,
    unit: 'bytes',
    quotaCode: 'L-6581F036',
    adjustable: false,
    source: LAMBDA,
  },
  lambdaPolicyBytes: {
    service: 'lambda',
    name: 'Function resource-based policy',
    value: 20 * 1024,
    unit: 'bytes',
    quotaCode: 'L-07A00131',
    adjustable: false,
    source: LAMBDA,
  },
  lambdaLayers: {
    service: 'lambda',
    name: 'Function layers',
    value: 5,
    unit: 'count',
    quotaCode: 'L-01237738',
    adjustable: false,
    source: LAMBDA,
  },
  /** Builds on ARM with BUILD_GENERAL1_MEDIUM (lib/stacks/builder.ts). AWS does not publish the quota code. */
  codeBuildConcurrency: {
    service: 'codebuild',
    name: 'Concurrently running builds for ARM/Medium environment',
    value: 1,
    unit: 'count',
    adjustable: true,
    source: CODEBUILD,
  },
  /** Size of CodeBuild's queue per concurrent build. When it is full, StartBuild fails with AccountLimitExceededException. */
  codeBuildQueueFactor: {
    service: 'codebuild',
    name: 'Builds in the queue for each that may run',
    value: 5,
    unit: 'count',
    adjustable: false,
    source: CODEBUILD_QUEUE,
  },
  executionHistory: {
    service: 'states',
    name: 'Execution event history of a standard workflow',
    value: 25_000,
    unit: 'count',
    adjustable: false,
    source: STATES,
  },
  dsqlClusters: {
    service: 'dsql',
    name: 'Maximum single-Region clusters per AWS account',
    value: 20,
    unit: 'count',
    adjustable: true,
    source: DSQL,
  },
  route53Rate: {
    service: 'route53',
    name: 'Requests of the account',
    value: 10,
    burst: 50,
    unit: 'requests per second',
    adjustable: false,
    source: ROUTE53_RATES,
  },
  route53CreateZoneRate: {
    service: 'route53',
    name: 'CreateHostedZone requests',
    value: 2,
    burst: 40,
    unit: 'requests per second',
    adjustable: false,
    source: ROUTE53_RATES,
  },
  route53Zones: {
    service: 'route53',
    name: 'Hosted zones',
    value: 500,
    unit: 'count',
    quotaCode: 'L-4EA4796A',
    adjustable: true,
    quotaRegion: 'us-east-1',
    source: ROUTE53,
  },
  route53ZoneRecordSets: {
    service: 'route53',
    name: 'Records per hosted zone',
    value: 10_000,
    unit: 'count',
    quotaCode: 'L-E209CC9F',
    adjustable: true,
    quotaRegion: 'us-east-1',
    source: ROUTE53,
  },
  /** An UPSERT counts its values and their characters twice. */
  route53RequestValues: {
    service: 'route53',
    name: 'ResourceRecord elements of a request',
    value: 1000,
    unit: 'count',
    adjustable: false,
    source: ROUTE53,
  },
  route53RequestCharacters: {
    service: 'route53',
    name: 'Characters of all values of a request',
    value: 32_000,
    unit: 'characters',
    adjustable: false,
    source: ROUTE53,
  },
  route53SetValues: {
    service: 'route53',
    name: 'Values of a record set',
    value: 400,
    unit: 'count',
    adjustable: false,
    source: ROUTE53,
  },
  route53ValueCharacters: {
    service: 'route53',
    name: 'Characters of a value',
    value: 4000,
    unit: 'characters',
    adjustable: false,
    source: ROUTE53,
  },
  registeredDomains: {
    service: 'route53',
    name: 'Domain count limit',
    value: 20,
    unit: 'count',
    quotaCode: 'L-F767CB15',
    adjustable: true,
    quotaRegion: 'us-east-1',
    source: ROUTE53,
  },
  distributionTenants: {
    service: 'cloudfront',
    name: 'Maximum number of distribution tenants per AWS account',
    value: 10_000,
    unit: 'count',
    adjustable: true,
    quotaRegion: 'us-east-1',
    source: CLOUDFRONT,
  },
  /** In the region of CloudFront's certificates: one for each custom domain. Failed, expired and unused ones count for a week more. */
  certificates: {
    service: 'acm',
    name: 'ACM certificates',
    value: 2500,
    unit: 'count',
    quotaCode: 'L-F141DD1D',
    adjustable: true,
    quotaRegion: 'us-east-1',
    source: ACM,
  },
  acmDeleteRate: {
    service: 'acm',
    name: 'DeleteCertificate requests',
    value: 10,
    unit: 'requests per second',
    adjustable: false,
    quotaRegion: 'us-east-1',
    source: ACM,
  },
  keyValueStoreBytes: {
    service: 'cloudfront',
    name: 'Size of a key value store',
    value: 5 * 1024 ** 2,
    unit: 'bytes',
    adjustable: false,
    source: CLOUDFRONT,
  },
  keyValueStoreKeyBytes: {
    service: 'cloudfront',
    name: 'Size of a key',
    value: 512,
    unit: 'bytes',
    adjustable: false,
    source: CLOUDFRONT,
  },
  keyValueStoreValueBytes: {
    service: 'cloudfront',
    name: 'Size of a value',
    value: 1024,
    unit: 'bytes',
    adjustable: false,
    source: CLOUDFRONT,
  },
  keyValueStoreUpdateKeys: {
    service: 'cloudfront',
    name: 'Keys of one update',
    value: 50,
    unit: 'count',
    adjustable: false,
    source: CLOUDFRONT,
  },
  /** 10 in most regions; 5 in the others, such as eu-central-1. */
  logsFilterRate: {
    service: 'logs',
    name: 'FilterLogEvents throttle limit in transactions per second',
    value: 5,
    unit: 'requests per second',
    adjustable: false,
    source: LOGS,
  },
  logsRetentionRate: {
    service: 'logs',
    name: 'PutRetentionPolicy throttle limit in transactions per second',
    value: 5,
    unit: 'requests per second',
    adjustable: false,
    source: LOGS,
  },
  logsStartQueryRate: {
    service: 'logs',
    name: 'StartQuery throttle limit in transactions per second',
    value: 5,
    unit: 'requests per second',
    adjustable: false,
    source: LOGS,
  },
  logsQueryResultsRate: {
    service: 'logs',
    name: 'GetQueryResults throttle limit in transactions per second',
    value: 5,
    unit: 'requests per second',
    adjustable: false,
    source: LOGS,
  },
  /** One request reads the data points of several metrics. */
  metricDataRate: {
    service: 'monitoring',
    name: 'Rate of GetMetricData requests',
    value: 50,
    unit: 'requests per second',
    adjustable: true,
    source: METRICS,
  },
  /** In any 24 hours, for an account outside the sandbox; 200 inside it. */
  mailsOfDay: {
    service: 'ses',
    name: 'Sending quota',
    value: 50_000,
    unit: 'count',
    quotaCode: 'L-804C8AE8',
    adjustable: true,
    source: SES,
  },
  /** For an account outside the sandbox; one a second inside it. */
  mailRate: {
    service: 'ses',
    name: 'Sending rate',
    value: 14,
    unit: 'requests per second',
    adjustable: true,
    source: SES,
  },
  logsTagRate: {
    service: 'logs',
    name: 'TagResource throttle limit in transactions per second',
    value: 5,
    unit: 'requests per second',
    adjustable: false,
    source: LOGS,
  },
} as const satisfies Record<string, AwsLimit>;

export type AwsLimitName = keyof typeof AWS_LIMITS;

/** Returns a limit with its general type. */
export const awsLimit = (name: AwsLimitName): AwsLimit => AWS_LIMITS[name];
