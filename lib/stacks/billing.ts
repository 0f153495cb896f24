import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { SecretValue, Validations } from 'aws-cdk-lib/core';
import type { Use } from '../constructs/rights.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';

/** What billing needs of the outside: the card processor's key. */
export class BillingStack extends PlatformStack {
  /** Asking the card processor, and knowing its callbacks. */
  readonly payments: Use;

  constructor(platform: Platform) {
    super(platform, 'billing', 'Billing: the key of the card processor');
    const { config, names } = platform;
    const key = new Secret(this, 'PaymentsKey', {
      secretName: names.paymentsKey,
      // Its text changes with the setting, and so CloudFormation reads the key anew wherever it is filled in.
      description: `Our secret key at Paystack (version ${config.paymentsKeyVersion})`,
      // Made with a value that Paystack refuses; an operator puts the real one in (docs/runbook.md#payments).
      generateSecretString: { excludePunctuation: true, passwordLength: 40 },
    });
    Validations.of(key).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason: 'the key is made by Paystack; an operator puts a new one in and deploys',
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
