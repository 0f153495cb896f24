import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { STREAM } from '../../lib/concurrency.ts';
import { Settings } from '../../lib/config.ts';
import { checkVariable, VARIABLES } from '../../runtime/config.ts';
import { EXTENDED, LambdaFunction, Role, read, synthesize } from './synthesized.ts';

/** Resources that name each other fit together, which the local run does not need and AWS would only show when something fails. */

const { template, stacks } = synthesize({ stage: 'prod', ...EXTENDED });
const types = new Set(stacks.flatMap((stack) => Object.values(stack.template.Resources).map(({ Type }) => Type)));
const all = [...types].flatMap((type) => template.resources(type));
// Roles of AWS's own services have managed policies alone.
const roles = read(template, 'AWS::IAM::Role', Role.extend({ Policies: Role.shape.Policies.default([]) }));
const functions = read(template, 'AWS::Lambda::Function', LambdaFunction);

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Returns the values of these properties, at any depth. */
const valuesOf = (value: unknown, name: RegExp): unknown[] =>
  isObject(value)
    ? Object.entries(value).flatMap(([key, each]) => [...(name.test(key) ? [each] : []), ...valuesOf(each, name)])
    : [];

/** The service that acts with the role of a resource. */
const ACTING: Record<string, string> = {
  'AWS::ApiGatewayV2::Integration': 'apigateway',
  'AWS::Backup::BackupSelection': 'backup',
  'AWS::CodeBuild::Project': 'codebuild',
  'AWS::CodeDeploy::DeploymentGroup': 'codedeploy',
  'AWS::Lambda::CapacityProvider': 'lambda',
  'AWS::Lambda::Function': 'lambda',
  'AWS::S3::Bucket': 's3',
  'AWS::Scheduler::Schedule': 'scheduler',
  'AWS::StepFunctions::StateMachine': 'states',
};

test('every role is assumed by the service of the resources that name it, and by no other', () => {
  const Trust = z.object({
    AssumeRolePolicyDocument: z.object({
      Statement: z.tuple([
        z.object({ Action: z.literal('sts:AssumeRole'), Principal: z.record(z.string(), z.unknown()) }),
      ]),
    }),
  });
  const trusted = new Map(
    read(template, 'AWS::IAM::Role', Trust).map(({ arn, AssumeRolePolicyDocument: { Statement } }) => [
      arn,
      Statement[0].Principal,
    ]),
  );
  const named = all.flatMap(({ type, logicalId, properties }) =>
    valuesOf(
      properties,
      /^(Role|RoleArn|IamRoleArn|ServiceRole|ServiceRoleArn|CredentialsArn|\w+OperatorRoleArn)$/,
    ).map((arn) => ({ type, logicalId, arn: String(arn) })),
  );
  for (const type of Object.keys(ACTING)) expect(named.map((each) => each.type)).toContain(type);
  for (const { type, logicalId, arn } of named)
    expect(trusted.get(arn), logicalId).toEqual({ Service: `${ACTING[type]}.amazonaws.com` });
  // Functions name the role of customers' code; the others are assumed by functions, with sessions that are limited further.
  const others = [...trusted].filter(([arn]) => !named.some((each) => each.arn === arn));
  expect(others.map(([arn, principal]) => [arn.split('/').at(-1), Object.keys(principal)]).sort()).toEqual([
    ['hosting-prod-app-af-south-1', ['Service']],
    ['hosting-prod-build-access-af-south-1', ['AWS']],
    ['hosting-prod-database-access-af-south-1', ['AWS']],
    ['hosting-prod-export-access-af-south-1', ['AWS']],
  ]);
});

/** Returns true if a role may do something with exactly this resource. */
const may = (roleArn: string | undefined, action: string, resource: string): boolean =>
  roles.some(
    ({ arn, Policies }) =>
      arn === roleArn &&
      Policies.some(({ Action, Resource }) => Action.includes(action) && Resource.includes(resource)),
  );

