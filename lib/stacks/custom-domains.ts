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
import { CfnOutput, CrossStackReferences, ReferenceStrength, Validations } from 'aws-cdk-lib/core';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { tenantRights } from '../constructs/app-rights.ts';
import { PlatformFunction } from '../constructs/function.ts';
import type { Use } from '../constructs/rights.ts';
import { Machine } from '../constructs/state-machine.ts';
import { edgeTenantMachine } from '../state-machines/custom-domains.ts';
import type { AppHostingStack } from './app-hosting.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';
import type { TableStack } from './table.ts';

/** Name servers for DNS queries. Empty on AWS, which means Lambda's resolver; the local run sets its own. */
export const DNS_LOOKUP: Use = { variables: { DNS_SERVERS: '' } };

/**
 * Errors that CloudFront caches for ten seconds by default. The distributions do not cache them: a key must work as
 * soon as it exists.
 */
export const UNCACHED_ERROR_STATUSES = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];

/**
 * The edge of custom domains: a multi-tenant distribution with a tenant and a certificate per domain, and the state
 * machine that creates and removes them (docs/decisions/0018-custom-domains.md).
 */
export class CustomDomainsStack extends PlatformStack {
  /** Provides the address that custom domains must point to. */
  readonly endpoint: Use;
  /** Starts the reconciliation of a domain's tenant. */
  readonly reconcile: Use;
  /** The distribution of all custom domains. */
  readonly distributionId: string;

  constructor(
    platform: Platform,
    { table, hosting }: { table: TableStack; hosting: AppHostingStack },
    certificate?: ICertificate,
  ) {
    super(platform, 'doors', 'The edge of applications’ custom domains');
    const { names } = platform;
    this.addStackDependency(table);

    const group = new CfnConnectionGroup(this, 'Group', {
      name: names.global('doors'),
      enabled: true,
      ipv6Enabled: true,
    });
    new CfnOutput(this, 'Address', {
      value: group.attrRoutingEndpoint,
      description: 'The address that custom domains point to',
    });
    const distribution = this.distribution(platform, hosting, certificate);
    // Read by the stack of access logs in another region.
    CrossStackReferences.of(distribution).produce(ReferenceStrength.WEAK);
    this.distributionId = distribution.ref;
    this.endpoint = { variables: { EDGE_ENDPOINT: group.attrRoutingEndpoint } };

    const look = new PlatformFunction(this, platform, 'workflow/reconcileTenant', {
      description:
        'Checks a custom domain and creates or removes its edge tenant; a step of a state machine: reconcileTenant',
      timeout: TIMEOUTS_S.tenant.function,
      uses: [
        table.read,
        table.write,
        hosting.route,
        this.endpoint,
        DNS_LOOKUP,
        {
          variables: { TENANT_DISTRIBUTION_ID: distribution.ref, CONNECTION_GROUP_ID: group.attrId },
          rights: tenantRights({
            names,
            tenantDistributionArn: names.distribution(distribution.ref),
            connectionGroupArn: group.attrArn,
          }),
          inCells: tenantRights,
        },
      ],
    });
    new Machine(this, platform, 'door', {
      definition: edgeTenantMachine({ reconcileTenant: look.live.functionArn }),
      functions: [look],
    });
    this.reconcile = {
      variables: { TENANT_STATE_MACHINE_ARN: names.door.arn },
      rights: [{ actions: ['states:StartExecution'], on: [names.door.arn] }],
    };
  }

  /**
   * Creates the distribution that all tenants share. It behaves as the distribution of applications
   * (lib/stacks/edge.ts), for any host that has a tenant.
   */
  private distribution(
    { config, names }: Platform,
    hosting: AppHostingStack,
    certificate?: ICertificate,
  ): CfnDistribution {
    const routing = new EdgeFunction(this, 'Function', {
      functionName: names.global('route-domain'),
      runtime: FunctionRuntime.JS_2_0,
      code: FunctionCode.fromFile({ filePath: join(import.meta.dirname, '../edge-functions', 'route-app.js') }),
      keyValueStore: hosting.routes,
    });
    const distribution = new CfnDistribution(this, 'Distribution', {
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
          cachePolicyId: CachePolicy.CACHING_DISABLED.cachePolicyId,
          originRequestPolicyId: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER.originRequestPolicyId,
          functionAssociations: [{ eventType: FunctionEventType.VIEWER_REQUEST, functionArn: routing.functionArn }],
        },
        customErrorResponses: UNCACHED_ERROR_STATUSES.map((errorCode) => ({ errorCode, errorCachingMinTtl: 0 })),
        // The platform's certificate covers no tenant's domain; it sets the TLS protocols that tenants' certificates
        // are used with.
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
