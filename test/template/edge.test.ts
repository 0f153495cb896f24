import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { MAX_CHAT_BODY_BYTES } from '../../contract/ai/chat.ts';
import { AWS_LIMITS } from '../../contract/limits/aws-limits.ts';
import { webAppHeaders } from '../../lib/build/web-app-headers.ts';
import { edgeFunctionCode, runEdgeFunction } from '../support/edge-functions.ts';
import { unsupportedSyntax } from '../support/edge-syntax.ts';
import { CELLS, LambdaFunction, REQUIRED, Role, read, synthesize } from './synthesized.ts';

const { stacks, template } = synthesize({ stage: 'prod', domain: 'hosting.example' });

const Request = z.object({ headers: z.record(z.string(), z.object({ value: z.string() })) });
const Answer = z.object({ statusCode: z.number(), body: z.string() });

/** Runs a CloudFront Function from the template with a KeyValueStore that contains `routes`. */
async function run(name: string, event: object, routes: Record<string, string> = {}) {
  const code = edgeFunctionCode(template, `hosting-prod-${name}-af-south-1`);
  expect(Buffer.byteLength(code), "CloudFront's limit").toBeLessThan(10_240);
  return await runEdgeFunction(code, event, routes);
}

const requestFor = (host: string, { method = 'GET', uri = '/', headers = {} } = {}) => ({
  context: { requestId: 'edge-1' },
  request: { method, uri, headers: { host: { value: host }, ...headers } },
});

