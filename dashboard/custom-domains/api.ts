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

export type CustomDomainDetails = NonNullable<Output<typeof getCustomDomain>['data']>;

const ACTIVE_POLL_MS = 10_000;

/** True while the platform or the domain's owner still has a step to complete. */
const isSettingUp = (domain: CustomDomainDetails | null): boolean =>
  domain?.status === 'PENDING' ||
  domain?.certificate?.status === 'WAITING' ||
  domain?.certificate?.status === 'PENDING';

/** Reads an application's custom domain and polls until it serves HTTPS; null if it has none. */
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
