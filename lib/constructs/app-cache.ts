import { CacheHeaderBehavior, CachePolicy, CacheQueryStringBehavior } from 'aws-cdk-lib/aws-cloudfront';
import { Duration } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';

/**
 * Creates the cache key and the limits of applications' static files: each visited host name and release apart
 * (lib/edge-functions/route-app.js sets both headers on every request), each query apart, compressed forms apart. Cache-Control
 * and Expires alone decide how long a file is kept; without them it is not (docs/decisions/0064-edge-cache.md).
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