describe('a request to an application', () => {
  test.each(['Shop.apps.hosting.example', 'shop.apps.hosting.example:443'])(
    'goes to its function with the original host (%s)',
    async (host) => {
      const event = requestFor(host);
      const { result, origins } = await run('route-app', event, {
        'shop.apps.hosting.example': 'abc.lambda-url.on.aws',
      });
      expect(origins).toEqual(['abc.lambda-url.on.aws']);
      expect(Request.parse(result).headers['x-forwarded-host']?.value).toBe('shop.apps.hosting.example');
    },
  );

  test('that opens a WebSocket is answered with 501 and a sentence', async () => {
    const host = 'shop.apps.hosting.example';
    const headers = { 'sec-websocket-key': { value: 'dGhlIHNhbXBsZSBub25jZQ==' } };
    const { result, origins } = await run('route-app', requestFor(host, { headers }), {
      [host]: 'abc.lambda-url.on.aws',
    });
    const body = expect.stringContaining('WebSockets are not supported here.');
    expect(Answer.parse(result)).toMatchObject({ statusCode: 501, body });
    expect(origins).toEqual([]);
  });

  test('to a custom domain whose application is gone is a 404, and an error of the store is none', async () => {
    const { result, origins } = await run('route-app', requestFor('shop.example'), {
      'shop.example': '@gone.apps.example',
    });
    expect(Answer.parse(result).statusCode).toBe(404);
    expect(origins).toEqual([]);
    const failing = new Proxy<Record<string, string>>(
      { 'shop.example': 'x' },
      {
        get: () => {
          throw new Error('the store is away');
        },
      },
    );
    await expect(run('route-app', requestFor('shop.example'), failing)).rejects.toThrow('the store is away');
  });

  test('shows a page before the first release', async () => {
    const { result, origins } = await run('route-app', requestFor('new.apps.hosting.example'), {
      'new.apps.hosting.example': 'placeholder',
    });
    expect(Answer.parse(result)).toMatchObject({
      statusCode: 200,
      body: expect.stringContaining('not been deployed yet'),
    });
    expect(origins).toEqual([]);
  });

  test('shows a page with 503 while the application is suspended, at its custom domain too, and keeps the route', async () => {
    const routes = { 'shop.co.za': '@shop.apps.hosting.example', 'shop.apps.hosting.example': 'abc.lambda-url.on.aws' };
    const suspended = { ...routes, 'suspended:shop.apps.hosting.example': 'true' };
    for (const host of ['shop.co.za', 'Shop.apps.hosting.example']) {
      const { result, origins } = await run('route-app', requestFor(host), suspended);
      expect(Answer.parse(result)).toMatchObject({ statusCode: 503, body: expect.stringContaining('is suspended') });
      expect(origins).toEqual([]);
      expect((await run('route-app', requestFor(host), routes)).origins).toEqual(['abc.lambda-url.on.aws']);
    }
  });

  test('to its custom domain is routed like one to its default address', async () => {
    const routes = { 'shop.co.za': '@shop.apps.hosting.example', 'shop.apps.hosting.example': 'abc.lambda-url.on.aws' };
    const { result, origins } = await run('route-app', requestFor('shop.co.za'), routes);
    expect(origins).toEqual(['abc.lambda-url.on.aws']);
    expect(Request.parse(result).headers['x-forwarded-host']?.value).toBe('shop.co.za');
  });

  test('is cached under the release that the route names, for static files without headers of one visitor', async () => {
    const host = 'shop.apps.hosting.example';
    const keyOf = async (asked: Parameters<typeof requestFor>[1], route = 'abc.lambda-url.on.aws 7-abcdefg') => {
      const { result, origins } = await run('route-app', requestFor('shop.co.za', asked), {
        'shop.co.za': `@${host}`,
        [host]: route,
      });
      expect(origins).toEqual(['abc.lambda-url.on.aws']);
      return Request.parse(result).headers['x-app-release']?.value;
    };
    const forged = { 'x-app-release': { value: '7-abcdefg' } };
    expect(await keyOf({ uri: '/assets/app.JS' })).toBe('7-abcdefg');
    expect(await keyOf({ uri: '/logo.svg', method: 'HEAD', headers: { cookie: { value: 'a=1' } } })).toBe('7-abcdefg');
    expect(await keyOf({ uri: '/logo.svg' }, 'abc.lambda-url.on.aws 8-hijklmn')).toBe('8-hijklmn');
    for (const own of [
      { uri: '/', headers: forged },
      { uri: '/account.html', headers: forged },
      { uri: '/api/orders.json', headers: forged },
      { uri: '/app.js/orders', headers: forged },
      { uri: '/app.js', method: 'POST', headers: forged },
      { uri: '/app.js', headers: { ...forged, authorization: { value: 'Bearer a' } } },
    ])
      expect(await keyOf(own), JSON.stringify(own)).toBe('-edge-1');
    // The route of a release from before there were such keys.
    expect(await keyOf({ uri: '/app.js', headers: forged }, 'abc.lambda-url.on.aws')).toBe('-edge-1');
  });

  test('to an unknown application is a 404', async () => {
    const { result } = await run('route-app', requestFor('constructor.apps.hosting.example'));
    expect(Answer.parse(result).statusCode).toBe(404);
  });
});

describe('the syntax of edge functions', () => {
  test('is the one of their runtime, in every function of the platform and of a cell', () => {
    const all = synthesize({ stage: 'prod', account: '123456789012', cells: CELLS }).template;
    const Code = z.object({ FunctionCode: z.string(), FunctionConfig: z.object({ Runtime: z.string() }) });
    const functions = read(all, 'AWS::CloudFront::Function', Code);
    expect(functions.length).toBeGreaterThanOrEqual(6);
    for (const { FunctionCode, FunctionConfig, resource } of functions) {
      expect(FunctionConfig.Runtime).toBe('cloudfront-js-2.0');
      expect(unsupportedSyntax(FunctionCode), resource.name).toEqual([]);
    }
  });

  test.each([
    'const [a] = b;',
    'const { a } = b;',
    'function f({ a }) {}',
    'function f(a = 1) {}',
    'f(...a);',
    '[...a];',
    '({ ...a });',
    'a?.b;',
    'a ?? b;',
    'a ||= b;',
    'class A {}',
    'for (const a of b) {}',
    'try {} catch {}',
    '1n;',
    'function* f() {}',
    'import { a } from "b";',
    'export default 1;',
    'f`a`;',
  ])('has no %s', (code) => {
    expect(unsupportedSyntax(code)).not.toEqual([]);
  });
});

