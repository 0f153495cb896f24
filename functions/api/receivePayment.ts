import { receivePayment as route } from '../../contract/billing/top-ups.ts';
import { identifyCallback, receivePayment } from '../../domain/billing/payment-callbacks.ts';
import { payments } from '../../runtime/bindings/payments.ts';
import { hook } from '../../runtime/http/hook.ts';
import { reportDispute } from '../../runtime/observability/payment-metrics.ts';

/** POST /hooks/payments */
export const handler = hook(route, { identify: identifyCallback, act: receivePayment }, { payments, reportDispute });
