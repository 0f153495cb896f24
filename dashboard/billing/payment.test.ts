import { expect, test } from 'vitest';
import { paymentOf } from './payment.ts';

test('an invoice shows when it was paid, and a void one that nothing is due or that its payment was refunded', () => {
  const paidAt = '2026-11-20T12:00:00.000Z';
  expect(paymentOf({ status: 'PAID', paidAt })).toBe('20 Nov 2026');
  expect(paymentOf({ status: 'UNPAID', paidAt: null })).toBe('Not paid');
  expect(paymentOf({ status: 'VOID', paidAt: null })).toBe('Void');
  expect(paymentOf({ status: 'VOID', paidAt })).toBe('Refunded');
});