describe('what AWS does with a role is granted', () => {
  const roleOf = (nameOrArn: string) =>
    functions.find(({ arn, FunctionName }) => [arn, FunctionName].includes(nameOrArn.replace(/:live$/, '')))?.Role;
  const OnFailure = z.object({ OnFailure: z.object({ Destination: z.string() }) });

  test('to read a source of events and to keep what failed', () => {
    const Mapping = z.object({
      EventSourceArn: z.string(),
      FunctionName: z.string(),
      DestinationConfig: OnFailure.optional(),
    });
    const mappings = read(template, 'AWS::Lambda::EventSourceMapping', Mapping);
    expect(mappings.length).toBeGreaterThan(5);
    for (const { EventSourceArn, FunctionName, DestinationConfig } of mappings) {
      // https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AWSLambdaSQSQueueExecutionRole.html, and of DynamoDB
      const actions = EventSourceArn.includes(':sqs:')
        ? ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes']
        : ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'];
      for (const action of actions) expect(may(roleOf(FunctionName), action, EventSourceArn), action).toBe(true);
      const queue = DestinationConfig?.OnFailure.Destination;
      if (queue) expect(may(roleOf(FunctionName), 'sqs:SendMessage', queue), FunctionName).toBe(true);
    }
  });

  test('to run a job and to keep a failed one', () => {
    const Target = z.object({
      Arn: z.string(),
      RoleArn: z.string(),
      DeadLetterConfig: z.object({ Arn: z.string() }),
      // Within the minute, after which the job runs again.
      RetryPolicy: z.object({ MaximumRetryAttempts: z.literal(2), MaximumEventAgeInSeconds: z.literal(60) }),
    });
    const Schedule = z.object({ Target, FlexibleTimeWindow: z.object({ Mode: z.literal('OFF') }) });
    const schedules = read(template, 'AWS::Scheduler::Schedule', Schedule);
    for (const { Target: each } of schedules) {
      expect(may(each.RoleArn, 'lambda:InvokeFunction', each.Arn), each.Arn).toBe(true);
      expect(may(each.RoleArn, 'sqs:SendMessage', each.DeadLetterConfig.Arn), each.Arn).toBe(true);
    }
    const Invocation = z.object({ FunctionName: z.string(), DestinationConfig: OnFailure });
    const invocations = read(template, 'AWS::Lambda::EventInvokeConfig', Invocation);
    expect(invocations.length).toBeGreaterThanOrEqual(schedules.length);
    for (const { FunctionName, DestinationConfig } of invocations)
      expect(may(roleOf(FunctionName), 'sqs:SendMessage', DestinationConfig.OnFailure.Destination)).toBe(true);
  });

  test('to invoke the steps of a state machine', () => {
    const Machine = z.object({ RoleArn: z.string(), DefinitionString: z.string() });
    for (const { RoleArn, DefinitionString, name } of read(template, 'AWS::StepFunctions::StateMachine', Machine)) {
      const steps = valuesOf(JSON.parse(DefinitionString), /^Resource$/).map(String);
      expect(steps.length, name).toBeGreaterThan(0);
      for (const step of steps) expect(may(RoleArn, 'lambda:InvokeFunction', step), step).toBe(true);
    }
  });
});

test('a function that anyone may call is called through its URL only', () => {
  const Permission = z.object({
    Action: z.string(),
    Principal: z.string(),
    FunctionUrlAuthType: z.string().optional(),
    InvokedViaFunctionUrl: z.boolean().optional(),
  });
  const open = read(template, 'AWS::Lambda::Permission', Permission).filter(({ Principal }) => Principal === '*');
  const urls = template.resources('AWS::Lambda::Url').length;
  // Both are needed since October 2025: https://docs.aws.amazon.com/lambda/latest/dg/urls-auth.html
  const byUrl = open.filter(
    (each) => each.FunctionUrlAuthType === 'NONE' && each.Action === 'lambda:InvokeFunctionUrl',
  );
  const direct = open.filter((each) => each.InvokedViaFunctionUrl && each.Action === 'lambda:InvokeFunction');
  expect([byUrl.length, direct.length, open.length]).toEqual([urls, urls, 2 * urls]);
});

test('queues are encrypted, take TLS only, and give up on a message after several attempts', () => {
  const Queue = z.object({
    SqsManagedSseEnabled: z.literal(true),
    // AWS advises at least five for a function: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
    RedrivePolicy: z.object({ maxReceiveCount: z.number().min(5) }).optional(),
  });
  const queues = read(template, 'AWS::SQS::Queue', Queue);
  const Statement = z.object({
    Effect: z.literal('Deny'),
    Condition: z.object({ Bool: z.object({ 'aws:SecureTransport': z.literal('false') }) }),
  });
  const Policy = z.object({
    Queues: z.array(z.string()),
    PolicyDocument: z.object({ Statement: z.tuple([Statement]) }),
  });
  const secured = read(template, 'AWS::SQS::QueuePolicy', Policy).flatMap(({ Queues }) => Queues);
  expect(secured.sort()).toEqual(queues.map(({ resource }) => resource.ref).sort());
});

