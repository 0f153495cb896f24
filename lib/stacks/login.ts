import {
  CfnManagedLoginBranding,
  CfnUserPoolClient,
  ManagedLoginVersion,
  OAuthScope,
  UserPoolClient,
  UserPoolDomain,
  UserPoolGroup,
} from 'aws-cdk-lib/aws-cognito';
import { CfnOutput, Duration } from 'aws-cdk-lib/core';
import {
  ACCESS_TOKEN_S,
  LOOPBACK_CALLBACKS,
  OPERATOR_GROUP,
  SECOND_FACTOR_CLIENT,
} from '../../contract/accounts/session.ts';
import type { Use } from '../constructs/rights.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';
import type { UsersStack } from './users.ts';

/** The dashboard's logins: the user pool's managed login pages, and a client for operators' second factors. */
export class LoginStack extends PlatformStack {
  readonly issuer: string;
  readonly clientId: string;
  /** Origin of the issuer's configuration document. */
  readonly issuerOrigin: string;
  /** Origin of the sign-in pages and the token endpoint. */
  readonly pages: string;
  /** Verifies logins. The issuer's keys are public, so there are variables but no permissions. */
  readonly check: Use;
  /** Deletes users. */
  readonly removeUsers: Use;

  constructor(platform: Platform, { pool }: UsersStack) {
    super(platform, 'login', 'The logins of the dashboard: pages and client');
    const { config } = platform;
    const dashboard = `${config.publicUrl}/dashboard`;
    const client = new UserPoolClient(this, 'Dashboard', {
      userPool: pool,
      userPoolClientName: 'dashboard',
      // The client runs in browsers, which cannot keep a secret; authorization code with PKCE replaces it.
      generateSecret: false,
      // Without a list, Cognito allows its default flows. They include refresh tokens, which are not allowed for a client with refresh token
      // rotation. The pages use the code flow below; SRP never sends a password.
      authFlows: { userSrp: true },
      oAuth: {
        flows: { authorizationCodeGrant: true },
        scopes: [OAuthScope.OPENID, OAuthScope.EMAIL, OAuthScope.PROFILE],
        callbackUrls: [`${dashboard}/callback`, ...LOOPBACK_CALLBACKS],
        logoutUrls: [`${dashboard}/`],
      },
      accessTokenValidity: Duration.seconds(ACCESS_TOKEN_S),
      idTokenValidity: Duration.hours(1),
      refreshTokenValidity: Duration.days(30),
      refreshTokenRotationGracePeriod: Duration.seconds(60),
      enableTokenRevocation: true,
      preventUserExistenceErrors: true,
    });
    const domain = new UserPoolDomain(this, 'Pages', {
      userPool: pool,
      cognitoDomain: { domainPrefix: config.loginPrefix },
      managedLoginVersion: ManagedLoginVersion.NEWER_MANAGED_LOGIN,
    });
    const branding = new CfnManagedLoginBranding(this, 'Branding', {
      userPoolId: pool.userPoolId,
      clientId: client.userPoolClientId,
      useCognitoProvidedValues: true,
    });
    branding.node.addDependency(domain);

    new UserPoolGroup(this, 'Operators', {
      userPool: pool,
      groupName: OPERATOR_GROUP,
      description: 'Operators of the platform: /operator/v1 and their part of the dashboard',
    });
    addSecondFactorClient(this, pool.userPoolId);

    this.issuer = pool.userPoolProviderUrl;
    this.clientId = client.userPoolClientId;
    this.issuerOrigin = `https://cognito-idp.${config.region}.amazonaws.com`;
    this.pages = `https://${config.loginPrefix}.auth.${config.region}.amazoncognito.com`;
    this.check = { variables: { LOGIN_ISSUER: this.issuer, LOGIN_CLIENT_ID: this.clientId } };
    this.removeUsers = {
      variables: { USER_POOL_ID: pool.userPoolId },
      rights: [{ actions: ['cognito-idp:AdminDeleteUser'], on: [pool.userPoolArn] }],
    };
    new CfnOutput(this, 'Address', { value: this.pages, description: 'Sign-in pages' });
  }
}

/** Minutes for an operator to add the secret to an authenticator app. */
const SECOND_FACTOR_MINUTES = 10;

/**
 * Adds the client with which `npm run operate -- second-factor` signs an operator in. Only callers with rights in this AWS account can use its
 * only flow, and the API refuses its tokens. It is not a `UserPoolClient`, because that would also allow refresh tokens.
 */
function addSecondFactorClient(stack: LoginStack, userPoolId: string): void {
  new CfnUserPoolClient(stack, 'SecondFactor', {
    userPoolId,
    clientName: SECOND_FACTOR_CLIENT,
    generateSecret: false,
    explicitAuthFlows: ['ALLOW_ADMIN_USER_PASSWORD_AUTH'],
    accessTokenValidity: SECOND_FACTOR_MINUTES,
    idTokenValidity: SECOND_FACTOR_MINUTES,
    // Cognito's minimum.
    refreshTokenValidity: 60,
    tokenValidityUnits: { accessToken: 'minutes', idToken: 'minutes', refreshToken: 'minutes' },
    enableTokenRevocation: true,
    preventUserExistenceErrors: 'ENABLED',
  });
}
