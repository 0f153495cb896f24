import { Route53Client } from '@aws-sdk/client-route-53';
import { sdkTimeouts } from '../../providers/aws-timeouts.ts';
import { createDns } from '../../providers/dns/dns.ts';

/**
 * The adaptive mode waits before a request after others were throttled. The standard mode retries until its retry quota is used up,
 * and then fails immediately: of 600 zones that changed concurrently, it left 300 to the backoff of the zone sync.
 */
export const dns = createDns(new Route53Client({ ...sdkTimeouts(), maxAttempts: 8, retryMode: 'adaptive' }));
