import { addDnsRecord, deleteDnsRecord, listDnsRecords, replaceDnsRecord } from '../../contract/dns/records.ts';
import type { Output } from '../../contract/route.ts';
import { useApiMutation } from '../api/use-api-mutation.ts';
import { useApiQuery } from '../api/use-api-query.ts';

export type DnsRecord = Output<typeof listDnsRecords>['data'][number];

export const useRecords = (domainId: string) => useApiQuery(listDnsRecords, { params: { id: domainId } });
export const useAddRecord = () => useApiMutation(addDnsRecord, [listDnsRecords]);
export const useReplaceRecord = () => useApiMutation(replaceDnsRecord, [listDnsRecords]);
export const useDeleteRecord = () => useApiMutation(deleteDnsRecord, [listDnsRecords]);
