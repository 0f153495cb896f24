import { receivePayment as route } from '../../contract/billing/top-ups.ts';
import { identifyCallback, receivePayment } from '../../domain/billing/top-ups.ts';
import { payments } from '../../runtime/bindings/payments.ts';
import { hook } from '../../runtime/http/hook.ts';

/** POST /hooks/payments */
export const handler = hook(route, { identify: identifyCallback, act: receivePayment }, { payments });