test('the API receives the true address of its caller, whatever the caller sends', async () => {
  const { result } = await run('name-visitor', {
    viewer: { ip: '198.51.100.7' },
    request: { headers: { 'x-viewer-address': { value: '10.0.0.1' } } },
  });
  expect(Request.parse(result).headers['x-viewer-address']?.value).toBe('198.51.100.7');
});

test('a caller cannot have its requests traced', async () => {
  const trace = { value: 'Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=1' };
  const { result } = await run('name-visitor', {
    viewer: { ip: '198.51.100.7' },
    request: { headers: { 'x-amzn-trace-id': trace, accept: { value: '*/*' } } },
  });
  expect(Object.keys(Request.parse(result).headers).sort()).toEqual(['accept', 'x-viewer-address']);
});

describe('a body that Lambda refuses with an answer of its own', () => {
  const send = (bytes: number) =>
    run('name-visitor', {
      context: { requestId: 'edge-1' },
      viewer: { ip: '198.51.100.7' },
      request: { headers: { 'content-length': { value: String(bytes) } } },
    });

  test('is refused at the edge like any invalid request', async () => {
    const { result } = await send(MAX_CHAT_BODY_BYTES + 1);
    const { statusCode, body } = Answer.parse(result);
    expect(statusCode).toBe(400);
    const error = { message: 'body: must be at most 6 MiB', code: 'invalid_request', status: 400 };
    expect(JSON.parse(body)).toEqual({ error });
    expect(Request.parse(result).headers['x-request-id']).toEqual({ value: 'edge-1' });
  });

  test('has more than the contract and Lambda take: a smaller one passes', async () => {
    expect(MAX_CHAT_BODY_BYTES).toBe(AWS_LIMITS.lambdaPayloadBytes.value);
    const { result } = await send(MAX_CHAT_BODY_BYTES);
    expect(Request.parse(result).headers['x-viewer-address']?.value).toBe('198.51.100.7');
  });
});

