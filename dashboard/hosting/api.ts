import { getHostingDomain } from '../../contract/hosting/domains.ts';
import { createHostingSession, getHosting, listHosting } from '../../contract/hosting/hosting.ts';
import type { Output } from '../../contract/route.ts';
import { useApiList } from '../api/use-api-list.ts';
import { useApiMutation } from '../api/use-api-mutation.ts';
import { useApiQuery } from '../api/use-api-query.ts';

export type HostingItem = Output<typeof listHosting>['data'][number];
export type HostingDetails = Output<typeof getHosting>['data'];
export type HostingDomainDetails = Output<typeof getHostingDomain>['data'];

/** @param allPages true to load the whole list, so that it can be searched */
export const useHostings = ({ allPages = false } = {}) => useApiList(listHosting, {}, { allPages });

const PENDING_POLL_MS = 10_000;

/** Reads a subscription live from its server, which may take a few seconds, and polls until its account is created. */
export const useHosting = (id: string) =>
  useApiQuery(
    getHosting,
    { params: { id } },
    { refetchInterval: ({ state: { data } }) => data?.data.panelStatus === 'PENDING' && PENDING_POLL_MS },
  );
/** Reads the verification status of a subscription's domain, and polls until it is verified. */
export const useHostingDomain = (id: string) =>
  useApiQuery(
    getHostingDomain,
    { params: { id } },
    { refetchInterval: ({ state: { data } }) => data?.data.status === 'PENDING' && PENDING_POLL_MS },
  );
/** Creates a sign-in session for the control panel of a subscription. */
export const useCreateSession = () => useApiMutation(createHostingSession);
