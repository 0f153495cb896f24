import {
  AccountRecovery,
  CfnManagedLoginBranding,
  FeaturePlan,
  ManagedLoginVersion,
  Mfa,
  OAuthScope,
  UserPool,
} from 'aws-cdk-lib/aws-cognito';
import { CfnOutput, Duration, RemovalPolicy, Validations } from 'aws-cdk-lib/core';
import { ACCESS_TOKEN_S } from '../../contract/accounts/session.ts';
import type { Use } from '../constructs/rights.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';

/** The dashboard's logins: a Cognito user pool with managed login pages, and the dashboard as its only client. */
export class LoginStack extends PlatformStack {
  readonly issuer: string;
  readonly clientId: string;
  /** Origin of the issuer's configuration document. */
  readonly issuerOrigin: string;
  /** Origin of the sign-in pages and the token endpoint. */
  readonly pages: string;
  /** Verifies logins. The issuer's keys are public, so there are variables but no permissions. */
  readonly check: Use;

  constructor(platform: Platform) {
    super(platform, 'login', 'The logins of the dashboard');
    const { config } = platform;
    const pool = new UserPool(this, 'Users', {
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
      deletionProtection: config.keepsData,
      removalPolicy: config.keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    Validations.of(pool).acknowledge(
      {
        id: 'AwsSolutions-COG1',
        reason:
          'a minimum length without composition rules, as NIST SP 800-63B recommends and password managers generate',
      },
      { id: 'AwsSolutions-COG2', reason: 'each user may enable a second factor' },
      { id: 'AwsSolutions-COG8', reason: 'threat protection is priced per user; an operator may enable it' },
    );

    const dashboard = `${config.publicUrl}/dashboard`;
    const client = pool.addClient('Dashboard', {
      userPoolClientName: 'dashboard',
      // The client runs in browsers, which cannot keep a secret; authorization code with PKCE replaces it.
      generateSecret: false,
      oAuth: {
        flows: { authorizationCodeGrant: true },
        scopes: [OAuthScope.OPENID, OAuthScope.EMAIL, OAuthScope.PROFILE],
        callbackUrls: [`${dashboard}/callback`],
        logoutUrls: [`${dashboard}/`],
      },
      accessTokenValidity: Duration.seconds(ACCESS_TOKEN_S),
      idTokenValidity: Duration.hours(1),
      refreshTokenValidity: Duration.days(30),
      refreshTokenRotationGracePeriod: Duration.seconds(60),
      enableTokenRevocation: true,
      preventUserExistenceErrors: true,
    });
    const domain = pool.addDomain('Pages', {
      cognitoDomain: { domainPrefix: config.loginPrefix },
      managedLoginVersion: ManagedLoginVersion.NEWER_MANAGED_LOGIN,
    });
    const branding = new CfnManagedLoginBranding(this, 'Branding', {
      userPoolId: pool.userPoolId,
      clientId: client.userPoolClientId,
      useCognitoProvidedValues: true,
    });
    branding.node.addDependency(domain);

    this.issuer = pool.userPoolProviderUrl;
    this.clientId = client.userPoolClientId;
    this.issuerOrigin = `https://cognito-idp.${config.region}.amazonaws.com`;
    this.pages = `https://${config.loginPrefix}.auth.${config.region}.amazoncognito.com`;
    this.check = { variables: { LOGIN_ISSUER: this.issuer, LOGIN_CLIENT_ID: this.clientId } };
    new CfnOutput(this, 'Address', { value: this.pages, description: 'Sign-in pages' });
  }
}
