import { expect, test } from 'vitest';
import * as z from 'zod';
import { routes, streamedRoutes } from '../../contract/routes.ts';
import { read, synthesize } from './synthesized.ts';

/** Settings of the edge that the local run has no part for: TLS, cached errors, and references between parts of CloudFront. */

const { template } = synthesize({ stage: 'prod' });

const Behavior = z.object({
  PathPattern: z.string().default('*'),
  TargetOriginId: z.string(),
  AllowedMethods: z.array(z.string()),
  ViewerProtocolPolicy: z.literal('redirect-to-https'),
  Compress: z.literal(true),
  OriginRequestPolicyId: z.string().optional(),
  ResponseHeadersPolicyId: z.string().optional(),
  FunctionAssociations: z.tuple([z.object({ EventType: z.literal('viewer-request'), FunctionARN: z.string() })]),
});
const Origin = z.object({
  Id: z.string(),
  CustomOriginConfig: z
    .object({ OriginProtocolPolicy: z.literal('https-only'), OriginSSLProtocols: z.tuple([z.literal('TLSv1.2')]) })
    .optional(),
  OriginAccessControlId: z.string().optional(),
});
const Config = z.object({
  Enabled: z.literal(true),
  HttpVersion: z.literal('http2and3'),
  ConnectionMode: z.string().default('direct'),
  Origins: z.array(Origin),
  DefaultCacheBehavior: Behavior,
  CacheBehaviors: z.array(Behavior).default([]),
  CustomErrorResponses: z.array(z.object({ ErrorCode: z.number(), ErrorCachingMinTTL: z.literal(0) })),
  ViewerCertificate: z.object({
    AcmCertificateArn: z.string(),
    MinimumProtocolVersion: z.literal('TLSv1.2_2021'),
    SslSupportMethod: z.literal('sni-only'),
  }),
});
const distributions = read(template, 'AWS::CloudFront::Distribution', z.object({ DistributionConfig: Config })).map(
  ({ resource: { ref }, DistributionConfig }) => ({ ref, ...DistributionConfig }),
);
const behaviors = distributions.flatMap(({ DefaultCacheBehavior, CacheBehaviors, Origins }) =>
  [DefaultCacheBehavior, ...CacheBehaviors].map((behavior) => ({
    ...behavior,
    origin: Origins.find(({ Id }) => Id === behavior.TargetOriginId),
  })),
);

test('every distribution serves the platform’s names over TLS 1.2 or later, with one certificate', () => {
  expect(distributions).toHaveLength(3);
  const [certificate, ...others] = template.resources('AWS::CertificateManager::Certificate');
  expect(others).toEqual([]);
  for (const { ViewerCertificate } of distributions) expect(ViewerCertificate.AcmCertificateArn).toBe(certificate?.ref);
  expect(certificate?.properties).toMatchObject({
    DomainName: 'hosting.example',
    SubjectAlternativeNames: ['*.hosted-apps.example'],
    ValidationMethod: 'DNS',
  });
});

test('no distribution keeps an error: a key or a release works as soon as it exists', () => {
  // https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/HTTPStatusCodes.html
  const kept = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];
  for (const { CustomErrorResponses } of distributions)
    expect(CustomErrorResponses.map(({ ErrorCode }) => ErrorCode).sort()).toEqual(kept);
});

test('the API and applications take every method, and receive headers, query and cookies but for the host', () => {
  const dynamic = behaviors.filter(({ origin }) => origin?.CustomOriginConfig);
  expect(dynamic.length).toBeGreaterThan(8);
  const methods = new Set([...routes, ...streamedRoutes].map(({ method }) => method));
  for (const { AllowedMethods, OriginRequestPolicyId, PathPattern } of dynamic) {
    expect(AllowedMethods, PathPattern).toEqual(expect.arrayContaining(['HEAD', 'OPTIONS', ...methods]));
    // AllViewerExceptHostHeader: an API and a function URL answer to their own host only.
    expect(OriginRequestPolicyId, PathPattern).toBe('b689b0a8-53d0-40ab-baf2-68738e2966ac');
  }
});

