import { expect, test } from 'vitest';
import * as z from 'zod';
import { read, synthesize } from './synthesized.ts';

const { template } = synthesize({ stage: 'prod', domain: 'hosting.example' });

test('the dashboard signs in with code and PKCE only, without a secret, and returns only to its own URLs', () => {
  const [client] = template.resources('AWS::Cognito::UserPoolClient');
  expect(client?.properties).toMatchObject({
    GenerateSecret: false,
    AllowedOAuthFlows: ['code'],
    AllowedOAuthScopes: ['openid', 'email', 'profile'],
    CallbackURLs: ['https://hosting.example/dashboard/callback'],
    LogoutURLs: ['https://hosting.example/dashboard/'],
    EnableTokenRevocation: true,
    PreventUserExistenceErrors: 'ENABLED',
    RefreshTokenRotation: { Feature: 'ENABLED' },
  });
  const { AccessTokenValidity, TokenValidityUnits } = z
    .object({ AccessTokenValidity: z.number(), TokenValidityUnits: z.object({ AccessToken: z.string() }) })
    .parse(client?.properties);
  expect([AccessTokenValidity, TokenValidityUnits.AccessToken]).toEqual([60, 'minutes']);
});

test('users sign up with a confirmed e-mail address and may add a second factor', () => {
  const [pool] = template.resources('AWS::Cognito::UserPool');
  expect(pool?.properties).toMatchObject({
    AdminCreateUserConfig: { AllowAdminCreateUserOnly: false },
    UsernameAttributes: ['email'],
    UsernameConfiguration: { CaseSensitive: false },
    AutoVerifiedAttributes: ['email'],
    MfaConfiguration: 'OPTIONAL',
    EnabledMfas: ['SOFTWARE_TOKEN_MFA'],
    DeletionProtection: 'ACTIVE',
    Policies: { PasswordPolicy: { MinimumLength: 12 } },
  });
});

test('the login pages are managed login at the installation’s own address', () => {
  const [domain] = template.resources('AWS::Cognito::UserPoolDomain');
  expect(domain?.properties).toMatchObject({ Domain: 'hosting-prod-hosting-example', ManagedLoginVersion: 2 });
  expect(template.resources('AWS::Cognito::ManagedLoginBranding')).toHaveLength(1);
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
