import { CacheHeaderBehavior, CachePolicy, CacheQueryStringBehavior } from 'aws-cdk-lib/aws-cloudfront';
import { Duration } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';

/**
 * Creates the cache policy of applications' static files. The cache key contains the visited host name and the release
 * (lib/edge-functions/route-app.js sets both headers on every request), the query, and the accepted encoding. Only Cache-Control and Expires
 * decide how long a file is cached; without them it is not cached (docs/decisions/0064-edge-cache.md).
 */
export const createAppCache = (scope: Construct, name: string): CachePolicy =>
  new CachePolicy(scope, 'StaticFiles', {
    cachePolicyName: name,
    comment: 'Static files of applications, by host name and release',
    minTtl: Duration.seconds(0),
    defaultTtl: Duration.seconds(0),
    maxTtl: Duration.days(365),
    headerBehavior: CacheHeaderBehavior.allowList('X-Forwarded-Host', 'X-App-Release'),
    queryStringBehavior: CacheQueryStringBehavior.all(),
    enableAcceptEncodingBrotli: true,
    enableAcceptEncodingGzip: true,
  });
