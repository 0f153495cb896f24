import { AccountRecovery, FeaturePlan, Mfa, UserPool, UserPoolEmail } from 'aws-cdk-lib/aws-cognito';
import { Validations } from 'aws-cdk-lib/core';
import { dataRemoval } from '../constructs/retention.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';

/** Name of the sender of sign-up and password emails. */
const SENDER_NAME = 'Hosting';

/**
 * The user pool of the dashboard's logins. It has its own stack, because its deletion protection would make a rollback fail if another resource
 * of the stack could not be created.
 */
export class UsersStack extends PlatformStack {
  readonly pool: UserPool;

  constructor(platform: Platform) {
    super(platform, 'users', 'The users of the dashboard');
    const { config } = platform;
    this.pool = new UserPool(this, 'Users', {
      userPoolName: config.prefix,
      selfSignUpEnabled: true,
      signInAliases: { email: true },
      signInCaseSensitive: false,
      autoVerify: { email: true },
      // A changed email address takes effect once it is confirmed; until then the old address signs in.
      keepOriginal: { email: true },
      standardAttributes: { email: { required: true, mutable: true }, fullname: { required: false, mutable: true } },
      mfa: Mfa.OPTIONAL,
      mfaSecondFactor: { otp: true, sms: false },
      passwordPolicy: {
        minLength: 12,
        requireDigits: false,
        requireLowercase: false,
        requireSymbols: false,
        requireUppercase: false,
      },
      accountRecovery: AccountRecovery.EMAIL_ONLY,
      featurePlan: FeaturePlan.ESSENTIALS,
      ...(config.mailFrom ? { email: mailThroughSes(config.mailFrom, config.mailRegion) } : {}),
      deletionProtection: config.keepsData,
      removalPolicy: dataRemoval(config),
    });
    Validations.of(this.pool).acknowledge(
      {
        id: 'AwsSolutions-COG1',
        reason:
          'a minimum length without composition rules, as NIST SP 800-63B recommends and password managers generate',
      },
      {
        id: 'AwsSolutions-COG2',
        reason:
          'a required factor locks customers out: no page sets one up, and the command for it is for operators alone',
      },
      { id: 'AwsSolutions-COG8', reason: 'threat protection is priced per user; an operator may enable it' },
    );
  }
}

/**
 * Sends emails through the SES identity of the sender's domain, whose quota grows with its use. Cognito's own sender is limited to 50 emails a
 * day (https://docs.aws.amazon.com/cognito/latest/developerguide/quotas.html).
 */
function mailThroughSes(fromEmail: string, sesRegion: string): UserPoolEmail {
  const sesVerifiedDomain = fromEmail.slice(fromEmail.indexOf('@') + 1);
  return UserPoolEmail.withSES({ fromEmail, fromName: SENDER_NAME, sesRegion, sesVerifiedDomain });
}
