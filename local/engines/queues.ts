import { fileURLToPath } from 'node:url';
import { UserError } from '../data-directory.ts';
import type { Children } from '../processes/children.ts';
import type { JsonObject } from '../template/intrinsics.ts';
import type { Resource, Template } from '../template/template.ts';
import { call, sendRequest, WireError, waitUntilUp } from './wire.ts';

export interface QueuesOptions {
  /** Must be the same in every run, because the queues' stored URLs contain it. */
  port: number;
  region: string;
  /** Directory of the key that signs sessions (local/emulators/sts/sessions.ts). */
  sessionsDir: string;
  /** URL of the authorizer (local/iam/authorizer-server.ts); undefined allows all requests. */
  authorizerUrl?: string | undefined;
  /** Directory of messages and objects; undefined keeps them in memory. */
  folder?: string | undefined;
  children: Children;
}

/** Starts SQS and S3 (fauxqs, as a child process) and resolves with their address. */
export async function startQueues({
  port,
  region,
  sessionsDir,
  authorizerUrl = '',
  folder,
  children,
}: QueuesOptions): Promise<string> {
  const server = fileURLToPath(new URL('./queue-server.ts', import.meta.url));
  const args = [server, String(port), region, sessionsDir, authorizerUrl, ...(folder ? [folder] : [])];
  const child = children.spawn(process.execPath, args, {
    label: 'queues',
    essential: true,
  });
  const url = `http://127.0.0.1:${port}`;
  await waitUntilUp(
    () => sendRequest(`${url}/health`, 'GET', {}),
    () => {
      if (child.exitCode === null && child.signalCode === null) return;
      throw new UserError('SQS and S3 (fauxqs) did not start. Its output is in logs/queues.log of the data directory.');
    },
  );
  return url;
}

/** Properties of queue resources that are queue attributes of the same name. */
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

/** Returns the region of an ARN. */
const regionOf = (arn: string): string => arn.split(':')[3] ?? '';

/** Creates the template's missing queues and buckets, and applies the template's queue attributes. */
export async function createQueuesAndBuckets(url: string, template: Template): Promise<void> {
  const queues = template.resources('AWS::SQS::Queue').map(async (queue) => {
    const Attributes = attributesOf(queue);
    try {
      await call(url, 'sqs', 'CreateQueue', { QueueName: queue.name, Attributes }, { region: regionOf(queue.arn) });
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      // The queue exists with other attributes; the template's take precedence.
      await call(url, 'sqs', 'SetQueueAttributes', { QueueUrl: queue.ref, Attributes });
    }
  });
  const buckets = template.resources('AWS::S3::Bucket').map(async (bucket) => {
    const { status } = await sendRequest(`${url}/${bucket.name}`, 'PUT', {});
    if (status >= 300 && status !== 409) throw new Error(`The bucket ${bucket.name} could not be created (${status})`);
  });
  await Promise.all([...queues, ...buckets]);
}
