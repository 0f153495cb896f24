import dns from 'node:dns';

/**
 * Resolves names under `.localhost` to this machine (RFC 6761), which not every resolver does. The SDK's client for
 * CloudFront KeyValueStore calls `000000000000.localhost` when its endpoint is `http://localhost`. Call this once,
 * before the first such request, in each thread that makes them.
 */
export function resolveLocalhostNames(): void {
  const system = dns.lookup;
  const lookup = (hostname: string, ...rest: unknown[]): void => {
    const name = hostname.endsWith('.localhost') ? '127.0.0.1' : hostname;
    Reflect.apply(system, dns, [name, ...rest]);
  };
  // The promisified form is a property of the function.
  dns.lookup = Object.assign(lookup, { __promisify__: system.__promisify__ });
}
