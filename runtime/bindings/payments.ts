import { createPayments } from '../../providers/payments/payments.ts';
import { required } from '../config.ts';

export const payments = createPayments(required('PAYMENTS_BASE_URL'), required('PAYMENTS_SECRET_KEY'));
