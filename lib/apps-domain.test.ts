import { describe, expect, test } from 'vitest';
import { configure } from './config.ts';

const prod = (appsDomain?: string, more: object = {}) =>
  configure({ stage: 'prod', domain: 'hosting.co.za', ...(appsDomain ? { appsDomain } : {}), ...more });

describe('the domain of applications', () => {
  test.each(['hosting.co.za', 'apps.hosting.co.za', 'a.b.hosting.co.za', undefined])(
    'refuses %s for a platform at hosting.co.za, naming the setting',
    (appsDomain) => {
      expect(() => prod(appsDomain)).toThrow(/appsDomain: .*docs\/deploying\.md/);
    },
  );

  test('refuses a neighbour below the same registered domain', () => {
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

  test('needs its own hosted zone where the platform has one', () => {
    expect(() => prod('hosting.com', { hostedZoneId: 'Z1' })).toThrow(/appsHostedZoneId/);
    expect(prod('hosting.com', { hostedZoneId: 'Z1', appsHostedZoneId: 'Z2' }).appsHostedZoneId).toBe('Z2');
    expect(configure({ domain: 'hosting.example', hostedZoneId: 'Z1' }).appsHostedZoneId).toBe('Z1');
  });
});
