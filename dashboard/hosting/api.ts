import { getHosting, listHosting } from '../../contract/hosting.ts';
import type { Output } from '../../contract/route.ts';
import { useRead } from '../api/read.ts';

export type HostingItem = Output<typeof listHosting>['data'][number];
export type HostingDetails = Output<typeof getHosting>['data'];

export const useHostings = () => useRead(listHosting, { query: { limit: '100' } });
/** Read live from the server, which may take a moment. */
export const useHosting = (id: string) => useRead(getHosting, { params: { id } });
