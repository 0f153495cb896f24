import { type IncomingMessage, ServerResponse } from 'node:http';

/**
 * Header with which the edge requests a response that it may cache (lib/edge-functions/route-app.js): `<version>-<deployment>` of the
 * release in the route. A value that begins with `-` means that the response is for one visitor only.
 */
const RELEASE_HEADER = 'x-app-release';
/** Statuses whose responses the edge may cache. Errors are excluded, because they must not outlast their cause. */
const CACHEABLE_STATUSES: readonly number[] = [200, 203, 206, 301, 304, 308];

type WriteHead = (this: ServerResponse, status: number, ...rest: unknown[]) => ServerResponse;
type Pair = readonly [name: string, value: unknown];

/** Returns the headers passed to `writeHead` as pairs, from any of the forms that Node accepts. */
function pairsOf(headers: unknown): Pair[] {
  if (!Array.isArray(headers)) return Object.entries(headers ?? {});
  if (Array.isArray(headers[0])) return headers.map(([name, value]): Pair => [String(name), value]);
  return headers.flatMap((name, index): Pair[] => (index % 2 === 0 ? [[String(name), headers[index + 1]]] : []));
}

/** Returns a Cache-Control that allows only the visitor's browser to cache. */
const toPrivate = (cacheControl: string): string =>
  [
    'private',
    ...cacheControl
      .split(',')
      .map((directive) => directive.trim())
      .filter((directive) => directive !== '' && !/^(public|private|s-maxage|proxy-revalidate)\b/i.test(directive)),
  ].join(', ');

/** Returns true if a response's head permits sharing the response between visitors. */
function isShareable(status: number, setsCookie: boolean, vary: string): boolean {
  const differsBy = vary.split(',').map((name) => name.trim().toLowerCase());
  return (
    CACHEABLE_STATUSES.includes(status) &&
    !setsCookie &&
    // The edge's cache key contains the encoding, but no other header of the request.
    differsBy.every((name) => name === '' || name === 'accept-encoding')
  );
}

/**
 * Makes responses `private` that the edge must not cache although their Cache-Control allows it: responses that set cookies, vary by a
 * header of the request, are errors, or come from another release than the edge requested. CloudFront would store them, including
 * cookies, because it considers only Cache-Control
 * (https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/RequestAndResponseBehaviorCustomOrigin.html).
 * Other responses stay unchanged.
 *
 * @param version the version of the Lambda function, which identifies the release
 */
export function guardSharedCache(version: string, prototype: object = ServerResponse.prototype): void {
  const target = prototype as { writeHead: WriteHead };
  const original = target.writeHead;
  target.writeHead = function (status, ...rest) {
    const request: IncomingMessage | undefined = this.req;
    const release = request?.headers[RELEASE_HEADER];
    if (typeof release !== 'string' || release.startsWith('-')) return original.call(this, status, ...rest);
    const headers = typeof rest.at(-1) === 'object' ? rest.at(-1) : undefined;
    const passed = pairsOf(headers);
    const headerOf = (name: string): string | undefined => {
      const values = passed.flatMap(([key, value]) => (key.toLowerCase() === name ? [value] : []));
      const found = values.length > 0 ? values.flat().join(', ') : this.getHeader(name);
      return found === undefined ? undefined : String(found);
    };
    const cacheControl = headerOf('cache-control');
    const isRequestedRelease = release.startsWith(`${version}-`);
    const isUnchanged =
      (cacheControl === undefined && headerOf('expires') === undefined) ||
      (isRequestedRelease && isShareable(status, headerOf('set-cookie') !== undefined, headerOf('vary') ?? ''));
    if (isUnchanged) return original.call(this, status, ...rest);
    const privateHeader = ['cache-control', toPrivate(cacheControl ?? '')] as const;
    const others = passed.filter(([name]) => name.toLowerCase() !== 'cache-control');
    if (others.length === passed.length) {
      this.setHeader(...privateHeader);
      return original.call(this, status, ...rest);
    }
    // A flat list of names and values preserves repeated names.
    return original.call(this, status, ...rest.slice(0, -1), [...others, privateHeader].flat());
  };
}
