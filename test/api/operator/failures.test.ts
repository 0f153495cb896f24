import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { listOperatorAudit } from '../../../contract/operator/accounts.ts';
import {
  discardFailures,
  FAILURE_NAMES,
  listFailures,
  readFailures,
  replayFailures,
} from '../../../contract/operator/failures.ts';
import { codeOf, local, waitFor } from '../../support/harness.ts';
import { newOperator } from '../../support/operator.ts';

const body = { reason: 'The cause is mended.' };

/** Puts a message into a failure queue, as a queue does after the last attempt. */
async function fail(variable: string, message: object): Promise<void> {
  Object.assign(process.env, local.environment);
  const { callAws } = await import('../../../runtime/aws/client.ts');
  const QueueUrl = local.environment[variable];
  await callAws('sqs', 'SendMessage', { QueueUrl, MessageBody: JSON.stringify(message) });
}

const newDelivery = () => ({
  ...{ accountId: 'acc_failed', webhookId: 'whk_failed', eventId: `evt_${randomUUID()}` },
  ...{ deliveryId: `dlv_${randomUUID()}`, step: 3 },
});

test('what failed is listed in words, replayed and discarded, and the log has the reason', async () => {
  const operator = await newOperator();
  const countOf = async (name: string) => {
    const { data } = (await operator.call(listFailures)).body;
    expect(data.map((each) => each.name)).toEqual([...FAILURE_NAMES]);
    return data.find((each) => each.name === name)?.count;
  };
  const [delivery, job] = [newDelivery(), `no table ${randomUUID()}`];
  await fail('DELIVERY_FAILURES_URL', delivery);
  await fail('DNS_FAILURES_URL', { accountId: 'acc_failed', domainId: 'dom_failed' });
  await fail('SCHEDULE_FAILURES_URL', {
    requestContext: { functionArn: 'arn:aws:lambda:x:0:function:job', condition: 'RetriesExhausted' },
    responsePayload: { errorMessage: job },
  });
  await waitFor(async () => (await countOf('deliveries')) === 1);
  const shown = async (name: 'deliveries' | 'schedules') =>
    (await operator.call(readFailures, { params: { name } })).body.data;
  expect(await shown('deliveries')).toEqual([
    expect.objectContaining({
      description: `Attempt 4 at delivery ${delivery.deliveryId} of event ${delivery.eventId} to endpoint whk_failed`,
      accountId: 'acc_failed',
    }),
  ]);
  expect(await shown('schedules')).toEqual([expect.objectContaining({ description: 'Run of job', error: job })]);

  // What was shown is hidden from others for a second.
  const replayed = await waitFor(async () => {
    const answer = await operator.call(replayFailures, { params: { name: 'deliveries' }, body });
    return answer.body.data.count > 0 && answer;
  });
  expect(replayed.body).toEqual({ data: { count: 1 } });
  await waitFor(async () => (await countOf('deliveries')) === 0);
  expect((await operator.call(replayFailures, { params: { name: 'dns' }, body })).body.data.count).toBe(1);
  const nothing = await operator.call(replayFailures, { params: { name: 'schedules' }, body });
  expect([codeOf(nothing), nothing.error?.message]).toEqual(['conflict', expect.stringContaining('nothing to replay')]);
  await waitFor(async () => {
    const { data } = (await operator.call(discardFailures, { params: { name: 'schedules' }, body })).body;
    return data.count === 1;
  });
  const { data } = (await operator.call(listOperatorAudit)).body;
  const own = data.filter(({ actor, after }) => actor.id === operator.subject && after?.count === 1);
  expect(own.map(({ action, subjectId, reason }) => [action, subjectId, reason])).toEqual([
    ['failures.discarded', 'schedules', body.reason],
    ['failures.replayed', 'dns', body.reason],
    ['failures.replayed', 'deliveries', body.reason],
  ]);
}, 90_000);

test('the command replays without the API, and tells how it is used', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'operate-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'local.json');
  writeFileSync(file, JSON.stringify({ environment: local.environment }));
  const operate = (...args: string[]): string =>
    execFileSync(process.execPath, ['scripts/operate.ts', ...args], {
      encoding: 'utf8',
      env: { ...process.env, LOCAL_JSON: file },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  await fail('STREAM_FAILURES_URL', { unknown: 'kind' });
  const listed = JSON.parse(operate('list', 'stream', '--local'));
  expect(listed.data).toEqual([expect.objectContaining({ description: '{"unknown":"kind"}' })]);
  await waitFor(async () => {
    const { data } = JSON.parse(operate('discard', 'stream', '--reason', 'Mended.', '--local'));
    return data.count === 1;
  });
  expect(() => operate('replay', 'deliveries', '--local')).toThrow();
}, 90_000);
