import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createMailer, type Mail } from '../../../providers/mail/mailer.ts';
import { type SentEmail, startSes } from './ses.ts';

const cleanUp: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const act of cleanUp.splice(0).reverse()) await act();
});

async function harness({ strict = false, from = 'no-reply@example.com' } = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'ses-'));
  cleanUp.push(() => rmSync(dataDir, { recursive: true }));
  const ses = await startSes({ dataDir, strict, identity: 'example.com', onSent: () => undefined });
  cleanUp.push(() => ses.stop());
  const post = (path: string, input: object) =>
    fetch(`${ses.url}${path}`, { method: 'POST', body: JSON.stringify(input) });
  const mailer = createMailer(async (path, input) => {
    const answer = await post(path, input);
    if (!answer.ok) throw new Error(`${answer.status} ${answer.headers.get('x-amzn-errortype')}`);
  }, from);
  const send = (mail: Partial<Mail> = {}) =>
    mailer.send({ to: 'a@example.org', subject: 'Hello', text: 'text', html: '<p>text</p>', ...mail });
  const sent = async () => (await (await fetch(`${ses.url}/messages`)).json()) as SentEmail[];
  const account = async () => await (await fetch(`${ses.url}/v2/email/account`)).json();
  return { send, sent, post, account };
}

test('keeps each email, the newest first, with its headers', async () => {
  const { send, sent, account } = await harness();
  await send();
  expect(await account()).toMatchObject({ SendQuota: { Max24HourSend: 50_000, SentLast24Hours: 1 } });
  await send({ subject: 'Again', unsubscribeUrl: 'https://example.com/stop' });
  expect(await sent()).toMatchObject([
    { subject: 'Again', to: ['a@example.org'], headers: { 'List-Unsubscribe': '<https://example.com/stop>' } },
    { subject: 'Hello', from: 'no-reply@example.com', text: 'text', html: '<p>text</p>', headers: {} },
  ]);
});

test('refuses a sender that is not verified, an invalid recipient and a line break in a header', async () => {
  const { send } = await harness();
  await expect(send({ to: 'nowhere' })).rejects.toThrow('400');
  await expect(send({ unsubscribeUrl: 'https://example.com/\r\nBcc: b@example.org' })).rejects.toThrow('400');
  const other = await harness({ from: 'no-reply@other.example' });
  await expect(other.send()).rejects.toThrow('400 MessageRejected');
  expect(await other.sent()).toEqual([]);
});

test('refuses an operation that it does not have', async () => {
  const { post } = await harness();
  expect((await post('/v2/email/identities', {})).status).toBe(404);
});

test('refuses more than 14 emails at once in a strict run', async () => {
  const { send } = await harness({ strict: true });
  const results = await Promise.allSettled(Array.from({ length: 40 }, () => send()));
  const refused = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []));
  expect(refused.length).toBeGreaterThan(0);
  expect(new Set(refused)).toEqual(new Set(['Error: 429 TooManyRequestsException']));
});
