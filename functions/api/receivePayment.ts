import { receivePayment as route } from '../../contract/billing/top-ups.ts';
import { identifyCallback, receivePayment } from '../../domain/top-ups.ts';
import { hook } from '../../runtime/hook.ts';
import { payments } from '../../runtime/payments.ts';

/** POST /hooks/payments */
export const handler = hook(route, { identify: identifyCallback, act: receivePayment }, { payments });
