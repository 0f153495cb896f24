import type { Use } from '../constructs/rights.ts';
import { createEmptySecret, readsSecret } from '../constructs/secrets.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';

/** External dependency of billing: the payment provider's key. */
export class BillingStack extends PlatformStack {
  /** Lets a function call the payment provider and verify its callbacks. */
  readonly payments: Use;

  constructor(platform: Platform) {
    super(platform, 'billing', 'Billing: the key of the payment provider');
    const { names } = platform;
    createEmptySecret(this, 'PaymentsKey', names.paymentsKey, {
      description: 'The platform’s secret key at Paystack; without it, card payments are off',
      reason: 'Paystack creates the key; an operator stores a new one (docs/runbook.md#payments)',
    });
    const { variables, rights = [] } = readsSecret('PAYMENTS_SECRET_NAME', names.paymentsKey);
    this.payments = { variables: { PAYMENTS_BASE_URL: 'https://api.paystack.co', ...variables }, rights };
  }
}
