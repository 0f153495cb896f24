import { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import { CrossStackReferences, ReferenceStrength } from 'aws-cdk-lib/core';
import { errorBody } from '../../contract/errors.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';

/** CloudFront accepts web ACLs only from this region. */
const WEB_ACL_REGION = 'us-east-1';
/** Seconds over which an address's requests are counted: AWS WAF's minimum. */
const WINDOW_SECONDS = 60;

const TOO_MANY = errorBody({
  message: `Too many requests from your address. Wait ${WINDOW_SECONDS} s.`,
  code: 'rate_limited',
  status: 429,
});

/**
 * The web ACL of the API's distribution. It prevents one client from using up the request rate that all clients share
 * (`apiRequestsPerSecond`). AWS WAF counts single addresses and cannot aggregate by network, so the API itself counts clients with many IPv6
 * addresses by the first 64 bits (domain/accounts/client-network.ts).
 */
export class FirewallStack extends PlatformStack {
  readonly webAclArn: string;

  constructor(platform: Platform) {
    super(platform, 'firewall', 'The request rate of each client address at the edge', WEB_ACL_REGION);
    const { prefix, rateLimitAddress } = platform.config;
    const visibility = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
      cloudWatchMetricsEnabled: true,
      sampledRequestsEnabled: true,
      metricName,
    });
    const acl = new CfnWebACL(this, 'WebAcl', {
      name: platform.names.global('api'),
      description: 'Limits the requests of each client address',
      scope: 'CLOUDFRONT',
      defaultAction: { allow: {} },
      visibilityConfig: visibility(`${prefix}-api`),
      customResponseBodies: {
        tooMany: { contentType: 'APPLICATION_JSON', content: JSON.stringify(TOO_MANY) },
      },
      rules: [
        {
          name: 'requests-per-address',
          priority: 0,
          statement: {
            rateBasedStatement: {
              aggregateKeyType: 'IP',
              evaluationWindowSec: WINDOW_SECONDS,
              limit: rateLimitAddress,
            },
          },
          action: {
            block: {
              customResponse: {
                responseCode: TOO_MANY.error.status,
                customResponseBodyKey: 'tooMany',
                responseHeaders: [{ name: 'Retry-After', value: String(WINDOW_SECONDS) }],
              },
            },
          },
          visibilityConfig: visibility(`${prefix}-requests-per-address`),
        },
      ],
    });
    // Read across regions through the stack's output, like the certificate.
    CrossStackReferences.of(acl).produce(ReferenceStrength.WEAK);
    this.webAclArn = acl.attrArn;
  }
}
