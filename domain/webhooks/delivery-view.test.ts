import { expect, test } from 'vitest';
import { Delivery, DeliveryAttempt } from '../../table/entities/webhooks.ts';
import { create } from '../../table/writes.ts';
import { webhookSimulation } from '../../test/simulation/webhooks.ts';
import { viewDeliveries } from './delivery-view.ts';

const LAMBDA_LIMIT = 6 * 1024 * 1024;
const resultSize = (value: unknown) => Buffer.byteLength(JSON.stringify({ body: JSON.stringify(value) }));

/** Deliveries of an endpoint with twelve attempts each, to which the receiver answered with text like this. */
async function answered(count: number, text: string) {
  const { steady, caller } = webhookSimulation();
  const { accountId } = caller;
  const created = '2026-01-31T09:30:00.000Z';
  const made = { count: 12, durations: [], lastOutcome: 'BAD_STATUS' as const };
  const page = Array.from({ length: count }, (_, n) =>
    Delivery.parse({
      id: `dlv_${n}`,
      accountId,
      webhookId: 'whk_1',
      eventId: 'evt_1',
      type: 'ping',
      body: '{"id":"evt_1"}',
      status: 'FAILED',
      nextAttemptAt: null,
      attempts: [],
      made,
      step: 12,
      tries: 12,
      createdAt: created,
    }),
  );
  const attempt = { outcome: 'BAD_STATUS', responseStatus: 500, durationMs: 1, timing: null, at: created } as const;
  const responseBody = text.repeat(8192).slice(0, 8192);
  const responseHeaders = 'A:\n'.repeat(341);
  for (const { id: deliveryId } of page)
    for (let number = 0; number < 12; number += 1) {
      const { timing: _, ...rest } = attempt;
      const item = { ...rest, accountId, deliveryId, number, id: `att_${number}`, responseBody, responseHeaders };
      await steady.table.transact([create(DeliveryAttempt, item)]);
    }
  return await viewDeliveries(steady, page);
}

test.each(['x', '"', '\u001b', 'é'])(
  'a page of long answers of %j fits into a response, the newest first',
  async (text) => {
    const shown = await answered(100, text);
    expect(resultSize({ data: shown, has_more: true })).toBeLessThan(LAMBDA_LIMIT);
    expect(shown).toHaveLength(100);
    for (const { attempts } of shown)
      expect(attempts.map(({ id }) => id)).toEqual(shown[0]?.attempts.map(({ id }) => id));
    // The newest attempt of each comes first, then the one before.
    const lengths = Array.from({ length: 12 }, (_, age) =>
      shown.map(({ attempts }) => attempts.at(-1 - age)?.responseBody.length ?? 0),
    ).flat();
    expect(lengths[0]).toBeGreaterThan(4000);
    expect(lengths.toSorted((a, b) => b - a)).toEqual(lengths);
  },
);

test('a page that fits is shown whole', async () => {
  const [one] = await answered(3, '<p class="a">');
  expect(one?.attempts.map(({ responseBody }) => responseBody.length)).toEqual(Array.from({ length: 12 }, () => 8192));
  expect(one?.attempts[0]?.responseHeaders).toHaveLength(341);
});
