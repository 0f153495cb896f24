import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { keptKey } from '../../test/support/platform-key.ts';
import { ChargeRefused, type Dispute, type Payment, PaymentProviderError } from './payments.ts';
import { createPayments } from './paystack.ts';

/** A provider that answers as Paystack documents it. */
async function paystack(answer: (url: URL) => { status?: number; body: object }) {
  const server = createServer((request, response) => {
    const { status = 200, body } = answer(new URL(request.url ?? '/', 'http://localhost'));
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  return createPayments(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, keptKey('sk_test'));
}

const SINCE = new Date('2026-01-01T00:00:00.000Z');
const disputes = (count: number) =>
  Array.from({ length: count }, (_, id) => ({
    id,
    refund_amount: null,
    transaction: { id: 1, reference: `ref-${id}`, amount: 39_100 },
    ...(id % 3 === 0 ? { status: 'resolved', resolution: 'declined' } : { status: 'pending', resolution: null }),
  }));

test('lists all disputes since a date, page by page, with their states, and leaves archived ones out', async () => {
  const all = [...disputes(120), { id: 900, status: 'archived', resolution: null }];
  const payments = await paystack(({ pathname, searchParams }) => {
    expect([pathname, searchParams.get('from')]).toEqual(['/dispute', SINCE.toISOString()]);
    const [page, perPage] = [Number(searchParams.get('page')), Number(searchParams.get('perPage'))];
    const data = all.slice((page - 1) * perPage, page * perPage);
    return { body: { status: true, message: 'Disputes retrieved', data } };
  });
  const listed = await payments.listDisputes(SINCE);
  expect(listed.map(({ id }) => id)).toEqual(Array.from({ length: 120 }, (_, id) => String(id)));
  expect(listed.slice(0, 2).map(({ status }) => status)).toEqual(['WON', 'OPEN']);
});

test.each([
  { status: 503, body: {} },
  { status: 401, body: { status: false, message: 'Invalid key' } },
  { body: { status: true, message: 'Disputes retrieved', data: [{ status: 'pending' }] } },
])('an answer that is no list of disputes is an error: %j', async (answer) => {
  const payments = await paystack(() => answer);
  await expect(payments.listDisputes(SINCE)).rejects.toThrow(PaymentProviderError);
});

describe('a charge of a saved card', () => {
  const charge = async (status: number, message: string) => {
    const payments = await paystack(() => ({ status, body: { status: false, message } }));
    const card = { authorization: 'AUTH_1', email: 'a@example.com' };
    return await payments.charge({ ...card, reference: 'pay-1', amountCents: 100 }).catch((error) => error);
  };

  test('that the provider refuses permanently is a ChargeRefused', async () => {
    expect(await charge(400, 'Invalid authorization code')).toBeInstanceOf(ChargeRefused);
  });

  test('that was made before is not an error', async () => {
    expect(await charge(400, 'Duplicate Transaction Reference')).toBeUndefined();
  });

  test.each([401, 403, 429, 500])('that fails for other reasons (%i) says nothing about the card', async (status) => {
    const error = await charge(status, 'No');
    expect(error).toBeInstanceOf(PaymentProviderError);
    expect(error).not.toBeInstanceOf(ChargeRefused);
  });
});

describe('a payment', () => {
  const read = async (data: object) => {
    const paid = { status: 'success', amount: 10_000, currency: 'ZAR', customer: { email: 'a@example.com' }, ...data };
    const payments = await paystack(() => ({ body: { status: true, message: 'Verification successful', data: paid } }));
    return await payments.find('pay-1');
  };
  const saved = { authorization_code: 'AUTH_1', signature: 'SIG_1', reusable: true, brand: 'visa', last4: '4081' };
  const card = { authorization: 'AUTH_1', email: 'a@example.com', brand: 'visa', lastFour: '4081' };

  test.each<[object, Partial<Payment>]>([
    [{ authorization: saved }, { status: 'SUCCEEDED', amountCents: 10_000, card, signature: 'SIG_1' }],
    [{ authorization: { ...saved, reusable: false } }, { card: undefined, signature: 'SIG_1' }],
    [{ authorization: { ...saved, signature: null } }, { card, signature: 'AUTH_1' }],
    [{ authorization: { reusable: true } }, { card: undefined, signature: undefined }],
    [{ authorization: null }, { status: 'SUCCEEDED', card: undefined, signature: undefined }],
    [
      { status: 'failed', amount: 500 },
      { status: 'FAILED', amountCents: 500 },
    ],
    ...['abandoned', 'ongoing', 'reversed', 'toString'].map((status): [object, Partial<Payment>] => [
      { status },
      { status: 'OPEN' },
    ]),
  ])('is read with its state, amount and card: %j', async (data, expected) => {
    expect(await read(data)).toMatchObject(expected);
  });

  test('in another currency is an error', async () => {
    await expect(read({ currency: 'NGN' })).rejects.toThrow(/a payment in NGN/);
  });
});

describe('a dispute', () => {
  const transaction = { reference: 'pay-1', amount: 10_000 };
  test.each<[object, Partial<Dispute>]>([
    [
      { refund_amount: 400, status: 'pending' },
      { id: '7', reference: 'pay-1', amountCents: 400, status: 'OPEN' },
    ],
    [
      { refund_amount: null, status: 'resolved', resolution: 'declined' },
      { amountCents: 10_000, status: 'WON' },
    ],
    [{ status: 'resolved', resolution: 'merchant-accepted' }, { status: 'LOST' }],
    [{ status: 'resolved', resolution: 'auto-accepted' }, { status: 'LOST' }],
    [{ status: 'resolved', resolution: null }, { status: 'OPEN' }],
    [{ status: 'awaiting-bank-feedback', resolution: 'declined' }, { status: 'OPEN' }],
  ])('is read with its state and amount: %j', async (data, expected) => {
    const payments = await paystack(() => ({ body: { status: true, message: '', data: { transaction, ...data } } }));
    expect(await payments.findDispute('7')).toMatchObject(expected);
  });
});

test.each([
  [400, 'Invalid transaction reference', undefined],
  [404, 'Transaction reference not found', undefined],
  [401, 'Invalid key', 'error'],
  [400, 'Rejected', 'error'],
  [503, 'Dispute not found', 'error'],
])('a payment or dispute is unknown only if the provider says so: %i %s', async (status, message, expected) => {
  const payments = await paystack(() => ({ status, body: { status: false, message } }));
  for (const read of [() => payments.find('pay-1'), () => payments.findDispute('7')])
    expect(await read().catch((error) => error instanceof PaymentProviderError && 'error')).toBe(expected);
});

test.each([
  ['charge.success', { reference: 'pay-1' }, { reference: 'pay-1' }],
  ['charge.failed', { id: 5, reference: 'pay-1' }, { reference: 'pay-1' }],
  ['charge.dispute.create', { id: 5, reference: 'pay-1' }, { disputeId: '5' }],
  ['charge.dispute.resolve', { id: '5' }, { disputeId: '5' }],
  ['charge.dispute.remind', { reference: 'pay-1' }, {}],
  ['transfer.success', { id: 5, reference: 'pay-1' }, {}],
])('a callback names its payment or its dispute: %s %j', async (event, data, expected) => {
  const body = Buffer.from(JSON.stringify({ event, data }));
  const signature = createHmac('sha512', 'sk_test').update(body).digest('hex');
  expect(await (await paystack(() => ({ body: {} }))).readCallback(body, signature)).toEqual(expected);
});
