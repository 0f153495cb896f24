import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { PrincipalOf } from '../iam/principals.ts';
import type { Lambda } from '../lambda/lambda.ts';
import type { Template } from '../template/template.ts';
import { createPollPause } from './poll-pace.ts';
import { startSchedules } from './schedules.ts';
import { startSqsSource } from './sqs.ts';
import { type EventSource, startStreamSource } from './streams.ts';

export interface EventSourcesOptions {
  template: Template;
  lambda: Lambda;
  region: string;
  dataDir: string;
  dynamoDbUrl: string;
  queuesUrl: string;
  principalOf: PrincipalOf;
}

/** Starts all event sources of the template: streams, queues, schedules. */
export function startEventSources(options: EventSourcesOptions): EventSource {
  const { template, lambda, region, dataDir, dynamoDbUrl, queuesUrl, principalOf } = options;
  const checkpoints = join(dataDir, 'streams');
  mkdirSync(checkpoints, { recursive: true });
  const mappings = template
    .resources('AWS::Lambda::EventSourceMapping')
    .filter(({ properties }) => properties.Enabled !== false);
  const sources = mappings.map((mapping) => {
    const arn = String(mapping.properties.EventSourceArn);
    // Lambda polls with the function's role.
    const FunctionName = String(mapping.properties.FunctionName);
    const target = template
      .resources('AWS::Lambda::Function')
      .find(({ arn: functionArn, name }) => [functionArn, name].some((id) => `${FunctionName}:`.startsWith(`${id}:`)));
    const { credentials } = principalOf(String(target?.properties.Role), target?.name ?? mapping.name);
    const common = { mapping, region, queuesUrl, lambda, credentials };
    const table = /^arn:aws:dynamodb:.*:table\/([^/]+)\/stream\//.exec(arn)?.[1];
    if (table) {
      const checkpointFile = join(checkpoints, `${mapping.name}.json`);
      return startStreamSource({
        ...common,
        table,
        dynamoDbUrl,
        checkpointFile,
        pause: createPollPause(lambda.activity),
      });
    }
    const queue = template.byArn(arn);
    if (queue?.type !== 'AWS::SQS::Queue') throw new Error(`The local run does not support the event source ${arn}`);
    return startSqsSource({ ...common, queue });
  });
  sources.push(startSchedules(template, lambda, principalOf));
  return {
    async stop() {
      await Promise.all(sources.map((source) => source.stop()));
    },
  };
}
