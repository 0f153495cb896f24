import { formatDate } from '../ui/TimeAgo.tsx';
import type { Invoice } from './api.ts';

/** Returns the date of an invoice's payment, or its state, as the PDF has it. A void invoice may have been paid before. */
export function paymentOf({ status, paidAt }: Pick<Invoice, 'status' | 'paidAt'>): string {
  if (status === 'VOID') return paidAt === null ? 'Void' : 'Refunded';
  return paidAt === null ? 'Not paid' : formatDate(paidAt);
}
