/**
 * The monthly cost of an installation without traffic, from its templates. Prices are Amazon's list prices in us-east-1,
 * November 2026, without free allowances; af-south-1 costs about a fifth more (https://aws.amazon.com/pricing).
 */

/** A resource of a template. */
interface PricedResource {
  type: string;
  properties: Record<string, unknown>;
}

/** One line of the table. */
interface CostLine {
  what: string;
  count: number;
  /** US dollars for each in a month. */
  price: number;
  dollars: number;
}

const RUNS_PER_MONTH = 60 * 730;
/** Billed duration of a scheduled job that finds nothing to do, in seconds, and the bytes that it logs: at most 600 of its own, and Lambda's lines. */
const IDLE_RUN = { seconds: 0.15, logBytes: 1500 };
const LAMBDA = { perRequest: 0.2e-6, perGbSecond: 0.0000133334 };
const LOGS_PER_GB = 0.5;
const SCHEDULER_PER_RUN = 1e-6;
/** Lambda polls a queue with five connections, 20 seconds each (docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html). */
const POLLS_PER_MONTH = 5 * 3 * RUNS_PER_MONTH;
const SQS_PER_REQUEST = 0.4e-6;
/** Queries of the due index by the jobs of one minute: one for each of about twenty queues. */
const DUE_QUERIES = 20;
const DYNAMODB_PER_READ = 0.125e-6;

const metricsOf = ({ Metrics }: Record<string, unknown>): number =>
  Array.isArray(Metrics) ? Metrics.filter((each) => 'MetricStat' in each).length : 1;

interface Price {
  what: string;
  dollars: number;
  count?: (properties: Record<string, unknown>) => number;
}

/** Monthly prices of resources that cost without traffic. */
const PRICES: Record<string, Price> = {
  'AWS::CloudWatch::Alarm': { what: 'metrics of alarms', dollars: 0.1, count: metricsOf },
  'AWS::CloudWatch::CompositeAlarm': { what: 'combined alarms', dollars: 0.5 },
  'AWS::CloudWatch::Dashboard': { what: 'CloudWatch dashboard', dollars: 3 },
  'AWS::KMS::Key': { what: 'encryption key', dollars: 1 },
  'AWS::SecretsManager::Secret': { what: 'secrets', dollars: 0.4 },
  // $5, and $1 for its rule.
  'AWS::WAFv2::WebACL': {
    what: 'web ACL and its rules',
    dollars: 1,
    count: ({ Rules }) => 5 + (Array.isArray(Rules) ? Rules.length : 0),
  },
  'AWS::Scheduler::Schedule': {
    what: 'scheduled jobs, every minute',
    // The synthetic checks have lines of their own.
    count: ({ Name }) => (String(Name).endsWith('runChecks') ? 0 : 1),
    dollars:
      RUNS_PER_MONTH *
      (SCHEDULER_PER_RUN +
        LAMBDA.perRequest +
        IDLE_RUN.seconds * LAMBDA.perGbSecond +
        (IDLE_RUN.logBytes / 1e9) * LOGS_PER_GB),
  },
  'AWS::DynamoDB::GlobalTable': {
    what: 'table: queries of the due index',
    dollars: RUNS_PER_MONTH * DUE_QUERIES * DYNAMODB_PER_READ,
  },
  'AWS::Lambda::EventSourceMapping': {
    what: 'polling of queues',
    dollars: POLLS_PER_MONTH * SQS_PER_REQUEST,
    // Reading a table's stream is free for Lambda.
    count: ({ EventSourceArn }) => (String(EventSourceArn).startsWith('arn:aws:sqs:') ? 1 : 0),
  },
};

