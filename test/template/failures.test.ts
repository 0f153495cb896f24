import { expect, test } from 'vitest';
import * as z from 'zod';
import { type RuleDeps, rules } from '../../events/rules.ts';
import { SILENT_ITEMS } from '../../lib/stacks/stream.ts';
import { Account, AnonymousClient, Credential, IdempotencyRecord, Login } from '../../table/entities/accounts.ts';
import { AiAccount, AiAudit, AiEntry, AiKeyCalls, AiOffer, AiUsage } from '../../table/entities/ai.ts';
import { App, GitAccess } from '../../table/entities/apps.ts';
import { Invoice, InvoiceSequence, PlanOffer, Subscription } from '../../table/entities/billing.ts';
import { Checks } from '../../table/entities/checks.ts';
import { DistributionTenant } from '../../table/entities/custom-domains.ts';
import { BuildQueue, Deployment, Push } from '../../table/entities/deployments.ts';
import { FailedRequest } from '../../table/entities/lookups.ts';
import { DomainName, DomainOffer } from '../../table/entities/registrar.ts';
import { SwitchState } from '../../table/entities/switches.ts';
import {
  Delivery,
  DeliveryAttempt,
  Event,
  EventFeed,
  FeedEntry,
  Sweep,
  Webhook,
} from '../../table/entities/webhooks.ts';
import { LambdaFunction, read, synthesize } from './synthesized.ts';

const { template } = synthesize({ stage: 'prod' });
const queues = read(
  template,
  'AWS::SQS::Queue',
  z.object({ QueueName: z.string(), MessageRetentionPeriod: z.number() }),
);
const functions = read(template, 'AWS::Lambda::Function', LambdaFunction);
const isQueue = (arn: string) => queues.some((queue) => queue.arn === arn);
const destination = z.object({ OnFailure: z.object({ Destination: z.string() }) });

test('the stream bisects and retries failed batches and keeps what it cannot deliver', () => {
  const Mapping = z.object({
    BisectBatchOnFunctionError: z.literal(true),
    MaximumRetryAttempts: z.number().positive(),
    MaximumRecordAgeInSeconds: z.number().positive(),
    DestinationConfig: destination,
  });
  const mappings = template
    .resources('AWS::Lambda::EventSourceMapping')
    .filter(({ properties }) => String(properties.EventSourceArn).startsWith('arn:aws:dynamodb:'))
    .map(({ properties }) => Mapping.parse(properties));
  expect(mappings).toHaveLength(1);
  for (const { DestinationConfig } of mappings) expect(isQueue(DestinationConfig.OnFailure.Destination)).toBe(true);
});

test('queues keep messages that they give up on, and a batch returns only its failures', () => {
  const Mapping = z.object({
    EventSourceArn: z.string(),
    FunctionName: z.string(),
    FunctionResponseTypes: z.tuple([z.literal('ReportBatchItemFailures')]),
  });
  const Redrive = z.object({
    RedrivePolicy: z.object({ deadLetterTargetArn: z.string() }),
    VisibilityTimeout: z.number(),
  });
  const mappings = template
    .resources('AWS::Lambda::EventSourceMapping')
    .filter(({ properties }) => String(properties.EventSourceArn).startsWith('arn:aws:sqs:'))
    .map(({ properties }) => Mapping.parse(properties));
  expect(mappings).toHaveLength(2);
  for (const { EventSourceArn, FunctionName } of mappings) {
    const { RedrivePolicy, VisibilityTimeout } = Redrive.parse(template.byArn(EventSourceArn)?.properties);
    expect(isQueue(RedrivePolicy.deadLetterTargetArn)).toBe(true);
    const consumer = functions.find((each) => each.FunctionName === FunctionName || each.arn === FunctionName);
    expect(VisibilityTimeout).toBeGreaterThan(consumer?.Timeout ?? Number.POSITIVE_INFINITY);
  }
});

