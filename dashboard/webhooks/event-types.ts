import { EVENTS, type EventType } from '../../contract/webhooks/events.ts';

/** All event types. */
export const ALL_EVENT_TYPES = Object.keys(EVENTS) as readonly EventType[];

/** Event types that an endpoint can subscribe to. A `ping` is sent regardless of subscriptions. */
export const EVENT_TYPES: readonly string[] = ALL_EVENT_TYPES.filter((type) => type !== 'ping');
