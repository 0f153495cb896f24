import { describe, expect, test } from 'vitest';
import { configure } from './config.ts';

const ZONES = { hostedZoneId: 'Z1', appsHostedZoneId: 'Z2' };
const prod = (appsDomain?: string, more: object = ZONES) =>
  configure({ stage: 'prod', domain: 'hosting.co.za', ...(appsDomain ? { appsDomain } : {}), ...more });

describe('the domain of applications', () => {
  test.each(['hosting.co.za', 'apps.hosting.co.za', 'a.b.hosting.co.za', undefined])(
    'refuses %s for a platform at hosting.co.za, naming the setting',
    (appsDomain) => {
      expect(() => prod(appsDomain)).toThrow(/appsDomain: .*docs\/deploying\.md/);
    },
  );

  test('refuses a name below the same registered domain', () => {
    expect(() =>
      configure({ stage: 'prod', domain: 'api.hosting.example', appsDomain: 'apps.hosting.example' }),
    ).toThrow(/appsDomain/);
    expect(() => configure({ stage: 'prod', domain: 'hosting.example', appsDomain: 'notahost' })).toThrow(/appsDomain/);
  });

  test.each(['hosting-apps.co.za', 'hosting.com', 'apps.elsewhere.co.za'])('accepts %s', (appsDomain) => {
    expect(prod(appsDomain)).toMatchObject({ appsDomain, publicUrl: 'https://hosting.co.za' });
  });

  test('is below the platform’s domain in development', () => {
    expect(configure({ domain: 'hosting.example' }).appsDomain).toBe('apps.hosting.example');
    expect(configure({ stage: 'local', domain: 'localhost' }).appsDomain).toBe('apps.localhost');
    expect(configure({ domain: 'a.example', appsDomain: 'my.a.example' }).appsDomain).toBe('my.a.example');
  });

  test('needs its own hosted zone if the platform has one', () => {
    expect(() => prod('hosting.com', { hostedZoneId: 'Z1' })).toThrow(/appsHostedZoneId/);
    expect(prod('hosting.com').appsHostedZoneId).toBe('Z2');
    expect(configure({ domain: 'hosting.example', hostedZoneId: 'Z1' }).appsHostedZoneId).toBe('Z1');
  });
});

describe('a stage with users', () => {
  test('needs a domain and its hosted zone, because users sign in at its address', () => {
    expect(() => prod('hosting.com', { appsHostedZoneId: 'Z2' })).toThrow(/^hostedZoneId: .*docs\/deploying\.md/m);
    expect(() => configure({ stage: 'prod', appsDomain: 'hosting.com', ...ZONES })).toThrow(/^domain: is required/m);
    expect(configure({}).hostedZoneId).toBeUndefined();
  });

  test('is told about all missing and all conflicting settings together', () => {
    const problems = /domain: .*\nhostedZoneId: .*\nappsDomain: /;
    expect(() => configure({ stage: 'prod' })).toThrow(problems);
    const clashing = { table: 'other', backupRegion: 'af-south-1', monitoring: 'basic', canary: 'on' } as const;
    const all = new RegExp(`${problems.source}(.*\n)*table, tableStream: .*\nbackupRegion: .*\ncanary: `);
    expect(() => configure({ stage: 'prod', ...clashing })).toThrow(all);
  });
});

describe('the host prefix of the sign-in pages', () => {
  test.each(['laws.co.za', 'amazonia.example', 'cognito-hosting.com'])('must be given for %s', (domain) => {
    const settings = { stage: 'prod', domain, appsDomain: 'hosting.com', ...ZONES };
    expect(() => configure(settings)).toThrow(/^loginPrefix: give one/m);
    expect(configure({ ...settings, loginPrefix: 'hosting-prod-login' }).loginPrefix).toBe('hosting-prod-login');
  });

  test('follows from the domain, and is refused with the rule', () => {
    expect(prod('hosting.com').loginPrefix).toBe('hosting-prod-hosting-co-za');
    expect(() => prod('hosting.com', { ...ZONES, loginPrefix: 'my-aws' })).toThrow(/without "aws".*\n.*loginPrefix/);
  });
});

test('refuses an invalid region, and places builds and databases in regions that support them', () => {
  expect(() => configure({ region: 'Cape Town' })).toThrow(/region/);
  // Builds are where CodeBuild has ARM containers.
  expect(configure({}).buildRegion).toBe('eu-west-1');
  expect(configure({ region: 'us-east-2' }).buildRegion).toBe('us-east-2');
  expect(configure({ region: 'us-east-2', buildRegion: 'us-west-2' }).buildRegion).toBe('us-west-2');
  // Databases are in the platform's own region where Aurora DSQL exists.
  expect(configure({}).databaseRegion).toBe('eu-west-1');
  expect(configure({ region: 'eu-west-2' }).databaseRegion).toBe('eu-west-2');
  expect(configure({ region: 'eu-west-2', databaseRegion: 'us-east-1' }).databaseRegion).toBe('us-east-1');
  expect(configure({ region: 'ap-southeast-2', databaseRegion: 'us-gov-west-1' }).region).toBe('ap-southeast-2');
});

test('refuses a region whose identities Cognito does not use, unless Cognito sends itself', () => {
  expect(() => prod('hosting.com', { ...ZONES, mailRegion: 'ap-southeast-1' })).toThrow(
    /^mailRegion: .*af-south-1, us-east-1, us-west-2, eu-west-1/m,
  );
  expect(prod('hosting.com', { ...ZONES, mailRegion: 'eu-west-1' }).mailRegion).toBe('eu-west-1');
  expect(prod('hosting.com').mailRegion).toBe('af-south-1');
  expect(prod('hosting.com', { ...ZONES, region: 'eu-west-3' }).mailRegion).toBe('eu-west-3');
  const ownSender = { mailFrom: 'cognito', mailRegion: 'ap-southeast-1' };
  expect(prod('hosting.com', { ...ZONES, ...ownSender }).mailFrom).toBeUndefined();
});
