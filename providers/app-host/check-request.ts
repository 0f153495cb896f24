import * as z from 'zod/mini';
import { memoize } from '../../contract/memoize.ts';

/** The request of a health check to a release, and its answer, as Lambda passes them on. */

/** Returns a `GET` of a path as a function URL would send it. */
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

/** Returns the status out of Lambda's streaming answer: a JSON prelude, eight NUL bytes, the body. */
export function parseStatus(payload: string): number | undefined {
  const end = payload.indexOf('\0');
  try {
    return Prelude().parse(JSON.parse(end < 0 ? payload : payload.slice(0, end))).statusCode;
  } catch {
    return undefined;
  }
}
