import { getApp } from '../../contract/apps/apps.ts';
import {
  checkCustomDomain,
  getCustomDomain,
  removeCustomDomain,
  setCustomDomain,
} from '../../contract/custom-domains/custom-domains.ts';
import type { Output } from '../../contract/route.ts';
import { recoveryInterval } from '../api/query-client.ts';
import { useApiMutation } from '../api/use-api-mutation.ts';
import { useApiQuery } from '../api/use-api-query.ts';

export type CustomDomainDetails = Output<typeof getCustomDomain>['data'];

const ACTIVE_POLL_MS = 10_000;

/** True while the platform or the domain's owner still has a step to complete. */
const isSettingUp = ({ status, certificate }: CustomDomainDetails): boolean =>
  status === 'PENDING' || certificate?.status === 'WAITING' || certificate?.status === 'PENDING';

/** Reads an application's custom domain and polls until it serves HTTPS. Fails with 404 if the application has none. */
export const useCustomDomain = (appId: string) =>
  useApiQuery(
    getCustomDomain,
    { params: { id: appId } },
    {
      refetchInterval: (query) =>
        recoveryInterval(query) || (query.state.data && isSettingUp(query.state.data.data) ? ACTIVE_POLL_MS : false),
    },
  );
export const useCheckCustomDomain = () => useApiMutation(checkCustomDomain, [getCustomDomain]);
export const useSetCustomDomain = () => useApiMutation(setCustomDomain, [getCustomDomain, getApp]);
export const useRemoveCustomDomain = () => useApiMutation(removeCustomDomain, [getCustomDomain, getApp]);
