import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { HEADERS } from '../../contract/reference/operations.ts';
import { listPaths } from '../../contract/route.ts';
import { type AnyRoute, dashboardRoutes, operatorRoutes, routes, streamedRoutes } from '../../contract/routes.ts';
import { functionNames } from '../../lib/build/bundles.ts';
import { LambdaFunction, Role, read, synthesize, WITH_PAGE } from './synthesized.ts';

const { template } = synthesize({ stage: 'prod' });
const functions = read(template, 'AWS::Lambda::Function', LambdaFunction);

/** Resolves `GET /v1/apps` to its function through route and integration. */
function synthesizedRoutes(): Map<string, string> {
  const integrations = new Map(
    read(template, 'AWS::ApiGatewayV2::Integration', z.object({ IntegrationUri: z.string() })).map(
      ({ resource, IntegrationUri }) => [`integrations/${resource.ref}`, IntegrationUri],
    ),
  );
  return new Map(
    read(template, 'AWS::ApiGatewayV2::Route', z.object({ RouteKey: z.string(), Target: z.string() })).map(
      ({ RouteKey, Target }) => [RouteKey, template.byArn(integrations.get(Target) ?? '')?.name ?? 'nothing'],
    ),
  );
}

test('the dashboard’s page is published after every stack with a route: it calls no operation that the API does not have yet', () => {
  const { stacks } = synthesize({ ...WITH_PAGE, stage: 'prod' });
  const before = new Map(stacks.map(({ stackName, dependsOn }) => [stackName, dependsOn]));
  const needed = new Set<string>();
  const collect = (name: string) => {
    if (needed.has(name)) return;
    needed.add(name);
    for (const each of before.get(name) ?? []) collect(each);
  };
  collect('hosting-prod-web-app');
  const routed = stacks.filter(({ template: { Resources } }) =>
    Object.values(Resources).some(({ Type }) => Type === 'AWS::ApiGatewayV2::Route'),
  );
  expect(routed.length).toBeGreaterThan(4);
  expect(routed.map(({ stackName }) => stackName).filter((name) => !needed.has(name))).toEqual([]);
});

describe('the contract, the function files and the template define the same operations', () => {
  const routed = synthesizedRoutes();

  test('every contract route invokes the function of its name, and nothing else is routed', () => {
    const leadsTo = (folder: string, { id, method, path, alsoOnDashboard }: AnyRoute): [string, string][] =>
      listPaths({ path, alsoOnDashboard }).map((each) => [`${method} ${each}`, `hosting-prod-${folder}-${id}`]);
    const wanted = [
      ...routes.flatMap((route) => leadsTo('api', route)),
      ...dashboardRoutes.flatMap((route) => leadsTo('dashboard', route)),
      ...operatorRoutes.flatMap((route) => leadsTo('operator-api', route)),
    ];
    expect([...routed].sort()).toEqual([...wanted, ['$default', 'hosting-prod-api-notFound']].sort());
  });

  test('every operation of /v1 is also served at the dashboard’s path by the same function', () => {
    for (const { method, path } of routes.filter((each) => each.path.startsWith('/v1/') && each.alsoOnDashboard))
      expect(routed.get(`${method} /dashboard${path}`), path).toBe(routed.get(`${method} ${path}`));
    expect(routed.get('GET /dashboard/v1/ai/models')).toBe(routed.get('GET /ai/v1/models'));
  });

  test.each([
    ['api', [...routes.map(({ id }) => id), 'notFound']],
    ['dashboard', dashboardRoutes.map(({ id }) => id)],
    ['operator-api', operatorRoutes.map(({ id }) => id)],
  ])('every contract route has its function file, and every file of %s/ has a route', (folder, wanted) => {
    const files = functionNames().flatMap((name) =>
      name.startsWith(`${folder}/`) ? [name.slice(folder.length + 1)] : [],
    );
    expect(files.sort()).toEqual([...wanted].sort());
  });

  test('every function file is deployed, and nothing else is', () => {
    const deployed = functions.map(({ FunctionName }) => FunctionName);
    expect(deployed.sort()).toEqual(
      functionNames()
        .map((name) => `hosting-prod-${name.replace('/', '-')}`)
        .sort(),
    );
  });

  test('API Gateway may invoke every function that it routes to', () => {
    const roles = new Map(read(template, 'AWS::IAM::Role', Role).map(({ arn, Policies }) => [arn, Policies]));
    const Integration = z.object({ IntegrationUri: z.string(), CredentialsArn: z.string() });
    const integrations = read(template, 'AWS::ApiGatewayV2::Integration', Integration);
    expect(integrations).toHaveLength(new Set(routed.values()).size);
    for (const { IntegrationUri, CredentialsArn } of integrations) {
      const allowed = roles
        .get(CredentialsArn)
        ?.filter(({ Action }) => Action.includes('lambda:InvokeFunction'))
        .flatMap(({ Resource }) => Resource);
      expect(allowed, IntegrationUri).toHaveLength(1);
      expect(new RegExp(`^${allowed?.[0]?.replace('*', '[^:]*')}$`).test(IntegrationUri), IntegrationUri).toBe(true);
    }
  });
});

