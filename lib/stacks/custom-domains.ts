import { join } from 'node:path';
import type { ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  CachePolicy,
  CfnConnectionGroup,
  CfnDistribution,
  Function as EdgeFunction,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  OriginRequestPolicy,
  SecurityPolicyProtocol,
} from 'aws-cdk-lib/aws-cloudfront';
import { CfnOutput, Validations } from 'aws-cdk-lib/core';
import { PlatformFunction } from '../constructs/function.ts';
import type { Use } from '../constructs/rights.ts';
import { Machine } from '../constructs/state-machine.ts';
import { doorMachine } from '../state-machines/custom-domains.ts';
import type { AppHostingStack } from './app-hosting.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';
import type { TableStack } from './table.ts';

/** Who answers for domains: whom Lambda asks; the local run has a name server of its own. */
export const ASK_DNS: Use = { variables: { DNS_SERVERS: '' } };

/** Errors that CloudFront would keep for ten seconds by itself: a key that has just been made must work at once. */
export const KEPT_ERRORS = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];

/** A look takes seconds. Whoever makes a tenant is believed to be at it for longer than this (domain/doors.ts). */
const LOOK_SECONDS = 30;

const ANY_TENANT = 'AWS names tenants, which come and go with customers’ domains';

/**
 * Where the visitors of applications' own domains come in: a multi-tenant distribution with a tenant and a certificate for
 * each, and what makes and removes them (docs/decisions/custom-domains.md).
 */
export class DoorsStack extends PlatformStack {
  /** Knowing where domains are to lead. */
  readonly address: Use;
  /** Having a door looked after. */
  readonly keep: Use;

  constructor(
    platform: Platform,
    { table, hosting }: { table: TableStack; hosting: AppHostingStack },
    certificate?: ICertificate,
  ) {
    super(platform, 'doors', 'Where the visitors of applications’ own domains come in');
    const { config, names } = platform;
    this.addStackDependency(table);

    const group = new CfnConnectionGroup(this, 'Group', {
      name: `${config.prefix}-doors`,
      enabled: true,
      ipv6Enabled: true,
    });
    new CfnOutput(this, 'Address', {
      value: group.attrRoutingEndpoint,
      description: 'Where the domains of applications are to lead',
    });
    const distribution = this.distribution(platform, hosting, certificate);
    this.address = { variables: { DOOR_ADDRESS: group.attrRoutingEndpoint } };

    const look = new PlatformFunction(this, platform, 'workflow/lookAtDoor', {
      description: 'A step of a state machine: lookAtDoor',
      timeout: LOOK_SECONDS,
      uses: [
        table.read,
        table.write,
        hosting.route,
        this.address,
        ASK_DNS,
        {
          variables: { DOOR_DISTRIBUTION_ID: distribution.ref, DOOR_GROUP_ID: group.attrId },
          rights: [
            {
              actions: ['Create', 'Update'].map((verb) => `cloudfront:${verb}DistributionTenant`),
              on: [names.tenants, names.distribution(distribution.ref), group.attrArn],
              wildcard: ANY_TENANT,
            },
            {
              actions: ['GetDistributionTenant', 'DeleteDistributionTenant', 'GetManagedCertificateDetails'].map(
                (action) => `cloudfront:${action}`,
              ),
              on: [names.tenants],
              wildcard: ANY_TENANT,
            },
            // CloudFront asks for a tenant's certificate in the name of who makes the tenant.
            {
              actions: ['acm:RequestCertificate'],
              on: ['*'],
              wildcard: 'a certificate that is asked for has no name yet',
            },
            {
              actions: ['acm:DescribeCertificate', 'acm:AddTagsToCertificate'],
              on: [names.edgeCertificates],
              wildcard: 'AWS names certificates, which come and go with customers’ domains',
            },
          ],
        },
      ],
    });
    new Machine(this, platform, 'door', {
      definition: doorMachine({ lookAtDoor: look.lambda.functionArn }),
      functions: [look.lambda.functionArn],
    });
    this.keep = {
      variables: { DOOR_STATE_MACHINE_ARN: names.door.arn },
      rights: [{ actions: ['states:StartExecution'], on: [names.door.arn] }],
    };
  }

  /** What all tenants share. It does what the distribution of applications does (lib/stacks/edge.ts), for any host that has a tenant. */
  private distribution({ config }: Platform, hosting: AppHostingStack, certificate?: ICertificate): CfnDistribution {
    const routing = new EdgeFunction(this, 'Function', {
      functionName: `${config.prefix}-route-domain`,
      runtime: FunctionRuntime.JS_2_0,
      code: FunctionCode.fromFile({ filePath: join(import.meta.dirname, 'edge-functions', 'route-app.js') }),
      keyValueStore: hosting.routes,
    });
    const distribution = new CfnDistribution(this, 'Distribution', {
      distributionConfig: {
        comment: 'Own domains of applications',
        enabled: true,
        connectionMode: 'tenant-only',
        httpVersion: 'http2and3',
        origins: [
          {
            // Never asked: the function names the application's own origin, or answers itself.
            id: 'unused',
            domainName: config.domain,
            customOriginConfig: {
              originProtocolPolicy: 'https-only',
              originSslProtocols: ['TLSv1.2'],
              originReadTimeout: 60,
            },
          },
        ],
        defaultCacheBehavior: {
          targetOriginId: 'unused',
          allowedMethods: ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'POST', 'DELETE'],
          viewerProtocolPolicy: 'redirect-to-https',
          compress: true,
          cachePolicyId: CachePolicy.CACHING_DISABLED.cachePolicyId,
          originRequestPolicyId: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER.originRequestPolicyId,
          functionAssociations: [{ eventType: FunctionEventType.VIEWER_REQUEST, functionArn: routing.functionArn }],
        },
        customErrorResponses: KEPT_ERRORS.map((errorCode) => ({ errorCode, errorCachingMinTtl: 0 })),
        // The platform's own covers no tenant's domain; it says which protocols a tenant's certificate is used with.
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
        reason: 'a multi-tenant distribution takes no standard logs to a bucket; applications write their own',
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
    return distribution;
  }
}
