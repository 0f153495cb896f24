import { expect, test } from 'vitest';
import { Delivery, Webhook } from '../../table/entities/webhooks.ts';
import { change, create } from '../../table/writes.ts';
import { webhookSimulation } from '../../test/simulation/webhooks.ts';
import { listDeliveries } from './management.ts';
import { readDeliveryStats } from './search.ts';

const ids = { accountId: 'acc_1', webhookId: 'whk_1' };
const caller = { accountId: ids.accountId, keyId: 'key' };
const page = { id: ids.webhookId, limit: 2, offset: 0 };

/** An endpoint with a delivery for each of the statuses, an hour apart, the first one newest. */
async function endpointWith(statuses: readonly Delivery['status'][]) {
  const { steady: deps } = webhookSimulation();
  const now = deps.now().getTime();
  const at = (hours: number) => new Date(now - hours * 3_600_000).toISOString();
  const secret = { ciphertext: '', wrappedKey: '', iv: '' };
  await deps.table.write(
    Webhook,
    create(Webhook, {
      id: ids.webhookId,
      accountId: ids.accountId,
      url: 'https://a',
      description: '',
      events: ['*'],
      active: true,
      failureCount: 0,
      disabledAt: null,
      secret,
      createdAt: at(100),
    }),
  );
  for (const [index, status] of statuses.entries()) {
    const outcome = status === 'DELIVERED' ? ('DELIVERED' as const) : ('TIMEOUT' as const);
    const attempt = { id: 'att', at: at(index), outcome, responseStatus: null, responseBody: '' };
    await deps.table.write(
      Delivery,
      create(Delivery, {
        ...ids,
        id: `del_${index}`,
        eventId: 'evt',
        type: index === 0 ? 'ping' : 'app.created',
        body: '{}',
        status,
        createdAt: at(index + 0.5),
        nextAttemptAt: status === 'PENDING' ? at(-1) : null,
        step: 1,
        tries: 1,
        attempts: status === 'SKIPPED' ? [] : [{ ...attempt, durationMs: (index + 1) * 100 }],
      }),
    );
  }
  return { deps, at };
}
const found = async (listing: ReturnType<typeof listDeliveries>) => {
  const { data, has_more } = await listing;
  return { ids: data.map(({ id }) => id), has_more };
};

test('deliveries are found by status, type and time, page by page', async () => {
  const { deps, at } = await endpointWith(['DELIVERED', 'FAILED', 'DELIVERED', 'FAILED', 'FAILED']);
  const list = (filter: object) => found(listDeliveries(deps, caller, { ...page, ...filter }));
  expect(await list({ status: 'FAILED' })).toEqual({ ids: ['del_1', 'del_3'], has_more: true });
  expect(await list({ status: 'FAILED', cursor: 'del_3' })).toEqual({ ids: ['del_4'], has_more: false });
  expect(await list({ status: 'FAILED', offset: 2 })).toEqual({ ids: ['del_4'], has_more: false });
  expect(await list({ type: 'ping' })).toEqual({ ids: ['del_0'], has_more: false });
  expect(await list({ from: at(3), to: at(1) })).toEqual({ ids: ['del_1', 'del_2'], has_more: false });
  expect(await list({ from: at(3), to: at(1), cursor: 'del_1' })).toEqual({ ids: ['del_2'], has_more: false });
  const backwards = listDeliveries(deps, caller, { ...page, from: at(1), to: at(3) });
  await expect(backwards).rejects.toMatchObject({ code: 'invalid_request' });
});

test('failures are found behind more deliveries than one request reads', async () => {
  const statuses = Array.from({ length: 2100 }, (_, index) => (index % 2090 === 5 ? 'FAILED' : 'DELIVERED'));
  const { deps } = await endpointWith(statuses as Delivery['status'][]);
  const filter = { ...page, limit: 50, status: 'FAILED' as const };
  const first = await listDeliveries(deps, caller, filter);
  expect(first).toMatchObject({ data: [{ id: 'del_5' }], has_more: true, cursor: 'del_1999' });
  const next = await found(listDeliveries(deps, caller, { ...filter, cursor: first.cursor }));
  expect(next).toEqual({ ids: ['del_2095'], has_more: false });
});

test('figures count deliveries by period, the attempts’ durations, and what waits until when', async () => {
  const { deps, at } = await endpointWith(['PENDING', 'DELIVERED', 'FAILED', 'SKIPPED', 'DELIVERED']);
  const { data } = await readDeliveryStats(deps, caller, { id: ids.webhookId, range: 'day' });
  expect(data.totals).toEqual({
    delivered: 2,
    failed: 1,
    skipped: 1,
    pending: 1,
    attempts: 4,
    p50Ms: 200,
    p95Ms: 500,
  });
  expect(data).toMatchObject({ nextAttemptAt: at(-1), complete: true });
  expect(data.points).toHaveLength(24);
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  expect(sum(data.points.map(({ deliveries }) => deliveries))).toBe(5);
  expect(sum(data.points.map(({ failed }) => failed))).toBe(2);
  expect(sum(data.points.map(({ pending }) => pending))).toBe(1);
  expect(sum(data.points.map(({ attempts }) => attempts))).toBe(4);
  const other = readDeliveryStats(deps, { ...caller, accountId: 'acc_2' }, { id: ids.webhookId, range: 'day' });
  await expect(other).rejects.toMatchObject({ code: 'not_found' });
});

test('figures count all attempts of a delivery that was resent often, not only those whose durations are kept', async () => {
  const { deps } = await endpointWith(['DELIVERED', 'SKIPPED']);
  const made = { count: 18, durations: Array.from({ length: 12 }, () => 400), lastOutcome: 'TIMEOUT' };
  const resent = { accountId: ids.accountId, id: 'del_1' };
  await deps.table.write(Delivery, change(Delivery, resent, { set: { made, status: 'FAILED' } }));
  const { data } = await readDeliveryStats(deps, caller, { id: ids.webhookId, range: 'day' });
  expect(data.totals).toMatchObject({ failed: 1, attempts: 19, p50Ms: 400 });
  expect(data.points.reduce((total, { attempts }) => total + attempts, 0)).toBe(19);
});
