import { createDelegations } from '../../providers/dns/delegations.ts';
import { config } from '../config.ts';

export const delegations = createDelegations(config.DNS_SERVERS);
