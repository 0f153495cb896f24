/**
 * Returns the date of an invoice's payment, or its state, as invoices on paper and on the screen show it. A void invoice may have been paid
 * before.
 * @param formatDate formats a timestamp
 */
export function describePayment(
  { status, paidAt }: { status: string; paidAt: string | null },
  formatDate: (at: string) => string,
): string {
  if (status === 'VOID') return paidAt === null ? 'Void' : 'Refunded';
  return paidAt === null ? 'Not paid' : formatDate(paidAt);
}
