import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keptKey } from '../../test/support/platform-key.ts';
import { InvalidSignature, PaymentProviderError, PaymentsNotConfigured } from './payments.ts';
import { createPayments } from './paystack.ts';

/** A processor that takes one key. */
const taken = 'sk_live_new';
const asked: string[] = [];
let processor: Server;
let url = '';
beforeAll(async () => {
  processor = createServer(({ headers }, response) => {
    asked.push(String(headers.authorization));
    const isKnown = headers.authorization === `Bearer ${taken}`;
    const data = { authorization_url: 'https://pay.example/1' };
    response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(isKnown ? { status: true, message: '', data } : { status: false, message: 'Invalid key' }),
    );
  }).listen(0, '127.0.0.1');
  await once(processor, 'listening');
  const address = processor.address();
  url = typeof address === 'object' && address ? `http://127.0.0.1:${address.port}` : '';
});
afterAll(() => processor.close());

const payment = { reference: 'pay-1', amountCents: 100, email: 'a@example.com', returnTo: 'https://example.com' };
const body = Buffer.from(JSON.stringify({ event: 'charge.success', data: { reference: 'pay-1' } }));
const signedWith = (key: string, signed = body) => createHmac('sha512', key).update(signed).digest('hex');

test('a key that the processor refuses is read again, and the call repeated with the new one', async () => {
  asked.length = 0;
  expect(await createPayments(url, keptKey('sk_live_old', taken)).begin(payment)).toBe('https://pay.example/1');
  expect(asked).toEqual(['Bearer sk_live_old', `Bearer ${taken}`]);
});

test('a refusal stands if the key has not been replaced, without a second call', async () => {
  asked.length = 0;
  await expect(createPayments(url, keptKey('sk_live_old')).begin(payment)).rejects.toThrow(/Invalid key/);
  expect(asked).toHaveLength(1);
});

test('accepts callbacks signed with the new key, and no others', async () => {
  const payments = createPayments(url, keptKey('sk_live_old', taken));
  expect(await payments.readCallback(body, signedWith('sk_live_old'))).toEqual({ reference: 'pay-1' });
  expect(await payments.readCallback(body, signedWith(taken))).toEqual({ reference: 'pay-1' });
  for (const signature of [signedWith('-'), signedWith('guess'), '', undefined])
    await expect(payments.readCallback(body, signature)).rejects.toThrow(InvalidSignature);
});

test.each([
  ['text', 'not JSON'],
  ['nothing', ''],
  ['a long reference', JSON.stringify({ event: 'charge.success', data: { reference: 'x'.repeat(3000) } })],
])('a genuine callback with %s concerns no payment', async (_, text) => {
  const sent = Buffer.from(text);
  expect(await createPayments(url, keptKey(taken)).readCallback(sent, signedWith(taken, sent))).toEqual({});
});

test('without a stored key nothing is sent, and no callback is genuine', async () => {
  asked.length = 0;
  const payments = createPayments(url, keptKey(undefined));
  await expect(payments.begin(payment)).rejects.toThrow(PaymentsNotConfigured);
  await expect(payments.readCallback(body, signedWith('-'))).rejects.toThrow(PaymentProviderError);
  expect(asked).toEqual([]);
});
