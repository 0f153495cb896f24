import { EVENTS } from '../../contract/webhooks/events.ts';

/** Event types that an endpoint can subscribe to. A `ping` is sent regardless of subscriptions. */
export const EVENT_TYPES: readonly string[] = Object.keys(EVENTS).filter((type) => type !== 'ping');