describe('the dashboard', () => {
  test.each([
    ['/dashboard', '/dashboard/index.html'],
    ['/dashboard/', '/dashboard/index.html'],
    ['/dashboard/apps/app_1/deployments', '/dashboard/index.html'],
    ['/dashboard/callback', '/dashboard/index.html'],
    ['/dashboard/assets/index-abc123.js', '/dashboard/assets/index-abc123.js'],
    ['/dashboard/settings.json', '/dashboard/settings.json'],
    ['/dashboard/icon.svg', '/dashboard/icon.svg'],
  ])('rewrites %s to %s', async (uri, file) => {
    const { result } = await run('open-web-app', { request: { uri } });
    expect(result).toEqual({ uri: file });
  });

  test('routes its API before its files, and streamed responses before both', () => {
    const Distribution = z.object({
      DistributionConfig: z.object({
        Comment: z.string(),
        DefaultCacheBehavior: z.object({ TargetOriginId: z.string() }),
        CacheBehaviors: z.array(z.object({ PathPattern: z.string(), TargetOriginId: z.string() })).default([]),
      }),
    });
    const api = read(template, 'AWS::CloudFront::Distribution', Distribution)
      .map(({ DistributionConfig }) => DistributionConfig)
      .find(({ Comment }) => Comment === 'hosting.example');
    const behaviors = api?.CacheBehaviors.filter(({ PathPattern }) => PathPattern.startsWith('/dashboard')) ?? [];
    const [streamed, ...others] = behaviors.map(({ PathPattern }) => PathPattern);
    expect(streamed).toBe('/dashboard/v1/ai/chat/completions');
    expect(others).toEqual(['/dashboard/v1', '/dashboard/v1/*', '/dashboard', '/dashboard/*']);
    const origins = behaviors.map(({ TargetOriginId }) => TargetOriginId);
    expect(origins.slice(1, 3)).toEqual(Array(2).fill(api?.DefaultCacheBehavior.TargetOriginId));
    expect(new Set(origins).size).toBe(3);
  });

  test('serves its files to CloudFront only, with the headers of the local run', () => {
    const [policy] = read(
      template,
      'AWS::CloudFront::ResponseHeadersPolicy',
      z.object({
        ResponseHeadersPolicyConfig: z.object({
          SecurityHeadersConfig: z.object({
            ContentSecurityPolicy: z.object({ ContentSecurityPolicy: z.string(), Override: z.literal(true) }),
            ContentTypeOptions: z.object({ Override: z.literal(true) }),
            FrameOptions: z.object({ FrameOption: z.string() }),
            ReferrerPolicy: z.object({ ReferrerPolicy: z.string() }),
            StrictTransportSecurity: z.object({ AccessControlMaxAgeSec: z.number().min(31_536_000) }),
          }),
          CustomHeadersConfig: z.object({ Items: z.array(z.object({ Header: z.string(), Value: z.string() })) }),
        }),
      }),
    );
    const { SecurityHeadersConfig: security, CustomHeadersConfig } = policy?.ResponseHeadersPolicyConfig ?? {};
    const sent = webAppHeaders([
      'https://cognito-idp.af-south-1.amazonaws.com',
      'https://hosting-prod-hosting-example.auth.af-south-1.amazoncognito.com',
    ]);
    expect({
      'content-security-policy': security?.ContentSecurityPolicy.ContentSecurityPolicy,
      'x-content-type-options': security?.ContentTypeOptions && 'nosniff',
      'x-frame-options': security?.FrameOptions.FrameOption,
      'referrer-policy': security?.ReferrerPolicy.ReferrerPolicy,
      ...Object.fromEntries(CustomHeadersConfig?.Items.map(({ Header, Value }) => [Header, Value]) ?? []),
    }).toEqual(sent);
    const [control] = read(
      template,
      'AWS::CloudFront::OriginAccessControl',
      z.object({ OriginAccessControlConfig: z.object({ SigningBehavior: z.string() }) }),
    );
    expect(control?.OriginAccessControlConfig.SigningBehavior).toBe('always');
  });
});

