import { createDnsResolver } from '../../providers/dns/targets.ts';
import { config } from '../config.ts';

export const dnsResolver = createDnsResolver(config.DNS_SERVERS);
