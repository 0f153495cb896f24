import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { createFailureQueue } from '../../providers/queues/failure-queue.ts';
import { callAws } from '../../runtime/aws/client.ts';
import { startChildren } from '../processes/children.ts';
import { freePort } from '../processes/ports.ts';
import { startQueues } from './queues.ts';

const folder = mkdtempSync(join(tmpdir(), 'queues-'));
const children = startChildren(folder, { temporary: true, onExit: () => undefined });
afterAll(async () => {
  vi.unstubAllEnvs();
  await children.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('a message that is released from a stored queue can be received again', async () => {
  const url = await startQueues({
    port: await freePort(),
    region: 'af-south-1',
    sessionsDir: folder,
    folder,
    children,
  });
  vi.stubEnv('AWS_ENDPOINT_URL_SQS', url);
  vi.stubEnv('AWS_REGION', 'af-south-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  const callSqs = <Output>(operation: string, input: object): Promise<Output> => callAws('sqs', operation, input);
  const { QueueUrl } = await callSqs<{ QueueUrl: string }>('CreateQueue', { QueueName: 'failed' });
  await callSqs('SendMessage', { QueueUrl, MessageBody: 'kept' });
  const queue = createFailureQueue(callSqs, QueueUrl);
  const [taken] = await queue.take(600);
  if (!taken) throw new Error('The message was not received');
  await queue.release(taken);
  await expect.poll(() => queue.take(600), { timeout: 30_000 }).toMatchObject([{ id: taken.id, body: 'kept' }]);
});
