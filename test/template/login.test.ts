import { App } from 'aws-cdk-lib/core';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { OPERATOR_GROUP, SECOND_FACTOR_CLIENT } from '../../contract/accounts/session.ts';
import { configure, type SettingsInput } from '../../lib/config.ts';
import { namesOf } from '../../lib/names.ts';
import { UsersStack } from '../../lib/stacks/users.ts';
import { read, synthesize, temporaryFolder } from './synthesized.ts';

const { template } = synthesize({ stage: 'prod', domain: 'hosting.example' });

test('the dashboard signs in with code and PKCE only, without a secret, and returns only to its own URLs and the command line', () => {
  const [client] = template.resources('AWS::Cognito::UserPoolClient');
  expect(client?.properties).toMatchObject({
    GenerateSecret: false,
    AllowedOAuthFlows: ['code'],
    AllowedOAuthScopes: ['openid', 'email', 'profile'],
    // Cognito compares letter by letter, and allows http for localhost only: the ports of the command line's sign-in.
    CallbackURLs: [
      'https://hosting.example/dashboard/callback',
      ...[8971, 8972, 8973, 8974, 8975].map((port) => `http://localhost:${port}/callback`),
    ],
    LogoutURLs: ['https://hosting.example/dashboard/'],
    EnableTokenRevocation: true,
    PreventUserExistenceErrors: 'ENABLED',
    RefreshTokenRotation: { Feature: 'ENABLED', RetryGracePeriodSeconds: 60 },
    RefreshTokenValidity: 30 * 24 * 60,
    TokenValidityUnits: { RefreshToken: 'minutes' },
    // Without these two, the pages offer no sign-in.
    AllowedOAuthFlowsUserPoolClient: true,
    SupportedIdentityProviders: ['COGNITO'],
  });
  // Cognito refuses a client whose refresh tokens rotate if ALLOW_REFRESH_TOKEN_AUTH, one of its default flows, is allowed:
  // https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-refresh-token.html
  expect(client?.properties.ExplicitAuthFlows).toEqual(['ALLOW_USER_SRP_AUTH']);
  const { AccessTokenValidity, TokenValidityUnits } = z
    .object({ AccessTokenValidity: z.number(), TokenValidityUnits: z.object({ AccessToken: z.string() }) })
    .parse(client?.properties);
  expect([AccessTokenValidity, TokenValidityUnits.AccessToken]).toEqual([60, 'minutes']);
});

test('the client for second factors has one flow, which needs rights in the AWS account, and short-lived tokens', () => {
  const clients = template.resources('AWS::Cognito::UserPoolClient').map(({ properties }) => properties);
  expect(clients.map(({ ClientName }) => ClientName)).toEqual(['dashboard', SECOND_FACTOR_CLIENT]);
  // No OAuth, and so no pages: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-cognito-userpoolclient.html
  expect(clients[1]).toEqual({
    UserPoolId: expect.anything(),
    ClientName: SECOND_FACTOR_CLIENT,
    GenerateSecret: false,
    ExplicitAuthFlows: ['ALLOW_ADMIN_USER_PASSWORD_AUTH'],
    AccessTokenValidity: 10,
    IdTokenValidity: 10,
    RefreshTokenValidity: 60,
    TokenValidityUnits: { AccessToken: 'minutes', IdToken: 'minutes', RefreshToken: 'minutes' },
    EnableTokenRevocation: true,
    PreventUserExistenceErrors: 'ENABLED',
  });
});

