import { createTxtRecords } from '../../providers/dns/txt-records.ts';
import { config } from '../config.ts';

export const txt = createTxtRecords(config.DNS_SERVERS);