/** Types that cost nothing without traffic. A new type is in neither list until its price was looked up. */
export const FREE_WHEN_IDLE = [
  'AWS::ApiGatewayV2::Api',
  'AWS::ApiGatewayV2::Integration',
  'AWS::ApiGatewayV2::Route',
  'AWS::ApiGatewayV2::Stage',
  'AWS::Budgets::Budget',
  'AWS::CertificateManager::Certificate',
  'AWS::CloudFront::CachePolicy',
  'AWS::CloudFront::ConnectionGroup',
  'AWS::CloudFront::Distribution',
  'AWS::CloudFront::Function',
  'AWS::CloudFront::KeyValueStore',
  'AWS::CloudFront::OriginAccessControl',
  'AWS::CloudFront::ResponseHeadersPolicy',
  'AWS::CodeBuild::Project',
  'AWS::Cognito::ManagedLoginBranding',
  'AWS::Cognito::UserPool',
  'AWS::Cognito::UserPoolClient',
  'AWS::Cognito::UserPoolGroup',
  'AWS::Cognito::UserPoolDomain',
  'AWS::IAM::Role',
  'AWS::CodeDeploy::Application',
  'AWS::CodeDeploy::DeploymentGroup',
  'AWS::Lambda::Alias',
  'AWS::Lambda::Version',
  'AWS::KMS::Alias',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Lambda::Function',
  'AWS::Lambda::Permission',
  'AWS::Lambda::Url',
  'AWS::Logs::AccountPolicy',
  'AWS::Logs::Delivery',
  'AWS::Logs::DeliveryDestination',
  'AWS::Logs::DeliverySource',
  'AWS::Logs::LogGroup',
  'AWS::Route53::RecordSet',
  'AWS::S3::Bucket',
  'AWS::S3::BucketPolicy',
  'AWS::SNS::Subscription',
  'AWS::SNS::Topic',
  'AWS::SNS::TopicPolicy',
  'AWS::SQS::Queue',
  'AWS::SQS::QueuePolicy',
  'AWS::StepFunctions::StateMachine',
];
export const PRICED = Object.keys(PRICES);

/** Costs that no template has: for each of a number, in a month. */
type Further = [what: string, count: number, price: number];

/** Costs of every idle installation that no template has. */
const BESIDE_THE_TEMPLATES: Further[] = [
  ['hosted zones of the two domains', 2, 0.5],
  ['metric of the quotas', 1, 0.3],
];

/**
 * Costs of the synthetic checks, which `monitoring=full` adds, estimated for a run every minute: it waits for a few seconds,
 * and its requests, its delivery and its release are some twenty other invocations.
 */
export const MONITORING: readonly Further[] = [
  ['metrics of the synthetic checks', 8, 0.3],
  ['metrics written by the checks’ traffic: AI, webhooks, deployments', 11, 0.3],
  [
    'functions of the synthetic checks, every minute',
    1,
    RUNS_PER_MONTH * (20 * LAMBDA.perRequest + 6 * LAMBDA.perGbSecond + (30_000 / 1e9) * LOGS_PER_GB),
  ],
  ['releases of the synthetic checks: twelve state transitions', 1, RUNS_PER_MONTH * 12 * 0.025e-3],
  ['table reads and writes of the synthetic checks', 1, RUNS_PER_MONTH * (60 * 0.625e-6 + 60 * DYNAMODB_PER_READ)],
];

/** Returns the monthly cost of an idle installation, the dearest line first. */
export function idleCosts(resources: readonly PricedResource[], further: readonly Further[] = []): CostLine[] {
  const priced = Object.entries(PRICES).map(([type, { what, dollars, count = () => 1 }]) => {
    const found = resources.filter((each) => each.type === type);
    return [what, found.reduce((sum, { properties }) => sum + count(properties), 0), dollars] as const;
  });
  return [...priced, ...BESIDE_THE_TEMPLATES, ...further]
    .map(([what, count, price]) => ({ what, count, price, dollars: count * price }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.dollars - a.dollars);
}

/** Returns the table of docs/costs.md. */
export function costTable(lines: readonly CostLine[]): string {
  const row = (...cells: string[]) => `| ${cells.join(' | ')} |`;
  const sum = lines.reduce((total, { dollars }) => total + dollars, 0);
  return [
    row('item', 'count', 'each', 'a month'),
    row('---', '---', '---', '---'),
    ...lines.map(({ what, count, price, dollars }) =>
      row(what, String(count), `$${price.toFixed(2)}`, `$${dollars.toFixed(2)}`),
    ),
    row('**total**', '', '', `**$${sum.toFixed(2)}**`),
  ].join('\n');
}
