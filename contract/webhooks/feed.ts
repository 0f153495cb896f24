import * as z from 'zod/mini';
import { describe, resource, Timestamp, wholeNumber } from '../envelope.ts';
import { route } from '../route.ts';
import { EVENTS } from './events.ts';

/** An event of the account, with the same fields as in deliveries. */
const AccountEvent = resource('AccountEvent', () =>
  z.object({
    id: describe(z.string(), 'The id of the event, the same as in its deliveries'),
    type: z.string().register(z.globalRegistry, { openApiOverride: { type: 'string', enum: Object.keys(EVENTS) } }),
    created: Timestamp(),
    data: describe(z.record(z.string(), z.unknown()), 'The payload of the event type: see the webhook events'),
  }),
);

const CURSOR = /^evc_[0-9a-z]{1,10}$/;
const Cursor = () =>
  z
    .string()
    .check(z.regex(CURSOR, 'must be the cursor of an earlier response'))
    .register(z.globalRegistry, { description: 'The cursor of an earlier response', examples: ['evc_2s'] });

/** Returns the cursor after a position in the feed. */
export const cursorAt = (position: number): string => `evc_${position.toString(36)}`;

/** Returns the position in the feed of a valid cursor. */
export const positionOf = (cursor: string): number => Number.parseInt(cursor.slice('evc_'.length), 36);

/** An addition to the specification, for programs that cannot receive webhooks. */
export const listEvents = /* @__PURE__ */ route({
  id: 'listEvents',
  method: 'GET',
  path: '/v1/events',
  access: 'read',
  right: 'member',
  summary:
    'Read your events in order after a cursor, each exactly once, except `ping` events; from the first call on, events are kept for 30 days',
  tag: 'Webhooks',
  query: () =>
    z.object({
      after: z.optional(Cursor()),
      limit: wholeNumber('Maximum number of events to return', 1, 100, 50),
    }),
  response: () =>
    z.object({
      data: describe(z.array(AccountEvent()), 'The events, oldest first; without `after`, the newest ones'),
      cursor: z.string().register(z.globalRegistry, {
        description:
          'Pass it as `after` to read the following events. Poll every 2 seconds, or immediately while `has_more` is true.',
        examples: ['evc_2s'],
      }),
      has_more: z.boolean(),
    }),
});