test('scheduled jobs keep failed events, on both sides of the invocation', () => {
  const Schedule = z.object({ Target: z.object({ Arn: z.string(), DeadLetterConfig: z.object({ Arn: z.string() }) }) });
  const invocations = read(
    template,
    'AWS::Lambda::EventInvokeConfig',
    z.object({ FunctionName: z.string(), DestinationConfig: destination }),
  );
  const schedules = read(template, 'AWS::Scheduler::Schedule', Schedule);
  expect(schedules.length).toBeGreaterThan(0);
  for (const { Target } of schedules) {
    expect(isQueue(Target.DeadLetterConfig.Arn)).toBe(true);
    const configured = invocations.find(({ FunctionName }) => FunctionName === template.byArn(Target.Arn)?.name);
    expect(isQueue(configured?.DestinationConfig.OnFailure.Destination ?? '')).toBe(true);
  }
});

test('request counters do not trigger the stream, and every entity with rules does', () => {
  const ofAccount = { accountId: 'a', id: 'b' };
  const silent = [
    ...[
      Credential.key({ hash: 'a' }),
      Login.key({ subject: 'a' }),
      AnonymousClient.key({ address: 'a' }),
      IdempotencyRecord.key({ id: 'a' }),
    ],
    ...[AiAccount, AiAudit, AiEntry].map(({ key }) => key(ofAccount)),
    AiUsage.key({ accountId: 'a', day: '2026-01-01', keyId: '', model: 'a/b' }),
    FailedRequest.key({ requestId: 'a' }),
    AiKeyCalls.key({ accountId: 'a', keyId: 'b' }),
    SwitchState.key({}),
    ...[AiOffer.key({}), DomainOffer.key({}), DomainName.key({ name: 'a' })],
    ...[InvoiceSequence.key({ year: '2026' }), PlanOffer.key({})],
    ...[GitAccess.key({ applicationId: 'a' }), Push.key({ applicationId: 'a', id: 'b' })],
    ...[Event, Delivery].map(({ key }) => key(ofAccount)),
    Checks.key({}),
    BuildQueue.key({ accountId: 'a' }),
    DeliveryAttempt.key({ accountId: 'a', deliveryId: 'b', number: 0 }),
    ...[Sweep.key({ name: 'a' }), EventFeed.key({ accountId: 'a' }), FeedEntry.key({ accountId: 'a', position: 1 })],
  ];
  expect(silent.map(({ sk }) => sk).sort()).toEqual([...SILENT_ITEMS].sort());
  const loud = [
    Account.key({ id: 'a' }),
    Webhook.key({ accountId: 'a', id: 'b' }),
    DistributionTenant.key({ host: 'a' }),
    ...[App, Deployment, Invoice, Subscription].map(({ key }) => key({ accountId: 'a', id: 'b' })),
  ];
  for (const { sk } of loud) expect(SILENT_ITEMS).not.toContain(sk);
});

test('the stream passes on the changes of every entity that a rule is about', () => {
  const anyKey = new Proxy({}, { get: () => 'a' }) as never;
  // The filter has patterns of their own for these two.
  const others = Object.values(rules({} as RuleDeps)).filter(
    ({ entity: { type } }) => ![Event.type, Delivery.type].includes(type),
  );
  expect(others.length).toBeGreaterThan(15);
  for (const { entity } of others) expect(SILENT_ITEMS).not.toContain(entity.key(anyKey).sk);
});

test('CloudWatch may publish to the topics of the alarms', () => {
  const Policy = z.object({
    PolicyDocument: z.object({ Statement: z.array(z.looseObject({ Effect: z.string(), Principal: z.unknown() })) }),
  });
  const policies = read(template, 'AWS::SNS::TopicPolicy', Policy);
  expect(policies).toHaveLength(4);
  for (const { PolicyDocument } of policies) {
    const allowed = PolicyDocument.Statement.filter(({ Effect }) => Effect === 'Allow');
    expect(JSON.stringify(allowed)).toContain('cloudwatch.amazonaws.com');
  }
});
