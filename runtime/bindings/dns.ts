import { Route53Client } from '@aws-sdk/client-route-53';
import { createDns } from '../../providers/dns/dns.ts';

/**
 * The adaptive mode waits before a request once others were throttled. The standard one repeats until its quota of repetitions is used up,
 * and then gives up at once: of 600 zones that change together it left 300 to their backoff.
 */
export const dns = createDns(new Route53Client({ maxAttempts: 8, retryMode: 'adaptive' }));