test('every function that the API or a function URL calls requires the edge’s secret, which is in no template', () => {
  const called = functions.filter(({ FunctionName }) => /-(api|dashboard|ai)-/.test(FunctionName));
  expect(called.length).toBeGreaterThan(60);
  for (const { FunctionName, Environment } of called) {
    expect([FunctionName, Environment.Variables.ORIGIN_SECRET_NAME]).toEqual([FunctionName, 'hosting-prod-origin']);
  }
});

test('a streaming route has a streaming function URL, and the edge routes its path there with its secret', () => {
  const [url] = read(
    template,
    'AWS::Lambda::Url',
    z.object({
      TargetFunctionArn: z.string(),
      InvokeMode: z.string(),
      AuthType: z.string(),
      Qualifier: z.literal('live'),
    }),
  );
  expect(url).toMatchObject({ InvokeMode: 'RESPONSE_STREAM', AuthType: 'NONE' });
  const chat = functions.find(({ arn }) => arn === url?.TargetFunctionArn);
  expect(chat?.FunctionName).toBe('hosting-prod-ai-chatCompletions');
  const Distribution = z.object({
    DistributionConfig: z.object({
      CacheBehaviors: z.array(z.object({ PathPattern: z.string(), TargetOriginId: z.string() })).default([]),
      Origins: z.array(
        z.looseObject({
          Id: z.string(),
          DomainName: z.string(),
          OriginCustomHeaders: z.array(z.object({ HeaderName: z.string() })).default([]),
        }),
      ),
    }),
  });
  const configs = read(template, 'AWS::CloudFront::Distribution', Distribution).map((each) => each.DistributionConfig);
  const paths = configs.flatMap(({ CacheBehaviors, Origins }) =>
    CacheBehaviors.map(({ PathPattern, TargetOriginId }) => [
      PathPattern,
      Origins.find(({ Id }) => Id === TargetOriginId)?.OriginCustomHeaders.map(({ HeaderName }) => HeaderName),
      Origins.find(({ Id }) => Id === TargetOriginId)?.DomainName,
    ]),
  );
  const host = expect.stringContaining(`${url?.name}.lambda-url.`);
  const streamed = streamedRoutes.flatMap(listPaths);
  expect(paths.filter(([path]) => streamed.some((each) => each === path))).toEqual(
    streamed.map((path) => [path, ['x-origin-secret'], host]),
  );
});

