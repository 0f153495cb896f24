import { EVENTS } from '../../contract/webhooks/events.ts';

/** What an endpoint can subscribe to. A ping comes to whom it is sent. */
export const EVENT_TYPES: readonly string[] = Object.keys(EVENTS).filter((type) => type !== 'ping');
