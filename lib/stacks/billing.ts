import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { SecretValue, Validations } from 'aws-cdk-lib/core';
import type { Use } from '../constructs/rights.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';

/** External dependency of billing: the payment provider's key. */
export class BillingStack extends PlatformStack {
  /** Lets a function call the payment provider and verify its callbacks. */
  readonly payments: Use;

  constructor(platform: Platform) {
    super(platform, 'billing', 'Billing: the key of the payment provider');
    const { config, names } = platform;
    const key = new Secret(this, 'PaymentsKey', {
      secretName: names.paymentsKey,
      // The description changes with the setting, which makes CloudFormation read the key again wherever it is used.
      description: `The platform’s secret key at Paystack (version ${config.paymentsKeyVersion})`,
      // Created with a value that Paystack refuses; an operator stores the real key (docs/runbook.md#payments).
      generateSecretString: { excludePunctuation: true, passwordLength: 40 },
    });
    Validations.of(key).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason: 'Paystack creates the key; an operator stores a new one and deploys',
    });
    this.payments = {
      variables: {
        PAYMENTS_BASE_URL: 'https://api.paystack.co',
        PAYMENTS_SECRET_KEY: SecretValue.secretsManager(names.paymentsKey).unsafeUnwrap(),
        PAYMENTS_KEY_VERSION: config.paymentsKeyVersion,
      },
    };
  }
}
