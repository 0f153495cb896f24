import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Lambda } from '../lambda/lambda.ts';
import type { Template } from '../template/template.ts';
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
}

/** Starts all event sources of the template: streams, queues, schedules. */
export function startEventSources(options: EventSourcesOptions): EventSource {
  const { template, lambda, region, dataDir, dynamoDbUrl, queuesUrl } = options;
  const checkpoints = join(dataDir, 'streams');
  mkdirSync(checkpoints, { recursive: true });
  const mappings = template
    .resources('AWS::Lambda::EventSourceMapping')
    .filter(({ properties }) => properties.Enabled !== false);
  const sources = mappings.map((mapping) => {
    const arn = String(mapping.properties.EventSourceArn);
    const table = /^arn:aws:dynamodb:.*:table\/([^/]+)\/stream\//.exec(arn)?.[1];
    if (table) {
      const checkpointFile = join(checkpoints, `${mapping.name}.json`);
      return startStreamSource({ mapping, table, region, dynamoDbUrl, queuesUrl, checkpointFile, lambda });
    }
    const queue = template.byArn(arn);
    if (queue?.type !== 'AWS::SQS::Queue') throw new Error(`The local run does not support the event source ${arn}`);
    return startSqsSource({ mapping, queue, region, queuesUrl, lambda });
  });
  sources.push(startSchedules(template, lambda));
  return {
    async stop() {
      await Promise.all(sources.map((source) => source.stop()));
    },
  };
}