describe('custom domains of applications', () => {
  const Config = z.looseObject({
    ConnectionMode: z.string().optional(),
    Comment: z.string(),
    DefaultCacheBehavior: z.looseObject({
      FunctionAssociations: z.array(z.object({ EventType: z.string(), FunctionARN: z.string() })),
      CachePolicyId: z.string(),
      OriginRequestPolicyId: z.string(),
    }),
  });
  const configs = read(template, 'AWS::CloudFront::Distribution', z.object({ DistributionConfig: Config })).map(
    ({ DistributionConfig }) => DistributionConfig,
  );
  const [own, ...others] = configs.filter(({ ConnectionMode }) => ConnectionMode === 'tenant-only');
  const apps = configs.find(({ Comment }) => Comment === '*.hosted-apps.example');

  test('are served by a multi-tenant distribution that behaves like the distribution of applications', () => {
    const Code = z.object({ FunctionCode: z.string(), FunctionConfig: z.looseObject({}) });
    const functions = read(template, 'AWS::CloudFront::Function', Code);
    const does = (config: typeof own) => {
      const [association] = config?.DefaultCacheBehavior.FunctionAssociations ?? [];
      const found = functions.find(({ resource }) => association?.FunctionARN === resource.arn);
      return {
        at: association?.EventType,
        code: found?.FunctionCode,
        routes: found?.FunctionConfig.KeyValueStoreAssociations,
        cache: config?.DefaultCacheBehavior.CachePolicyId,
        passes: config?.DefaultCacheBehavior.OriginRequestPolicyId,
      };
    };
    expect(others).toEqual([]);
    expect(does(own)).toEqual(does(apps));
    expect(does(own).code).toContain('cf.kvs()');
    expect(does(own).routes).toBeDefined();
    const policies = template.resources('AWS::CloudFront::CachePolicy');
    expect(policies.find(({ ref }) => ref === does(own).cache)?.properties.CachePolicyConfig).toMatchObject({
      // Nothing is kept that does not say so, and everything for as long as it says.
      MinTTL: 0,
      DefaultTTL: 0,
      MaxTTL: 365 * 24 * 3600,
      ParametersInCacheKeyAndForwardedToOrigin: {
        CookiesConfig: { CookieBehavior: 'none' },
        HeadersConfig: { HeaderBehavior: 'whitelist', Headers: ['X-Forwarded-Host', 'X-App-Release'] },
        QueryStringsConfig: { QueryStringBehavior: 'all' },
      },
    });
  });

  test('use nothing that a multi-tenant distribution does not support', () => {
    for (const foreign of ['Aliases', 'CNAMEs', 'IPV6Enabled', 'Logging', 'PriceClass', 'Staging', 'WebACLId'])
      expect(own).not.toHaveProperty(foreign);
    for (const old of ['MinTTL', 'MaxTTL', 'DefaultTTL', 'ForwardedValues', 'TrustedSigners', 'SmoothStreaming'])
      expect(own?.DefaultCacheBehavior).not.toHaveProperty(old);
  });

  test('are managed by one function, limited to our tenants in the connection group whose endpoint owners see', () => {
    const [group] = template.resources('AWS::CloudFront::ConnectionGroup');
    const functions = read(template, 'AWS::Lambda::Function', LambdaFunction);
    const variables = (name: string) =>
      functions.find(({ FunctionName }) => FunctionName === `hosting-prod-${name}`)?.Environment.Variables;
    for (const name of ['workflow-reconcileTenant', 'dashboard-getCustomDomain', 'dashboard-checkCustomDomain'])
      expect(variables(name)?.EDGE_ENDPOINT).toBe(`${group?.name}.cloudfront.localhost`);
    expect(variables('workflow-reconcileTenant')?.CONNECTION_GROUP_ID).toBe(group?.name);
    const makers = read(template, 'AWS::IAM::Role', Role).flatMap(({ Policies, resource }) =>
      Policies.flatMap(({ Action, Resource }) =>
        Action.includes('cloudfront:UpdateDistributionTenant') ? [[resource.logicalId, Resource] as const] : [],
      ),
    );
    expect(makers).toHaveLength(1);
    const distribution = variables('workflow-reconcileTenant')?.TENANT_DISTRIBUTION_ID;
    expect([...(makers[0]?.[1] ?? [])].sort()).toEqual([
      group?.arn,
      'arn:aws:cloudfront::123456789012:distribution-tenant/*',
      `arn:aws:cloudfront::123456789012:distribution/${distribution}`,
    ]);
  });
});

test('every path at the address of the API is behind a limit for each client address', () => {
  const { Rules, Scope, ...acl } = z
    .object({
      Scope: z.string(),
      DefaultAction: z.object({ Allow: z.object({}) }),
      CustomResponseBodies: z.object({ tooMany: z.object({ Content: z.string() }) }),
      Rules: z.array(z.object({ Statement: z.object({ RateBasedStatement: z.unknown() }), Action: z.unknown() })),
    })
    .parse(template.resources('AWS::WAFv2::WebACL')[0]?.properties);
  expect([Scope, Rules]).toMatchObject([
    'CLOUDFRONT',
    [
      {
        Statement: { RateBasedStatement: { AggregateKeyType: 'IP', EvaluationWindowSec: 60, Limit: 3000 } },
        Action: {
          Block: {
            CustomResponse: { ResponseCode: 429, ResponseHeaders: [{ Name: 'Retry-After', Value: '60' }] },
          },
        },
      },
    ],
  ]);
  const body: unknown = JSON.parse(acl.CustomResponseBodies.tooMany.Content);
  expect(body).toEqual({ error: { message: expect.any(String), code: 'rate_limited', status: 429 } });
  const configs = read(
    template,
    'AWS::CloudFront::Distribution',
    z.object({
      DistributionConfig: z.object({
        WebACLId: z.string().optional(),
        Origins: z.array(z.looseObject({ DomainName: z.unknown() })),
      }),
    }),
  ).map(({ DistributionConfig }) => DistributionConfig);
  const api = configs.filter(({ Origins }) => JSON.stringify(Origins).includes('execute-api'));
  expect(api).toHaveLength(1);
  expect(api[0]?.WebACLId).toBe(template.resources('AWS::WAFv2::WebACL')[0]?.arn);
});

