import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { type RuleDeps, rules } from '../../events/rules.ts';
import { createFilter } from '../../local/event-sources/event-filter.ts';
import type { JsonObject } from '../../local/template/intrinsics.ts';
import { AccountRate, AnonymousClient, Credential, DailyUsage } from '../../table/entities/accounts.ts';
import { AiAccount, AiEntry } from '../../table/entities/ai.ts';
import { Delivery, Webhook } from '../../table/entities/webhooks.ts';
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
  expect(mappings).toHaveLength(7);
  for (const { EventSourceArn, FunctionName } of mappings) {
    const { RedrivePolicy, VisibilityTimeout } = Redrive.parse(template.byArn(EventSourceArn)?.properties);
    expect(isQueue(RedrivePolicy.deadLetterTargetArn)).toBe(true);
    const consumer = functions.find((each) => FunctionName === `${each.FunctionName}:live`);
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

test.each([{}, { mailFrom: 'cognito' }])(
  'each queue of the alarm on failures is one that operators can read, with %j',
  (settings) => {
    const installed = synthesize({ stage: 'prod', ...settings }).template;
    const alarm = installed
      .resources('AWS::CloudWatch::Alarm')
      .find(({ properties }) => properties.AlarmName === 'hosting-prod-failure-queues');
    const counted = [...JSON.stringify(alarm?.properties).matchAll(/"(hosting-prod-[a-z-]+-failures)"/g)].map(
      ([, name]) => name,
    );
    expect(counted.length).toBeGreaterThan(7);
    const [list] = read(installed, 'AWS::Lambda::Function', LambdaFunction).filter(
      ({ FunctionName }) => FunctionName === 'hosting-prod-operator-api-listFailures',
    );
    const readable = Object.entries(list?.Environment.Variables ?? {}).flatMap(([name, url]) =>
      name.endsWith('_FAILURES_URL') ? [url.split('/').at(-1)] : [],
    );
    expect(counted.sort()).toEqual(readable.sort());
  },
);

const isEntity = (value: unknown): value is { type: string } =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string' && 'key' in value;
const modules = await Promise.all(
  globSync('table/entities/*.ts', { exclude: (file) => file.endsWith('.test.ts') }).map(
    (file) => import(resolve(file)),
  ),
);
const entities = modules.flatMap((module) => Object.values(module).filter(isEntity));

const isPassed = createFilter(
  template
    .resources('AWS::Lambda::EventSourceMapping')
    .find(({ properties }) => String(properties.EventSourceArn).startsWith('arn:aws:dynamodb:'))?.properties
    .FilterCriteria,
);
/** The record of a change to an item with these further fields, before and after. */
const record = (eventName: string, type: string, before: JsonObject = {}, after: JsonObject = {}) => {
  const entity = { S: type };
  return {
    eventName,
    dynamodb: {
      Keys: { pk: { S: 'a' }, sk: { S: 'b' } },
      ...(eventName === 'INSERT' ? {} : { OldImage: { entity, ...before } }),
      ...(eventName === 'REMOVE' ? {} : { NewImage: { entity, ...after } }),
    },
  };
};

test('exactly the changes that rules are about invoke the consumer of the stream', () => {
  const all = Object.values(rules({} as RuleDeps));
  const types = [...new Set(entities.map(({ type }) => type))];
  expect(types.length).toBeGreaterThan(40);
  for (const eventName of ['INSERT', 'MODIFY', 'REMOVE'] as const) {
    const wanted = all.filter(({ trigger }) => trigger.events.includes(eventName)).map(({ entity }) => entity.type);
    // Of these, only some changes: see below.
    const partly = eventName === 'MODIFY' ? [Delivery.type, Webhook.type] : [Delivery.type];
    const passed = types.filter((type) => isPassed(record(eventName, type)));
    expect(passed.sort()).toEqual([...new Set(wanted)].filter((type) => !partly.includes(type)).sort());
  }
});

test('of deliveries only requested resends invoke it, of endpoints those that held deliveries', () => {
  const at = { S: '2026-01-01T00:00:00.000Z' };
  for (const eventName of ['INSERT', 'MODIFY']) {
    expect(isPassed(record(eventName, Delivery.type, {}, { resendAt: at }))).toBe(true);
  }
  expect(isPassed(record('MODIFY', Webhook.type, { heldSince: at }))).toBe(true);
  expect(isPassed(record('MODIFY', Webhook.type, {}, { heldSince: at }))).toBe(false);
});

test('a counted request invokes nothing', () => {
  for (const { type } of [Credential, AccountRate, AnonymousClient, DailyUsage, AiAccount, AiEntry]) {
    for (const eventName of ['INSERT', 'MODIFY', 'REMOVE']) expect(isPassed(record(eventName, type))).toBe(false);
  }
});

test('the filter of the stream has as many patterns as AWS allows, or fewer', () => {
  // https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html
  const Criteria = z.object({
    FilterCriteria: z.object({ Filters: z.array(z.object({ Pattern: z.string().max(4096) })).max(5) }),
  });
  const filters = template
    .resources('AWS::Lambda::EventSourceMapping')
    .filter(({ properties }) => properties.FilterCriteria !== undefined)
    .map(({ properties }) => Criteria.parse(properties));
  expect(filters.length).toBeGreaterThan(0);
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
