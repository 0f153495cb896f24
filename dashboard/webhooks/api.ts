import type { CallerInput, Output } from '../../contract/route.ts';
import { createWebhook, deleteWebhook } from '../../contract/webhooks/endpoints.ts';
import {
  type DeliveryRange,
  enableWebhook,
  getDeliveryStats,
  listDeliveries,
  listEndpoints,
  pingWebhook,
  resendDelivery,
  resendSkipped,
  rotateSecret,
  updateWebhook,
} from '../../contract/webhooks/management.ts';
import { recoveryInterval } from '../api/query-client.ts';
import { useApiList } from '../api/use-api-list.ts';
import { useApiMutation } from '../api/use-api-mutation.ts';
import { useApiQuery } from '../api/use-api-query.ts';

export type Endpoint = Output<typeof listEndpoints>['data'][number];
export type DeliveryStats = Output<typeof getDeliveryStats>['data'];
export type Delivery = Output<typeof listDeliveries>['data'][number];

interface EndpointOptions {
  /** Poll interval in milliseconds, for screens that show the state of an endpoint. */
  pollInterval?: number | false;
  /** Loads all pages, for a list that the client filters. */
  allPages?: boolean;
}

export const useEndpoints = ({ pollInterval = false, allPages = false }: EndpointOptions = {}) =>
  useApiList(listEndpoints, {}, { allPages, pollInterval: () => pollInterval });
export const useCreateEndpoint = () => useApiMutation(createWebhook, [listEndpoints]);
export const useUpdateEndpoint = () => useApiMutation(updateWebhook, [listEndpoints]);
export const useDeleteEndpoint = () => useApiMutation(deleteWebhook, [listEndpoints]);
export const useEnableEndpoint = () => useApiMutation(enableWebhook, [listEndpoints]);
export const usePing = () => useApiMutation(pingWebhook, [listDeliveries, getDeliveryStats]);
export type Ping = ReturnType<typeof usePing>;
export const useRotateSecret = () => useApiMutation(rotateSecret);

/** Poll interval of an endpoint's state. */
export const ENDPOINT_POLL_MS = 10_000;
/** Poll intervals while an attempt is due soon, and otherwise. */
const ACTIVE_POLL_MS = 1500;
const IDLE_POLL_MS = 10_000;

/** True if an attempt is running or due within 30 seconds; a later retry may be hours away. */
const isDueSoon = ({ status, nextAttemptAt }: Delivery): boolean =>
  status === 'PENDING' && (nextAttemptAt === null || Date.parse(nextAttemptAt) - Date.now() < 30_000);

export type DeliveryFilter = Pick<
  NonNullable<CallerInput<typeof listDeliveries>['query']>,
  'status' | 'type' | 'from' | 'to'
>;

/** Maximum time that the list polls for the delivery of a test event. */
const MAX_PING_WAIT_MS = 15_000;

/** True until the delivery of a test event is listed: it is created soon after the event. */
const isAwaited = ({ data: sent, submittedAt }: Ping, deliveries: readonly Delivery[]): boolean =>
  sent !== undefined &&
  Date.now() - submittedAt < MAX_PING_WAIT_MS &&
  !deliveries.some(({ eventId }) => eventId === sent.data.eventId);

/** @param ping the latest test event that was sent from this screen */
export const useDeliveries = (id: string, filter: DeliveryFilter, ping: Ping) =>
  useApiList(
    listDeliveries,
    { params: { id } },
    {
      filter,
      pageSize: 50,
      pollInterval: (deliveries) =>
        isAwaited(ping, deliveries) || deliveries.some(isDueSoon) ? ACTIVE_POLL_MS : IDLE_POLL_MS,
    },
  );
/** Poll interval of an endpoint's statistics. */
const STATS_POLL_MS = 30_000;
export const useDeliveryStats = (id: string, range: DeliveryRange) =>
  useApiQuery(
    getDeliveryStats,
    { params: { id }, query: { range } },
    { refetchInterval: (query) => recoveryInterval(query) || STATS_POLL_MS, placeholderData: (before) => before },
  );

export const useResend = () => useApiMutation(resendDelivery, [listDeliveries, getDeliveryStats]);
export const useReplay = () => useApiMutation(resendSkipped, [listDeliveries, getDeliveryStats]);