test('users sign up with a confirmed email address, and the pool takes a second factor', () => {
  const [pool] = template.resources('AWS::Cognito::UserPool');
  expect(pool?.properties).toMatchObject({
    AdminCreateUserConfig: { AllowAdminCreateUserOnly: false },
    UsernameAttributes: ['email'],
    UsernameConfiguration: { CaseSensitive: false },
    AutoVerifiedAttributes: ['email'],
    MfaConfiguration: 'OPTIONAL',
    EnabledMfas: ['SOFTWARE_TOKEN_MFA'],
    DeletionProtection: 'ACTIVE',
    Policies: {
      PasswordPolicy: {
        MinimumLength: 12,
        RequireLowercase: false,
        RequireNumbers: false,
        RequireSymbols: false,
        RequireUppercase: false,
      },
    },
    // A password is reset by email alone, and a new address signs in once it is confirmed.
    AccountRecoverySetting: { RecoveryMechanisms: [{ Name: 'verified_email', Priority: 1 }] },
    UserAttributeUpdateSettings: { AttributesRequireVerificationBeforeUpdate: ['email'] },
    // The plan that includes managed login.
    UserPoolTier: 'ESSENTIALS',
  });
});

test('the login pages are managed login at the installation’s own address', () => {
  const [domain] = template.resources('AWS::Cognito::UserPoolDomain');
  expect(domain?.properties).toMatchObject({ Domain: 'hosting-prod-hosting-example', ManagedLoginVersion: 2 });
  const [client] = template.resources('AWS::Cognito::UserPoolClient');
  // Without a style, managed login shows an error: each client needs its own.
  expect(template.resources('AWS::Cognito::ManagedLoginBranding').map(({ properties }) => properties)).toMatchObject([
    { ClientId: client?.ref, UseCognitoProvidedValues: true },
  ]);
  expect(template.resources('AWS::Cognito::UserPoolGroup').map(({ properties }) => properties.GroupName)).toEqual([
    OPERATOR_GROUP,
  ]);
});

test('every function of the API knows the issuer and the client of valid tokens', () => {
  const [pool] = template.resources('AWS::Cognito::UserPool');
  const Variables = z.object({
    FunctionName: z.string(),
    Environment: z.object({ Variables: z.record(z.string(), z.string()) }),
  });
  const called = read(template, 'AWS::Lambda::Function', Variables).filter(({ FunctionName }) =>
    /-(api|dashboard)-|chatCompletions/.test(FunctionName),
  );
  expect(called.length).toBeGreaterThan(40);
  const [client] = template.resources('AWS::Cognito::UserPoolClient');
  for (const { FunctionName, Environment } of called) {
    const { LOGIN_ISSUER, LOGIN_CLIENT_ID } = Environment.Variables;
    const known = [`https://cognito-idp.af-south-1.amazonaws.com/${pool?.name}`, client?.ref];
    expect([LOGIN_ISSUER, LOGIN_CLIENT_ID], FunctionName).toEqual(known);
  }
});

test('sign-up mails come from the domain through SES, unless the settings say otherwise', () => {
  const emailOf = (settings: SettingsInput) => {
    const zones = { appsDomain: 'hosted-apps.example', appsHostedZoneId: 'Z9876543210ABC' };
    const config = configure({
      stage: 'prod',
      domain: 'hosting.example',
      hostedZoneId: 'Z0123456789ABC',
      ...zones,
      ...settings,
    });
    const app = new App({
      outdir: temporaryFolder(),
      analyticsReporting: false,
      treeMetadata: false,
      stackTraces: false,
    });
    const { stackName } = new UsersStack({
      app,
      config,
      names: namesOf(config),
      bundles: '',
      asset: () => ({}),
      cellRoles: [],
    });
    const { Resources } = app.synth().getStackByName(stackName).template;
    return Object.values<{ Properties: Record<string, unknown> }>(Resources)[0]?.Properties.EmailConfiguration;
  };
  const usual = emailOf({});
  expect(usual).toEqual({
    EmailSendingAccount: 'DEVELOPER',
    From: 'Hosting <no-reply@hosting.example>',
    SourceArn: expect.anything(),
  });
  expect(JSON.stringify(usual)).toMatch(/:ses:af-south-1:.*:identity\/hosting\.example"/);
  const other = emailOf({ mailFrom: 'login@mail.example', mailRegion: 'eu-west-1' });
  expect(JSON.stringify(other)).toMatch(/Hosting <login@mail\.example>.*:ses:eu-west-1:.*:identity\/mail\.example"/);
  expect(emailOf({ mailFrom: 'cognito' })).toBeUndefined();
}, 120_000);