test('the dashboard’s files have their headers, and only its distribution reads their bucket', () => {
  const files = behaviors.filter(({ origin }) => !origin?.CustomOriginConfig);
  const [headers] = template.resources('AWS::CloudFront::ResponseHeadersPolicy');
  const [control] = template.resources('AWS::CloudFront::OriginAccessControl');
  expect(files.map(({ PathPattern }) => PathPattern)).toEqual(['/dashboard', '/dashboard/*']);
  for (const { AllowedMethods, ResponseHeadersPolicyId, origin } of files) {
    expect(ResponseHeadersPolicyId).toBe(headers?.ref);
    expect(origin?.OriginAccessControlId).toBe(`${control?.ref}.Id`);
    expect(AllowedMethods).toEqual(['GET', 'HEAD']);
  }
  const policies = JSON.stringify(template.resources('AWS::S3::BucketPolicy').map(({ properties }) => properties));
  const reading = policies.match(/\{"AWS:SourceArn":"[^"]+"\}/g);
  const own = distributions.find(({ CacheBehaviors }) => CacheBehaviors.length > 0);
  expect(reading).toEqual([`{"AWS:SourceArn":"arn:aws:cloudfront::123456789012:distribution/${own?.ref}"}`]);
});

test('custom domains are served like the default addresses of applications', () => {
  const [tenants, apps] = ['tenant-only', 'direct'].map((mode) =>
    distributions.find(({ ConnectionMode, CacheBehaviors }) => ConnectionMode === mode && CacheBehaviors.length === 0),
  );
  const shown = (config: typeof tenants) => ({
    ...config,
    ref: undefined,
    ConnectionMode: undefined,
    Origins: config?.Origins.map((origin) => ({ ...origin, Id: undefined })),
    // The functions have names of their own, and the same code (edge.test.ts).
    DefaultCacheBehavior: {
      ...config?.DefaultCacheBehavior,
      TargetOriginId: undefined,
      FunctionAssociations: undefined,
    },
  });
  expect(shown(tenants)).toEqual(shown(apps));
});

test('every edge function is published, and every name of the platform has an IPv4 and an IPv6 address', () => {
  const code = read(template, 'AWS::CloudFront::Function', z.object({ AutoPublish: z.literal(true) }));
  const used = new Set(behaviors.map(({ FunctionAssociations: [{ FunctionARN }] }) => FunctionARN));
  expect([...used].sort()).toEqual(code.map(({ arn }) => arn).sort());
  const Record = z.object({ Name: z.string(), Type: z.string(), AliasTarget: z.object({ DNSName: z.string() }) });
  const records = read(template, 'AWS::Route53::RecordSet', Record).map(({ Name, Type }) => `${Name} ${Type}`);
  const names = ['*.hosted-apps.example.', 'hosting.example.'];
  expect(records.sort()).toEqual(names.flatMap((name) => ['A', 'AAAA'].map((type) => `${name} ${type}`)));
  const [group] = template.resources('AWS::CloudFront::ConnectionGroup');
  expect(group?.properties).toMatchObject({ Enabled: true, Ipv6Enabled: true });
});

test('a refused client reads why', () => {
  const Rule = z.object({
    Action: z.object({ Block: z.object({ CustomResponse: z.object({ CustomResponseBodyKey: z.string() }) }) }),
  });
  const Acl = z.object({
    Rules: z.array(Rule),
    CustomResponseBodies: z.record(z.string(), z.object({ ContentType: z.literal('APPLICATION_JSON') })),
  });
  const [acl] = read(template, 'AWS::WAFv2::WebACL', Acl);
  const named = acl?.Rules.map(({ Action }) => Action.Block.CustomResponse.CustomResponseBodyKey) ?? [];
  expect(named).toEqual(Object.keys(acl?.CustomResponseBodies ?? {}));
});

test('CloudWatch may write the access logs, and keeps those of each distribution apart', () => {
  const Delivery = z.object({ DeliveryDestinationArn: z.string(), S3SuffixPath: z.string() });
  const paths = read(template, 'AWS::Logs::Delivery', Delivery).map(({ S3SuffixPath }) => S3SuffixPath);
  const folders = ['applications', 'custom-domains', 'platform'];
  expect(paths.sort()).toEqual(folders.map((folder) => `${folder}/{yyyy}/{MM}/{dd}/{HH}`));
  const [destination] = template.resources('AWS::Logs::DeliveryDestination');
  const bucket = template.resources('AWS::S3::Bucket').find(({ name }) => name.includes('access-logs'));
  expect(destination?.properties).toMatchObject({ DestinationResourceArn: bucket?.arn, OutputFormat: 'json' });
  // https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/AWS-logs-infrastructure-V2-S3.html
  const statements = template.resources('AWS::S3::BucketPolicy').map(({ properties }) => properties.PolicyDocument);
  expect(statements).toContainEqual(
    expect.objectContaining({
      Statement: expect.arrayContaining([
        {
          Effect: 'Allow',
          Action: 's3:PutObject',
          Principal: { Service: 'delivery.logs.amazonaws.com' },
          Resource: `${bucket?.arn}/*`,
          Condition: {
            StringEquals: { 's3:x-amz-acl': 'bucket-owner-full-control', 'aws:SourceAccount': '123456789012' },
            ArnLike: { 'aws:SourceArn': 'arn:aws:logs:us-east-1:123456789012:delivery-source:*' },
          },
        },
      ]),
    }),
  );
});
