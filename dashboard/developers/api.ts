import type { Output } from '../../contract/route.ts';
import { createWebhook, deleteWebhook } from '../../contract/webhooks.ts';
import { useAct } from '../api/act.ts';
import { recovery } from '../api/queries.ts';
import { useRead } from '../api/read.ts';
import {
  createKey,
  deleteKey,
  enableWebhook,
  listDeliveries,
  listKeys,
  listOwnWebhooks,
  pingWebhook,
  resendDelivery,
  resendSkipped,
  rotateSecret,
} from '../awaiting.ts';

export type Key = Output<typeof listKeys>['data'][number];
export type Endpoint = Output<typeof listOwnWebhooks>['data'][number];
export type Delivery = Output<typeof listDeliveries>['data'][number];

export const useKeys = () => useRead(listKeys, { query: { limit: '100' } });
export const useCreateKey = () => useAct(createKey, [listKeys]);
export const useRevokeKey = () => useAct(deleteKey, [listKeys]);

export const useEndpoints = () => useRead(listOwnWebhooks, { query: { limit: '100' } });
export const useCreateEndpoint = () => useAct(createWebhook, [listOwnWebhooks]);
export const useDeleteEndpoint = () => useAct(deleteWebhook, [listOwnWebhooks]);
export const useEnableEndpoint = () => useAct(enableWebhook, [listOwnWebhooks]);
export const usePing = () => useAct(pingWebhook, [listDeliveries]);
export const useRotateSecret = () => useAct(rotateSecret);

/** How often deliveries under way are looked at, in milliseconds, and all of them. */
const UNDER_WAY = 1500;
const AT_REST = 10_000;

/** A delivery between its attempts is at rest: the next one may be hours off. */
const soon = ({ status, nextAttemptAt }: Delivery): boolean =>
  status === 'PENDING' && (nextAttemptAt === null || Date.parse(nextAttemptAt) - Date.now() < 30_000);

export const useDeliveries = (id: string) =>
  useRead(
    listDeliveries,
    { params: { id }, query: { limit: '50' } },
    {
      refetchInterval: (query) => recovery(query) || (query.state.data?.data.some(soon) ? UNDER_WAY : AT_REST),
    },
  );
export const useResend = () => useAct(resendDelivery, [listDeliveries]);
export const useResendSkipped = () => useAct(resendSkipped, [listDeliveries]);
