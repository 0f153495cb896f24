import dns from 'node:dns';

/**
 * Resolves names below `.localhost` to this machine (RFC 6761), which not every resolver does. The SDK's client for
 * CloudFront KeyValueStore calls `000000000000.localhost` if its endpoint is `http://localhost`. Call this function once in
 * each thread, before the first such request.
 */
export function resolveLocalhostNames(): void {
  const system = dns.lookup;
  const lookup = (hostname: string, ...rest: unknown[]): void => {
    const name = hostname.endsWith('.localhost') ? '127.0.0.1' : hostname;
    Reflect.apply(system, dns, [name, ...rest]);
  };
  // `util.promisify` finds the promisified form in this property.
  dns.lookup = Object.assign(lookup, { __promisify__: system.__promisify__ });
}
