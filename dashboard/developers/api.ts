import { createKey, listKeys, revokeKey } from '../../contract/accounts/api-keys.ts';
import type { Output } from '../../contract/route.ts';
import { createWebhook, deleteWebhook } from '../../contract/webhooks/endpoints.ts';
import {
  enableWebhook,
  listDeliveries,
  listEndpoints,
  pingWebhook,
  resendDelivery,
  resendSkipped,
  rotateSecret,
} from '../../contract/webhooks/management.ts';
import { useAct } from '../api/act.ts';
import { useList } from '../api/use-api-list.ts';

export type Key = Output<typeof listKeys>['data'][number];
export type Endpoint = Output<typeof listEndpoints>['data'][number];
export type Delivery = Output<typeof listDeliveries>['data'][number];

export const useKeys = () => useList(listKeys);
export const useCreateKey = () => useAct(createKey, [listKeys]);
export const useRevokeKey = () => useAct(revokeKey, [listKeys]);

export const useEndpoints = () => useList(listEndpoints);
export const useCreateEndpoint = () => useAct(createWebhook, [listEndpoints]);
export const useDeleteEndpoint = () => useAct(deleteWebhook, [listEndpoints]);
export const useEnableEndpoint = () => useAct(enableWebhook, [listEndpoints]);
export const usePing = () => useAct(pingWebhook, [listDeliveries]);
export const useRotateSecret = () => useAct(rotateSecret);

/** How often deliveries under way are looked at, and all of them: a ping is to be seen soon. In milliseconds. */
const UNDER_WAY = 1500;
const AT_REST = 3000;

/** A delivery between its attempts is at rest: the next one may be hours off. */
const soon = ({ status, nextAttemptAt }: Delivery): boolean =>
  status === 'PENDING' && (nextAttemptAt === null || Date.parse(nextAttemptAt) - Date.now() < 30_000);

export const useDeliveries = (id: string) =>
  useList(
    listDeliveries,
    { params: { id } },
    { size: 50, every: (deliveries) => (deliveries.some(soon) ? UNDER_WAY : AT_REST) },
  );
export const useResend = () => useAct(resendDelivery, [listDeliveries]);
export const useResendSkipped = () => useAct(resendSkipped, [listDeliveries]);
