import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { measure } from '../../bench/scale/heat.ts';
import { DURATION_S } from '../../bench/scale/load.ts';
import { aiCallsPerAccount, reservedConcurrency } from '../../lib/concurrency.ts';
import { policyOf } from '../../lib/constructs/rights.ts';
import { MEMORY_MB } from '../../providers/app-host/resources.ts';
import { costTable, FREE_WHEN_IDLE, idleCosts, MONITORING, PRICED } from '../support/costs/idle.ts';
import { usageTables } from '../support/costs/usage.ts';
import { CONTACTS, LambdaFunction, read, synthesize } from './synthesized.ts';

/** Guarantees about every resource of a kind, whatever resources there are. */

const settings = { stage: 'prod', ...CONTACTS };
const { template, stacks } = synthesize(settings);
const resources = stacks.flatMap((stack) => Object.values(stack.template.Resources));
const functions = read(template, 'AWS::Lambda::Function', LambdaFunction);
const nameOf = (arnOrName: string) =>
  functions.find(({ arn, FunctionName }) => [arn, FunctionName].some((of) => `${arnOrName}:`.startsWith(`${of}:`)))
    ?.FunctionName ?? '';

const queues = read(
  template,
  'AWS::SQS::Queue',
  z.object({ QueueName: z.string(), RedrivePolicy: z.object({ deadLetterTargetArn: z.string() }).optional() }),
);
const failureQueue = (arn: unknown) =>
  queues.find((queue) => queue.arn === arn && queue.RedrivePolicy === undefined)?.QueueName;
const onFailure = z.object({ OnFailure: z.object({ Destination: z.string() }) });
const mappings = template
  .resources('AWS::Lambda::EventSourceMapping')
  .map(({ properties }) =>
    z
      .object({ EventSourceArn: z.string(), FunctionName: z.string(), DestinationConfig: onFailure.optional() })
      .parse(properties),
  );
const schedules = read(
  template,
  'AWS::Scheduler::Schedule',
  z.object({ Target: z.object({ Arn: z.string(), DeadLetterConfig: z.object({ Arn: z.string() }).optional() }) }),
);

/** Functions that something invokes without waiting, with the queue that keeps what fails. */
const asynchronous = [
  ...mappings.map(({ EventSourceArn, FunctionName, DestinationConfig }) => {
    const source = queues.find(({ arn }) => arn === EventSourceArn);
    const kept = source ? source.RedrivePolicy?.deadLetterTargetArn : DestinationConfig?.OnFailure.Destination;
    return { path: EventSourceArn, name: nameOf(FunctionName), queue: failureQueue(kept) };
  }),
  ...schedules.map(({ name, Target }) => ({
    path: name,
    name: nameOf(Target.Arn),
    queue: failureQueue(Target.DeadLetterConfig?.Arn),
  })),
  ...read(
    template,
    'AWS::Lambda::EventInvokeConfig',
    z.object({ FunctionName: z.string(), DestinationConfig: onFailure.optional() }),
  ).map(({ FunctionName, DestinationConfig }) => ({
    path: `asynchronous invocation of ${FunctionName}`,
    name: nameOf(FunctionName),
    queue: failureQueue(DestinationConfig?.OnFailure.Destination),
  })),
];

test('every asynchronous path ends in a failure queue', () => {
  expect(asynchronous.length).toBeGreaterThan(10);
  for (const { path, queue } of asynchronous) expect(queue, path).toBeDefined();
  // A schedule invokes asynchronously: its function's own failures need a queue too.
  for (const { Target, name } of schedules) {
    expect(asynchronous.filter((each) => each.name === nameOf(Target.Arn)).length, name).toBe(2);
  }
  // Other kinds of triggers would need a case above.
  for (const { Type, ...resource } of resources) {
    expect(['AWS::Events::Rule', 'AWS::Pipes::Pipe', 'AWS::IoT::TopicRule'], Type).not.toContain(Type);
    if (Type === 'AWS::S3::Bucket') expect(JSON.stringify(resource)).not.toContain('NotificationConfiguration');
    if (Type === 'AWS::SNS::Subscription') expect(JSON.stringify(resource)).toContain('"Protocol":"email"');
  }
});

/** Buckets without versions: of builds, where an artifact is written once and all else is a copy or a log, and of logs. */
const UNVERSIONED = /^hosting-prod-(builds|access-logs)-/;

