import { expect, test } from 'vitest';
import { describePayment } from './invoice-payment.ts';

test('an invoice shows when it was paid, and a void one that nothing is due or that its payment was refunded', () => {
  const paidAt = '2026-11-20T12:00:00.000Z';
  const describe = (status: string, at: string | null) =>
    describePayment({ status, paidAt: at }, (date) => date.slice(0, 10));
  expect(describe('PAID', paidAt)).toBe('2026-11-20');
  expect(describe('UNPAID', null)).toBe('Not paid');
  expect(describe('VOID', null)).toBe('Void');
  expect(describe('VOID', paidAt)).toBe('Refunded');
});
