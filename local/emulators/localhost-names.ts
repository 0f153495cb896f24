import dns from 'node:dns';

/**
 * Names under `.localhost` are this machine (RFC 6761), but not every resolver knows: `000000000000.localhost` is where
 * the SDK's client for CloudFront KeyValueStore goes when its endpoint is `http://localhost`. To be called once in every
 * thread that makes such calls, before the first.
 */
export function resolveLocalhostNames(): void {
  const system = dns.lookup;
  const lookup = (hostname: string, ...rest: unknown[]): void => {
    const name = hostname.endsWith('.localhost') ? '127.0.0.1' : hostname;
    Reflect.apply(system, dns, [name, ...rest]);
  };
  // The promisified form hangs on the function itself.
  dns.lookup = Object.assign(lookup, { __promisify__: system.__promisify__ });
}