test('every retained bucket is encrypted, private, and keeps what deployments of the platform replace', () => {
  const buckets = template.resources('AWS::S3::Bucket');
  expect(buckets.length).toBeGreaterThan(1);
  const policies = JSON.stringify(template.resources('AWS::S3::BucketPolicy').map(({ properties }) => properties));
  for (const { name, arn, properties } of buckets) {
    expect(properties, name).toMatchObject({
      BucketEncryption: { ServerSideEncryptionConfiguration: [expect.anything()] },
      OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
    });
    expect(policies, name).toContain(`"${arn}/*"`);
    if (!UNVERSIONED.test(name))
      expect(properties, name).toMatchObject({ VersioningConfiguration: { Status: 'Enabled' } });
  }
  expect(policies).toContain('aws:SecureTransport');
});

test('a right on everything of a kind needs a reason', () => {
  const careless = { actions: ['s3:GetObject'], on: ['arn:aws:s3:::bucket/*'] };
  expect(() => policyOf([careless])).toThrow(/s3:GetObject.*reason/);
  expect(() => policyOf([{ ...careless, wildcard: 'names are chosen at run time' }])).not.toThrow();
});

test('no template comes near the limit of 60 dynamic references', () => {
  for (const { stackName, template: each } of stacks) {
    expect(JSON.stringify(each).match(/\{\{resolve:/g)?.length ?? 0, stackName).toBeLessThan(50);
  }
});

const Stat = z.object({
  Stat: z.string(),
  Metric: z.looseObject({ Dimensions: z.array(z.object({ Value: z.string() })).default([]) }),
});
const alarms = read(
  template,
  'AWS::CloudWatch::Alarm',
  z.object({
    AlarmName: z.string(),
    MetricName: z.string().optional(),
    Namespace: z.string().optional(),
    Dimensions: z.array(z.object({ Value: z.string() })).default([]),
    Metrics: z.array(z.looseObject({ MetricStat: Stat.optional() })).default([]),
    TreatMissingData: z.string(),
    ComparisonOperator: z.string(),
  }),
);
/** Values of the dimensions of all alarms: names of functions, queues and the like. */
const watched = new Set(
  alarms.flatMap(({ Dimensions, Metrics }) => [
    ...Dimensions.map(({ Value }) => Value),
    ...Metrics.flatMap(({ MetricStat }) => MetricStat?.Metric.Dimensions.map(({ Value }) => Value) ?? []),
  ]),
);

/** Functions that a person calls and whose error that person sees. */
const CALLED_BY_HAND = /^hosting-prod-operator-/;

test('every function’s failure reaches an alarm', () => {
  const [api] = template.resources('AWS::ApiGatewayV2::Api');
  expect(watched).toContain(api?.ref);
  const integrated = read(template, 'AWS::ApiGatewayV2::Integration', z.object({ IntegrationUri: z.string() })).map(
    ({ IntegrationUri }) => nameOf(IntegrationUri),
  );
  const machines = read(template, 'AWS::StepFunctions::StateMachine', z.object({ DefinitionString: z.string() }));
  const uncovered = functions.filter(({ FunctionName, arn }) => {
    if (CALLED_BY_HAND.test(FunctionName) || watched.has(FunctionName) || integrated.includes(FunctionName))
      return false;
    if (asynchronous.some(({ name, queue }) => name === FunctionName && watched.has(queue ?? ''))) return false;
    return !machines.some((machine) => machine.DefinitionString.includes(`"${arn}:live"`) && watched.has(machine.arn));
  });
  expect(uncovered.map(({ FunctionName }) => FunctionName)).toEqual([]);
});

test('no alarm is on what customers do wrong', () => {
  const metricNames = alarms.flatMap(({ MetricName = '', Metrics }) => [
    MetricName,
    ...Metrics.map(({ MetricStat }) => String(MetricStat?.Metric.MetricName)),
  ]);
  expect(metricNames.length).toBeGreaterThan(50);
  for (const name of metricNames) {
    expect(name).not.toMatch(/^4xx|4xxErrorRate|ClientErrors|ExecutionsAborted|FailedBuilds|Disabled/);
  }
});

test('every scheduled job has an alarm that goes off where it does not run at all', () => {
  for (const { Target } of schedules) {
    const heartbeat = alarms.find(({ Metrics }) =>
      Metrics.some(
        ({ MetricStat }) =>
          MetricStat?.Metric.MetricName === 'Invocations' &&
          MetricStat.Stat === 'Sum' &&
          MetricStat.Metric.Dimensions.some(({ Value }) => Value === nameOf(Target.Arn)),
      ),
    );
    expect(heartbeat, Target.Arn).toMatchObject({
      TreatMissingData: 'breaching',
      ComparisonOperator: 'LessThanThreshold',
    });
  }
});

test('alarms on CloudFront are where its metrics are, and the account has a budget', () => {
  const global = stacks.filter(({ template: each }) => JSON.stringify(each).includes('"AWS/CloudFront"'));
  expect(global).toMatchObject([{ stackName: 'hosting-prod-global-operations-af-south-1', region: 'us-east-1' }]);
  const edge = alarms.map(({ AlarmName }) => AlarmName).filter((name) => name.includes('-edge-'));
  expect(edge.sort()).toEqual(['edge-5xx', 'edge-functions'].map((name) => `hosting-prod-af-south-1-${name}`));
  const code = read(template, 'AWS::CloudFront::Function', z.object({ Name: z.string() }));
  for (const { Name } of code) expect(watched).toContain(Name);
  const [budget] = template.resources('AWS::Budgets::Budget');
  const ofBudget = { ThresholdType: 'PERCENTAGE', ComparisonOperator: 'GREATER_THAN' };
  const Address = template
    .resources('AWS::SNS::Topic')
    .find(({ name }) => name === 'hosting-prod-tickets-af-south-1')?.arn;
  const Subscribers = [{ SubscriptionType: 'SNS', Address }];
  expect(budget?.properties).toMatchObject({
    Budget: { BudgetLimit: { Amount: 200, Unit: 'USD' }, TimeUnit: 'MONTHLY' },
    NotificationsWithSubscribers: [
      { Notification: { ...ofBudget, NotificationType: 'ACTUAL', Threshold: 80 }, Subscribers },
      { Notification: { ...ofBudget, NotificationType: 'FORECASTED', Threshold: 100 }, Subscribers },
    ],
  });
});

test('an installation whose region is us-east-1 has topics of its own for each of its stacks', () => {
  const home = synthesize({ stage: 'dev', region: 'us-east-1' }).template;
  const topics = read(home, 'AWS::SNS::Topic', z.object({ TopicName: z.string() })).map(({ TopicName }) => TopicName);
  const kinds = ['pages', 'tickets'];
  expect(topics.sort()).toEqual(kinds.flatMap((kind) => [`hosting-dev-${kind}`, `hosting-dev-${kind}-us-east-1`]));
});

test('functions that others depend on, or that wait for external hosts, reserve concurrency, which fits next to that of applications', () => {
  const reserved = read(
    template,
    'AWS::Lambda::Function',
    z.object({ FunctionName: z.string(), ReservedConcurrentExecutions: z.number().optional() }),
  ).filter(({ ReservedConcurrentExecutions }) => ReservedConcurrentExecutions !== undefined);
  expect(reserved.map(({ FunctionName }) => FunctionName.replace('hosting-prod-', '')).sort()).toEqual([
    'ai-chatCompletions',
    'dashboard-checkCustomDomain',
    'dashboard-inspectRepository',
    'queue-deliverWebhook',
    ...['checkAiLedgers', 'reconcile', 'runChecks', 'serveAccounts', 'settleBilling'].map((name) => `schedule-${name}`),
    'stream-onTableChange',
  ]);
  const sum = reserved.reduce((total, { ReservedConcurrentExecutions = 0 }) => total + ReservedConcurrentExecutions, 0);
  // AWS keeps 100 of 1,000 for functions without a reservation, the API's among them; most is left to applications.
  expect(sum).toBeLessThanOrEqual(320);
  // Both lanes together: more than is reserved would throttle messages until they reach the failure queue.
  const lanes = read(
    template,
    'AWS::Lambda::EventSourceMapping',
    z.object({
      FunctionName: z.string(),
      ScalingConfig: z.object({ MaximumConcurrency: z.number() }).optional(),
      BatchSize: z.number(),
    }),
  ).filter(({ FunctionName }) => nameOf(FunctionName).endsWith('deliverWebhook'));
  const own = reserved.find(({ FunctionName }) => FunctionName.endsWith('deliverWebhook'));
  const slots = lanes.reduce((total, { ScalingConfig }) => total + (ScalingConfig?.MaximumConcurrency ?? 0), 0);
  expect([lanes.length, slots]).toEqual([2, own?.ReservedConcurrentExecutions]);
  // Slots free up one by one.
  expect(lanes.map(({ BatchSize }) => BatchSize)).toEqual([1, 1]);
});

test('a young account’s concurrency is not reserved, because AWS would refuse it', () => {
  const young = { stage: 'prod', lambdaConcurrency: 10, deliveryConcurrency: 2 };
  expect(reservedConcurrency(young, 'stream/onTableChange')).toBeUndefined();
  expect(reservedConcurrency({ ...young, lambdaConcurrency: 1000 }, 'stream/onTableChange')).toBe(40);
});

test('one account takes at most a quarter of the open AI calls that all have together, and the functions know it', () => {
  const functions = read(
    template,
    'AWS::Lambda::Function',
    z.object({
      FunctionName: z.string(),
      ReservedConcurrentExecutions: z.number().optional(),
      Environment: z.object({ Variables: z.looseObject({ AI_CALLS_PER_ACCOUNT: z.string().optional() }) }),
    }),
  );
  const chat = functions.find(({ FunctionName }) => FunctionName.endsWith('ai-chatCompletions'));
  const each = Number(chat?.Environment.Variables.AI_CALLS_PER_ACCOUNT);
  expect([chat?.ReservedConcurrentExecutions, each]).toEqual([100, 25]);
  // The account's own page shows the limit that the gateway enforces.
  const account = functions.find(({ FunctionName }) => FunctionName.endsWith('api-getAccount'));
  expect(account?.Environment.Variables.AI_CALLS_PER_ACCOUNT).toBe('25');

  const own = { stage: 'prod', lambdaConcurrency: 1000, deliveryConcurrency: 150, aiCapacity: 'on-demand' } as const;
  expect(aiCallsPerAccount({ ...own, lambdaConcurrency: 10 })).toBe(2);
  // With more capacity, the limit of the account is the lower one.
  expect(aiCallsPerAccount({ ...own, lambdaConcurrency: 10_000 })).toBeUndefined();
  expect(aiCallsPerAccount({ ...own, aiCapacity: 'managed' })).toBeUndefined();
});

const priced = ({ resources: found }: typeof template) =>
  PRICED.flatMap((type) => found(type).map(({ properties }) => ({ type, properties })));
const documented = (part: string) =>
  new RegExp(`<!-- ${part}:begin -->\\n([\\s\\S]*?)\\n<!-- ${part}:end -->`).exec(
    readFileSync('docs/costs.md', 'utf8'),
  )?.[1];

test('an idle installation costs less than $20 a month with basic monitoring, and docs/costs.md says how much', () => {
  const types = new Set(resources.map(({ Type }) => Type));
  const unknown = [...types].filter(
    (type) => ![...PRICED, ...FREE_WHEN_IDLE].includes(type) && !/^Custom::/.test(type),
  );
  expect(unknown, 'look up the prices of these').toEqual([]);
  const lines = idleCosts(priced(synthesize({ ...settings, monitoring: 'basic' }).template));
  expect(lines.reduce((sum, { dollars }) => sum + dollars, 0)).toBeLessThan(20);
  expect(documented('idle')).toBe(costTable(lines));
});

test('docs/costs.md says what full monitoring costs', () => {
  expect(documented('monitored')).toBe(costTable(idleCosts(priced(template), MONITORING)));
});

test('docs/costs.md says what requests cost, by the memory of the functions and the counted units', async () => {
  const memories = new Set(
    template
      .resources('AWS::Lambda::Function')
      .filter(({ name }) => /-api-/.test(name))
      .map(({ properties }) => Number(properties.MemorySize)),
  );
  const heats = await measure('API request');
  const [memory = 0] = memories;
  expect([memories.size, heats.length]).toEqual([1, 1]);
  const tables = usageTables({
    api: { memory, seconds: DURATION_S.apiRequest, writeUnits: heats[0]?.writeUnits ?? 0 },
    application: { memory: MEMORY_MB, seconds: DURATION_S.hostedRequest },
  });
  expect(documented('usage')).toBe(tables);
});
