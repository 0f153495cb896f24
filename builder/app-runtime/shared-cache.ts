import { type IncomingMessage, ServerResponse } from 'node:http';

/**
 * Header by which the edge asks for a response that it may keep (lib/edge-functions/route-app.js): `<version>-<deployment>` of
 * the release that its route names. A value that begins with `-` stands for a response that one visitor alone gets.
 */
const RELEASE_HEADER = 'x-app-release';
/** Statuses whose responses the edge may keep. An error must end when its reason does. */
const CACHEABLE_STATUSES: readonly number[] = [200, 203, 206, 301, 304, 308];

type WriteHead = (this: ServerResponse, status: number, ...rest: unknown[]) => ServerResponse;
type Pair = readonly [name: string, value: unknown];

/** Returns the headers that are passed to `writeHead`, in each of the forms that Node takes. */
function pairsOf(headers: unknown): Pair[] {
  if (!Array.isArray(headers)) return Object.entries(headers ?? {});
  if (Array.isArray(headers[0])) return headers.map(([name, value]): Pair => [String(name), value]);
  return headers.flatMap((name, index): Pair[] => (index % 2 === 0 ? [[String(name), headers[index + 1]]] : []));
}

/** Returns a Cache-Control that only the visitor's own browser follows. */
const toPrivate = (cacheControl: string): string =>
  [
    'private',
    ...cacheControl
      .split(',')
      .map((directive) => directive.trim())
      .filter((directive) => directive !== '' && !/^(public|private|s-maxage|proxy-revalidate)\b/i.test(directive)),
  ].join(', ');

/** True if a response is the same for every visitor who asks for it, as far as its head says. */
function isShareable(status: number, setsCookie: boolean, vary: string): boolean {
  const differsBy = vary.split(',').map((name) => name.trim().toLowerCase());
  return (
    CACHEABLE_STATUSES.includes(status) &&
    !setsCookie &&
    // The edge's cache knows the encoding, and no other header of the request.
    differsBy.every((name) => name === '' || name === 'accept-encoding')
  );
}

/**
 * Makes those of an application's responses `private` that the edge must not keep although their Cache-Control allows it: the
 * ones that set cookies, vary by a header of the request, are errors, or come from another release than the one whose files the
 * edge asks for. CloudFront would store them, cookies included, because it decides by Cache-Control alone
 * (https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/RequestAndResponseBehaviorCustomOrigin.html).
 * Other responses are not changed.
 *
 * @param version of the function, which numbers its releases
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
      const values = passed.flatMap(([each, value]) => (each.toLowerCase() === name ? [value] : []));
      const found = values.length > 0 ? values.flat().join(', ') : this.getHeader(name);
      return found === undefined ? undefined : String(found);
    };
    const cacheControl = headerOf('cache-control');
    const isOwn = release.startsWith(`${version}-`);
    const keeps =
      (cacheControl === undefined && headerOf('expires') === undefined) ||
      (isOwn && isShareable(status, headerOf('set-cookie') !== undefined, headerOf('vary') ?? ''));
    if (keeps) return original.call(this, status, ...rest);
    const decided = ['cache-control', toPrivate(cacheControl ?? '')] as const;
    const others = passed.filter(([name]) => name.toLowerCase() !== 'cache-control');
    if (others.length === passed.length) {
      this.setHeader(...decided);
      return original.call(this, status, ...rest);
    }
    // Pairs in a flat list keep repeated names.
    return original.call(this, status, ...rest.slice(0, -1), [...others, decided].flat());
  };
}
