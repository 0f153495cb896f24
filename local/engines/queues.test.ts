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

const SETTINGS = { region: 'af-south-1', sessionsDir: folder, folder };
type Call = <Output>(operation: string, input: object) => Promise<Output>;
const callSqs: Call = (operation, input) => callAws('sqs', operation, input);

/** Starts the queues on a port, and has this process call them. */
async function startOn(port: number, started = children): Promise<void> {
  vi.stubEnv('AWS_ENDPOINT_URL_SQS', await startQueues({ ...SETTINGS, port, children: started }));
  vi.stubEnv('AWS_REGION', SETTINGS.region);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
}

test('a message that a run received and did not delete is received again after a restart, before its visibility timeout ends', async () => {
  const port = await freePort();
  const previous = startChildren(folder, { onExit: () => undefined });
  await startOn(port, previous);
  const { QueueUrl } = await callSqs<{ QueueUrl: string }>('CreateQueue', { QueueName: 'interrupted' });
  await callSqs('SendMessage', { QueueUrl, MessageBody: 'kept' });
  const queue = createFailureQueue(callSqs, QueueUrl);
  const [taken] = await queue.take(600);
  expect(taken).toMatchObject({ body: 'kept' });
  expect(await queue.take(600)).toEqual([]);
  await previous.stop();
  await startOn(port);
  expect(await queue.take(600)).toMatchObject([{ id: taken?.id, body: 'kept' }]);
});

test('a message that is released from a stored queue can be received again', async () => {
  await startOn(await freePort());
  const { QueueUrl } = await callSqs<{ QueueUrl: string }>('CreateQueue', { QueueName: 'failed' });
  await callSqs('SendMessage', { QueueUrl, MessageBody: 'kept' });
  const queue = createFailureQueue(callSqs, QueueUrl);
  const [taken] = await queue.take(600);
  if (!taken) throw new Error('The message was not received');
  await queue.release(taken);
  await expect.poll(() => queue.take(600), { timeout: 30_000 }).toMatchObject([{ id: taken.id, body: 'kept' }]);
});
