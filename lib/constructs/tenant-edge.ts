import { join } from 'node:path';
import type { ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  CfnConnectionGroup,
  CfnDistribution,
  Function as EdgeFunction,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  type ICachePolicy,
  type KeyValueStore,
  OriginRequestPolicy,
  SecurityPolicyProtocol,
} from 'aws-cdk-lib/aws-cloudfront';
import { CfnOutput, Validations } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import type { Platform } from '../stacks/platform-stack.ts';

/**
 * Errors that CloudFront caches for ten seconds by default. The distributions do not cache them: a key must work as
 * soon as it exists.
 */
export const UNCACHED_ERROR_STATUSES = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];

/**
 * Creates the edge of a cell's custom domains: the distribution that all tenants share, and the connection group to whose endpoint domains
 * point. The distribution behaves like that of applications (lib/stacks/edge.ts), for any host with a tenant.
 */
export function createTenantEdge(
  scope: Construct,
  { config, names }: Platform,
  {
    routes,
    staticFiles,
    certificate,
  }: { routes: KeyValueStore; staticFiles: ICachePolicy; certificate: ICertificate | undefined },
): { distribution: CfnDistribution; group: CfnConnectionGroup } {
  const group = new CfnConnectionGroup(scope, 'Group', {
    name: names.global('doors'),
    enabled: true,
    ipv6Enabled: true,
  });
  new CfnOutput(scope, 'Address', {
    value: group.attrRoutingEndpoint,
    description: 'The address that custom domains point to',
  });
  const routing = new EdgeFunction(scope, 'Function', {
    functionName: names.global('route-domain'),
    runtime: FunctionRuntime.JS_2_0,
    code: FunctionCode.fromFile({ filePath: join(import.meta.dirname, '../edge-functions', 'route-app.js') }),
    keyValueStore: routes,
  });
  const distribution = new CfnDistribution(scope, 'Distribution', {
    distributionConfig: {
      comment: 'Custom domains of applications',
      enabled: true,
      connectionMode: 'tenant-only',
      httpVersion: 'http2and3',
      origins: [
        {
          // Never used: the function sets the application's origin or answers the request.
          id: 'unused',
          domainName: config.domain,
          customOriginConfig: {
            originProtocolPolicy: 'https-only',
            originSslProtocols: ['TLSv1.2'],
            originReadTimeout: TIMEOUTS_S.edge.applications,
          },
        },
      ],
      defaultCacheBehavior: {
        targetOriginId: 'unused',
        allowedMethods: ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'POST', 'DELETE'],
        viewerProtocolPolicy: 'redirect-to-https',
        compress: true,
        cachePolicyId: staticFiles.cachePolicyId,
        originRequestPolicyId: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER.originRequestPolicyId,
        functionAssociations: [{ eventType: FunctionEventType.VIEWER_REQUEST, functionArn: routing.functionArn }],
      },
      customErrorResponses: UNCACHED_ERROR_STATUSES.map((errorCode) => ({ errorCode, errorCachingMinTtl: 0 })),
      // The platform's certificate covers no tenant's domain. It is needed to set the TLS protocols for the tenants' certificates.
      ...(certificate
        ? {
            viewerCertificate: {
              acmCertificateArn: certificate.certificateArn,
              sslSupportMethod: 'sni-only',
              minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
            },
          }
        : {}),
    },
  });
  Validations.of(distribution).acknowledge(
    { id: 'AwsSolutions-CFR1', reason: 'the platform serves the whole world' },
    { id: 'AwsSolutions-CFR2', reason: 'a web ACL is the operator’s choice of cost, as for the other distributions' },
    {
      id: 'AwsSolutions-CFR3',
      reason:
        'the access logs are standard logs (v2), which the distribution itself does not name (lib/stacks/access-logs.ts)',
    },
    ...(certificate
      ? []
      : [
          {
            id: 'AwsSolutions-CFR4',
            reason: 'each tenant has a certificate of its own; without a zone there is no other',
          },
        ]),
  );
  return { distribution, group };
}
