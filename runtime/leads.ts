import { createLeads } from '../providers/leads.ts';
import { config } from './config.ts';

export const leads = createLeads(config.DNS_SERVERS ? config.DNS_SERVERS.split(',') : []);
