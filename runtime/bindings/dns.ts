import { Route53Client } from '@aws-sdk/client-route-53';
import { createDns } from '../../providers/dns/dns.ts';

export const dns = createDns(new Route53Client({ maxAttempts: 8 }));
