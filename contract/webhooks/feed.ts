import * as z from 'zod/mini';
import { describe, resource, Timestamp, wholeNumber } from '../envelope.ts';
import { route } from '../route.ts';
import { EVENTS } from './events.ts';

/** An event of the account, with the fields that endpoints receive. */
const AccountEvent = resource('AccountEvent', () =>
  z.object({
    id: describe(z.string(), 'The same as in deliveries of the event'),
    type: z.string().register(z.globalRegistry, { openApiOverride: { type: 'string', enum: Object.keys(EVENTS) } }),
    created: Timestamp(),
    data: describe(z.record(z.string(), z.unknown()), 'As the event’s type says: see the webhook events'),
  }),
);

const CURSOR = /^evc_[0-9a-z]{1,10}$/;
const Cursor = () =>
  z
    .string()
    .check(z.regex(CURSOR, 'must be the cursor of an earlier response'))
    .register(z.globalRegistry, { description: 'The cursor of an earlier response', examples: ['evc_2s'] });

/** Returns the cursor behind a position of the feed. */
export const cursorAt = (position: number): string => `evc_${position.toString(36)}`;

/** Returns the position that a valid cursor stands behind. */
export const positionOf = (cursor: string): number => Number.parseInt(cursor.slice('evc_'.length), 36);

/** Not part of the specification: an addition, for programs that no webhook can reach. */
export const listEvents = /* @__PURE__ */ route({
  id: 'listEvents',
  method: 'GET',
  path: '/v1/events',
  access: 'read',
  right: 'member',
  summary:
    'Read your events in order after a cursor, none missed and none twice; kept from the first call on, for 30 days',
  tag: 'Webhooks',
  query: () =>
    z.object({
      after: z.optional(Cursor()),
      limit: wholeNumber('Maximum number of events to return', 1, 100, 50),
    }),
  response: () =>
    z.object({
      data: describe(z.array(AccountEvent()), 'Oldest first; without `after`, the newest events'),
      cursor: z.string().register(z.globalRegistry, {
        description:
          'Pass it as `after` for the events that follow. Ask again every 2 seconds, or at once while `has_more`',
        examples: ['evc_2s'],
      }),
      has_more: z.boolean(),
    }),
});