test('the edge caches only the catalogue, for as long as a revoked key may be in use, per key and origin, and no errors', () => {
  const Policy = z.object({
    CachePolicyConfig: z.object({
      Name: z.string(),
      DefaultTTL: z.literal(0),
      MaxTTL: z.number(),
      ParametersInCacheKeyAndForwardedToOrigin: z.object({
        HeadersConfig: z.object({ Headers: z.array(z.string()) }),
        QueryStringsConfig: z.object({ QueryStringBehavior: z.literal('all') }),
      }),
    }),
  });
  const policies = read(template, 'AWS::CloudFront::CachePolicy', Policy);
  const policy = policies.find(({ CachePolicyConfig: { Name } }) => Name.includes('catalogue'));
  expect(policy?.CachePolicyConfig.MaxTTL).toBe(15);
  const key = policy?.CachePolicyConfig.ParametersInCacheKeyAndForwardedToOrigin.HeadersConfig.Headers;
  expect(key?.sort()).toEqual(['Authorization', 'Origin', 'X-Public-Key']);
  const Behavior = z.object({ PathPattern: z.string(), CachePolicyId: z.string() });
  const Distribution = z.object({
    DistributionConfig: z.object({
      Comment: z.string(),
      DefaultCacheBehavior: z.object({ CachePolicyId: z.string() }),
      CacheBehaviors: z.array(Behavior).default([]),
      CustomErrorResponses: z.array(z.object({ ErrorCachingMinTTL: z.literal(0) })).min(1),
    }),
  });
  const distributions = read(template, 'AWS::CloudFront::Distribution', Distribution).map(
    ({ DistributionConfig }) => DistributionConfig,
  );
  const behaviors = distributions.flatMap(({ CacheBehaviors }) => CacheBehaviors);
  // Only applications' static files are cached beside it, in distributions of their own.
  const own = new Set(policies.map(({ resource }) => resource.ref));
  const byDefault = distributions.filter(({ DefaultCacheBehavior }) => own.has(DefaultCacheBehavior.CachePolicyId));
  expect(byDefault.map(({ Comment }) => Comment).sort()).toEqual([
    expect.stringMatching(/^\*\./),
    'Custom domains of applications',
  ]);
  expect(byDefault.flatMap(({ CacheBehaviors }) => CacheBehaviors)).toEqual([]);
  const kept = behaviors.flatMap(({ PathPattern, CachePolicyId }) =>
    CachePolicyId === policy?.resource.ref ? [PathPattern] : [],
  );
  const catalogue = routes.flatMap(({ access, path }) => (access === 'catalogue' ? [path] : []));
  expect(kept.sort()).toEqual([...catalogue].sort());
});

/** Headers of the answers of AI models alone. */
const OF_CHAT = ['X-Upstream-Latency-Ms', 'X-Gateway-Overhead-Ms'];

test('browsers may send the headers that the API reads and read those that it returns', () => {
  const Cors = z.object({
    CorsConfiguration: z.object({
      AllowOrigins: z.array(z.string()),
      AllowMethods: z.array(z.string()),
      AllowHeaders: z.array(z.string()),
      ExposeHeaders: z.array(z.string()),
    }),
  });
  const [api] = read(template, 'AWS::ApiGatewayV2::Api', Cors);
  expect(api?.CorsConfiguration.AllowOrigins).toEqual(['*']);
  for (const { method } of routes) expect(api?.CorsConfiguration.AllowMethods).toContain(method);
  const accepted = ['Authorization', 'X-Public-Key', 'Content-Type', 'Idempotency-Key', 'X-Account-Id'];
  expect(api?.CorsConfiguration.AllowHeaders.sort()).toEqual(accepted.sort());
  const returned = Object.keys(HEADERS).filter((name) => !OF_CHAT.includes(name));
  expect(api?.CorsConfiguration.ExposeHeaders.sort()).toEqual(returned.sort());
  // A function URL refuses OPTIONS in this list, and answers preflights itself.
  const Url = z.object({ Cors: Cors.shape.CorsConfiguration });
  const [url] = read(template, 'AWS::Lambda::Url', Url);
  expect(url?.Cors.AllowMethods).toEqual(streamedRoutes.map(({ method }) => method));
  expect(url?.Cors.AllowHeaders.sort()).toEqual(accepted.sort());
  expect(url?.Cors.ExposeHeaders.sort()).toEqual([...returned, ...OF_CHAT].sort());
});

test('every function is arm64 on Node 24, traced, bounded, and has log retention', () => {
  const groups = read(
    template,
    'AWS::Logs::LogGroup',
    z.object({ LogGroupName: z.string(), RetentionInDays: z.number() }),
  );
  const kept = new Set(groups.map(({ LogGroupName }) => LogGroupName));
  for (const each of functions) {
    expect(each).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      TracingConfig: { Mode: each.FunctionName.includes('-schedule-') ? 'PassThrough' : 'Active' },
    });
    expect(each.LoggingConfig.LogGroup).toBe(`/aws/lambda/${each.FunctionName}`);
    expect(kept).toContain(each.LoggingConfig.LogGroup);
    expect(each.Timeout, each.FunctionName).toBeLessThanOrEqual(/-(api|dashboard)-/.test(each.FunctionName) ? 29 : 900);
  }
});