test('applications have their own hosted zone, for their names and for the validation of their certificate', () => {
  const { domain, hostedZoneId, appsDomain, appsHostedZoneId } = REQUIRED;
  const records = read(template, 'AWS::Route53::RecordSet', z.object({ Name: z.string(), HostedZoneId: z.string() }));
  expect(new Set(records.map(({ Name, HostedZoneId }) => `${Name} ${HostedZoneId}`))).toEqual(
    new Set([`${domain}. ${hostedZoneId}`, `*.${appsDomain}. ${appsHostedZoneId}`]),
  );
  const [certificate] = template.resources('AWS::CertificateManager::Certificate');
  expect(certificate?.properties.DomainValidationOptions).toEqual([
    { DomainName: domain, HostedZoneId: hostedZoneId },
    { DomainName: `*.${appsDomain}`, HostedZoneId: appsHostedZoneId },
  ]);
});

test('deliveries of access logs to one destination are created one after the other, as CloudWatch Logs demands', () => {
  const resources = stacks.find(({ stackName }) => stackName.startsWith('hosting-prod-access-logs'))?.template
    .Resources;
  const after = (id: string): string[] =>
    [resources?.[id]?.DependsOn ?? []].flat().flatMap((each) => [each, ...after(each)]);
  const deliveries = Object.entries(resources ?? {}).flatMap(([id, { Type }]) =>
    Type === 'AWS::Logs::Delivery' ? [after(id).filter((each) => resources?.[each]?.Type === Type).length] : [],
  );
  expect(deliveries.sort()).toEqual([0, 1, 2]);
});

test('the edge logs the address of each caller, of the platform, applications and custom domains, for 90 days', () => {
  const sources = read(template, 'AWS::Logs::DeliverySource', z.object({ Name: z.string(), ResourceArn: z.string() }));
  const logged = sources.map(({ ResourceArn }) => ResourceArn.split('/').at(-1));
  const distributions = template.resources('AWS::CloudFront::Distribution').map(({ ref }) => ref);
  expect(distributions).toHaveLength(3);
  expect(logged.sort()).toEqual(distributions.sort());
  const Delivery = z.object({ DeliverySourceName: z.string(), RecordFields: z.array(z.string()) });
  const deliveries = read(template, 'AWS::Logs::Delivery', Delivery);
  expect(deliveries.map(({ DeliverySourceName }) => DeliverySourceName).sort()).toEqual(
    sources.map(({ Name }) => Name).sort(),
  );
  for (const { RecordFields } of deliveries) {
    expect(RecordFields).toEqual(
      expect.arrayContaining(['c-ip', 'c-port', 'x-host-header', 'cs-uri-stem', 'date', 'time']),
    );
    expect(RecordFields.filter((field) => /query|Cookie|Referer|User-Agent|Authorization/.test(field))).toEqual([]);
  }
  const Logs = z.object({
    BucketName: z.string(),
    LifecycleConfiguration: z.object({ Rules: z.array(z.object({ ExpirationInDays: z.number() })) }),
  });
  const [logs] = template
    .resources('AWS::S3::Bucket')
    .filter(({ name }) => name.startsWith('hosting-prod-access-logs-'))
    .map(({ properties }) => Logs.parse(properties));
  expect(logs?.LifecycleConfiguration.Rules.map(({ ExpirationInDays }) => ExpirationInDays)).toEqual([90]);
});
