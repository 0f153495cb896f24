import { getHosting, listHosting } from '../../contract/hosting/hosting.ts';
import type { Output } from '../../contract/route.ts';
import { useList } from '../api/use-api-list.ts';
import { useRead } from '../api/use-api-query.ts';

export type HostingItem = Output<typeof listHosting>['data'][number];
export type HostingDetails = Output<typeof getHosting>['data'];

export const useHostings = () => useList(listHosting);
/** Read live from the server, which may take a moment. */
export const useHosting = (id: string) => useRead(getHosting, { params: { id } });
