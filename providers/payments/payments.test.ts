import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { keptKey } from '../../test/support/platform-key.ts';
import { ChargeRefused, createPayments, PaymentProviderError } from './payments.ts';

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
