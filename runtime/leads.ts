import { createLeads } from '../providers/dns/targets.ts';
import { config } from './config.ts';

export const leads = createLeads(config.DNS_SERVERS ? config.DNS_SERVERS.split(',') : []);
