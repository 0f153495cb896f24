import * as z from 'zod/mini';
import { memoize } from '../../contract/memoize.ts';

/** The request of a health check to a release, and its response, in the form of Lambda invocations. */

/** Returns the event that a function URL would send for a `GET` of a path. */
export const checkRequest = (path: string, query: string) => ({
  version: '2.0',
  routeKey: '$default',
  rawPath: path,
  rawQueryString: query,
  headers: { host: 'release-check', 'user-agent': 'Service-ReleaseCheck/1.0', accept: '*/*' },
  requestContext: {
    accountId: 'anonymous',
    apiId: 'release-check',
    domainName: 'release-check',
    domainPrefix: 'release-check',
    http: {
      method: 'GET',
      path,
      protocol: 'HTTP/1.1',
      sourceIp: '127.0.0.1',
      userAgent: 'Service-ReleaseCheck/1.0',
    },
    requestId: 'release-check',
    routeKey: '$default',
    stage: '$default',
    time: '01/Jan/2026:00:00:00 +0000',
    timeEpoch: 0,
  },
  isBase64Encoded: false,
});

const Prelude = memoize(() => z.object({ statusCode: z.number() }));

/** Returns the status of Lambda's streaming response (a JSON prelude, eight NUL bytes, the body); undefined if it has no prelude. */
export function parseStatus(payload: string): number | undefined {
  const end = payload.indexOf('\0');
  try {
    return Prelude().parse(JSON.parse(end < 0 ? payload : payload.slice(0, end))).statusCode;
  } catch {
    return undefined;
  }
}
