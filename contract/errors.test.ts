import { expect, test } from 'vitest';
import { formatInvoiceNumber, invoiceNumberIn } from './billing/invoice-number.ts';
import {
  ApiError,
  ERRORS,
  forPeople,
  invalidField,
  invalidFieldOf,
  missingAmountOf,
  missingFunds,
  temporaryFailure,
} from './errors.ts';

test('the amount that the wallet lacks is read from its error, and from no other', () => {
  expect(missingAmountOf(missingFunds('1178.85', '. Top up first.'))).toBe('1178.85');
  expect(missingAmountOf(new ApiError('insufficient_funds'))).toBeUndefined();
});

test('the field that an error names is read from it', () => {
  expect(invalidFieldOf(invalidField('vars.0.key', 'must be: short'))).toEqual({
    field: 'vars.0.key',
    problem: 'must be: short',
  });
  expect(invalidFieldOf(new ApiError('invalid_request'))).toBeUndefined();
  expect(invalidFieldOf(new ApiError('conflict', 'name: is taken'))).toBeUndefined();
});

test('the advice to programs is shortened for people in every message about a temporary failure', () => {
  const messages = [ERRORS.server_error.message, temporaryFailure('The registry is away.', { status: 502 }).message];
  expect(messages.map(forPeople)).toEqual([
    'Something went wrong on our side. It is safe to retry.',
    'The registry is away. It is safe to retry.',
  ]);
});

test('an invoice number is found in a message', () => {
  const number = formatInvoiceNumber('2026', 1_234_567);
  expect([formatInvoiceNumber('2026', 1), number]).toEqual(['INV-2026-000001', 'INV-2026-1234567']);
  expect(invoiceNumberIn(`invoice ${number} is unpaid.`)).toBe(number);
  expect(invoiceNumberIn('no invoice')).toBeUndefined();
});
