import { fileURLToPath } from 'node:url';
import { Trouble } from '../data-directory.ts';
import type { Children } from '../processes/children.ts';
import type { JsonObject } from '../template/intrinsics.ts';
import type { Resource, Template } from '../template/template.ts';
import { call, exchange, untilUp, WireError } from './wire.ts';

export interface QueuesOptions {
  /** Must stay the same from one run to the next: the queue's stored address carries it. */
  port: number;
  region: string;
  /** Where messages and objects live; undefined keeps them in memory. */
  folder?: string | undefined;
  children: Children;
}

/** Starts SQS and S3 (fauxqs, in a process of its own) and resolves with their address. */
export async function startQueues({ port, region, folder, children }: QueuesOptions): Promise<string> {
  const server = fileURLToPath(new URL('./queue-server.ts', import.meta.url));
  const child = children.spawn(process.execPath, [server, String(port), region, ...(folder ? [folder] : [])], {
    label: 'queues',
    essential: true,
  });
  const url = `http://127.0.0.1:${port}`;
  await untilUp(
    () => exchange(`${url}/health`, 'GET', {}),
    () => {
      if (child.exitCode === null && child.signalCode === null) return;
      throw new Trouble('SQS and S3 (fauxqs) did not start; its words are in logs/queues.log of the data directory.');
    },
  );
  return url;
}

/** Queue properties of the template that are queue attributes of the same name. */
const ATTRIBUTES = [
  'ContentBasedDeduplication',
  'DelaySeconds',
  'FifoQueue',
  'MaximumMessageSize',
  'MessageRetentionPeriod',
  'ReceiveMessageWaitTimeSeconds',
  'RedrivePolicy',
  'VisibilityTimeout',
];

function attributesOf({ properties }: Resource): JsonObject {
  const attributes: JsonObject = {};
  for (const name of ATTRIBUTES) {
    const value = properties[name];
    if (value !== undefined) attributes[name] = typeof value === 'object' ? JSON.stringify(value) : String(value);
  }
  return attributes;
}

/** The region in an ARN. */
const regionOf = (arn: string): string => arn.split(':')[3] ?? '';

/** Makes the template's queues and buckets that do not exist yet, and gives queues the template's attributes. */
export async function createQueuesAndBuckets(url: string, template: Template): Promise<void> {
  const queues = template.resources('AWS::SQS::Queue').map(async (queue) => {
    const Attributes = attributesOf(queue);
    try {
      await call(url, 'sqs', 'CreateQueue', { QueueName: queue.name, Attributes }, { region: regionOf(queue.arn) });
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      // It exists with other attributes: the template's are the ones that count.
      await call(url, 'sqs', 'SetQueueAttributes', { QueueUrl: queue.ref, Attributes });
    }
  });
  const buckets = template.resources('AWS::S3::Bucket').map(async (bucket) => {
    const { status } = await exchange(`${url}/${bucket.name}`, 'PUT', {});
    if (status >= 300 && status !== 409) throw new Error(`the bucket ${bucket.name} could not be made (${status})`);
  });
  await Promise.all([...queues, ...buckets]);
}
