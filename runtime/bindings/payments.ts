import { createPayments } from '../../providers/payments/paystack.ts';
import { openKey } from '../aws/secret-values.ts';
import { required } from '../config.ts';

export const payments = createPayments(required('PAYMENTS_BASE_URL'), openKey(required('PAYMENTS_SECRET_NAME')));