test('every queue’s consumer has a limit of its own: services behind it accept only so many calls', () => {
  const Scaling = z.object({ ScalingConfig: z.object({ MaximumConcurrency: z.number().min(2) }) });
  const limits = template
    .resources('AWS::Lambda::EventSourceMapping')
    .filter(({ properties }) => String(properties.EventSourceArn).includes(':sqs:'))
    .map(({ properties }) => [
      String(properties.EventSourceArn).replace(/.*:hosting-prod-/, ''),
      Scaling.parse(properties).ScalingConfig.MaximumConcurrency,
    ]);
  // The key-value store accepts few writes a second, Route 53 few requests, and SES few emails.
  expect(Object.fromEntries(limits)).toMatchObject({ routes: 2, 'dns-mirrors': 4, mails: 5 });
});

test('the stream is read from its beginning, and a change that fails leaves its failure queue time to be replayed', () => {
  const Mapping = z.object({
    StartingPosition: z.literal('TRIM_HORIZON'),
    // Lambda's maximum is ten.
    ParallelizationFactor: z.number().max(10),
    // The failure queue names the change, which the stream keeps for 24 hours.
    MaximumRecordAgeInSeconds: z.number().max(12 * 3600),
  });
  const stream = template
    .resources('AWS::Lambda::EventSourceMapping')
    .filter(({ properties }) => String(properties.EventSourceArn).includes(':dynamodb:'));
  const [mapping, ...others] = stream.map(({ properties }) => Mapping.parse(properties));
  expect(others).toEqual([]);
  // All lanes of a new table's stream run at once.
  const consumer = template
    .resources('AWS::Lambda::Function')
    .find(({ name }) => name.endsWith('stream-onTableChange'));
  expect(consumer?.properties.ReservedConcurrentExecutions).toBe(
    STREAM.firstShards * (mapping?.ParallelizationFactor ?? Number.NaN),
  );
});

test('the API passes requests on in the form that functions read, and slows all clients together to the settings', () => {
  const Integration = z.object({ IntegrationType: z.literal('AWS_PROXY'), PayloadFormatVersion: z.literal('2.0') });
  expect(read(template, 'AWS::ApiGatewayV2::Integration', Integration).length).toBeGreaterThan(60);
  const { apiRequestsPerSecond, apiBurst } = Settings.parse({});
  const [stage] = template.resources('AWS::ApiGatewayV2::Stage');
  // Metrics of each route would cost more than the rest of an idle installation.
  const costs = { DetailedMetricsEnabled: false };
  const limits = { ...costs, ThrottlingRateLimit: apiRequestsPerSecond, ThrottlingBurstLimit: apiBurst };
  expect(stage?.properties).toMatchObject({ StageName: '$default', AutoDeploy: true, DefaultRouteSettings: limits });
});

test('services deliver their logs to groups whose prefix keeps the account’s policy for them small', () => {
  // https://docs.aws.amazon.com/step-functions/latest/dg/bp-cwl.html
  const delivered = ['AWS::StepFunctions::StateMachine', 'AWS::ApiGatewayV2::Stage'].flatMap((type) =>
    template.resources(type).map(({ properties }) => String(valuesOf(properties, /^(LogGroupArn|DestinationArn)$/)[0])),
  );
  expect(delivered.length).toBeGreaterThan(5);
  for (const arn of delivered) expect(arn).toMatch(/:log-group:\/aws\/vendedlogs\//);
});

test('every variable of a function is one that the code reads, with a valid value, and none allows what only the local run may', () => {
  for (const { FunctionName, Environment } of functions)
    for (const [name, value] of Object.entries(Environment.Variables)) {
      expect(Object.keys(VARIABLES), FunctionName).toContain(name);
      checkVariable(name, value);
      if (name.startsWith('ALLOW_LOCAL_')) expect(value, FunctionName).toBe('false');
      // Addresses of services are the services' own, and name servers Lambda's.
      if (['AI_PROVIDER_BASE_URLS', 'DNS_SERVERS'].includes(name)) expect(['', '{}']).toContain(value);
    }
});

test('builds run in an unprivileged ARM container, which the builder leaves before CodeBuild ends it', () => {
  const [project] = template.resources('AWS::CodeBuild::Project');
  expect(project?.properties).toMatchObject({
    Environment: {
      // The image is for `ARM_CONTAINER`, and has the Node that runs the builder.
      Type: 'ARM_CONTAINER',
      Image: 'aws/codebuild/amazonlinux-aarch64-standard:4.0',
      PrivilegedMode: false,
      EnvironmentVariables: expect.arrayContaining([
        { Name: 'BUILD_SECONDS', Type: 'PLAINTEXT', Value: String(TIMEOUTS_S.build.builder) },
      ]),
    },
    Artifacts: { Type: 'NO_ARTIFACTS' },
    LogsConfig: { CloudWatchLogs: { Status: 'ENABLED', GroupName: '/aws/codebuild/hosting-prod-build-af-south-1' } },
  });
});
