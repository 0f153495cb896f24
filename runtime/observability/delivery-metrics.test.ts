import { expect, test } from 'vitest';
import { reportAttempt } from './delivery-metrics.ts';

test('the report of an attempt names the delivery, and holds nothing of what was sent', () => {
  const ids = { accountId: 'acc_1', webhookId: 'whk_1', eventId: 'evt_1', deliveryId: 'dlv_1', step: 0 };
  const content = { type: 'app.created', createdAt: '2026-01-31T09:30:00.000Z', body: '{"name":"Private"}' };
  const report = reportAttempt({ ...ids, content }, { outcome: 'DELIVERED', durationMs: 5, disabled: false });
  expect(report).toMatchObject(ids);
  expect(JSON.stringify(report)).not.toMatch(/Private|content|body/);
});
