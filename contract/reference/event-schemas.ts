import { WEBHOOKS_TAG } from '../tags.ts';
import { EVENTS, type EventType } from '../webhooks/events.ts';
import type { Components, Json } from './components.ts';

/** The webhooks of the OpenAPI document: the events with their payloads (specification, Events). */

const DESCRIPTIONS: Readonly<Record<EventType, string>> = {
  'app.created': 'An application was created.',
  'app.deleted': 'An application was deleted.',
  'app.suspended': 'An application was suspended; `reason` explains why.',
  'app.resumed': 'An application is in service again.',
  'deployment.started': 'A deployment started to run.',
  'deployment.succeeded': 'A deployment finished, and its release is live.',
  'deployment.failed': 'A deployment failed; the previous release, if there is one, stays live.',
  'domain.registered': 'A domain was registered.',
  'database.created': 'A database was provisioned.',
  'payment.succeeded': 'The payment provider accepted a payment.',
  'payment.failed': 'The payment provider declined a payment.',
  'subscription.activated': 'A subscription became active or was renewed.',
  'subscription.cancelled': 'A subscription was cancelled.',
  'plan.limit_exceeded':
    'The account has more applications than its plan allows; the newest are suspended at `suspendsAt`.',
  'ai.budget_near': 'An API key has spent 80% of its monthly budget for AI credits.',
  ping: 'A test event, sent from the dashboard.',
};

const text = (description: string, example?: string) => ({
  required: true,
  description,
  schema: { type: 'string', ...(example ? { examples: [example] } : {}) },
});

const HEADERS: Readonly<Record<string, Json>> = {
  'User-Agent': text('The sender and its version', 'Service-Webhooks/1.0'),
  'X-Service-Event': text('The event type'),
  'X-Service-Delivery': text('The id of this attempt'),
  'X-Service-Signature': text(
    '`t=<unix seconds>,v1=<hex>`: the HMAC-SHA256 of `<t>.<raw body>`, with the complete signing secret as the key. For 24 hours after a rotation, there are two `v1` values. Reject a `t` that is off by more than 300 seconds.',
    't=1790000000,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd',
  ),
  'webhook-id': text('Standard Webhooks: the event’s id, the same for every attempt'),
  'webhook-timestamp': text('Standard Webhooks: the time of this attempt in Unix seconds'),
  'webhook-signature': text(
    'Standard Webhooks: `v1,<base64>` for each valid secret, separated by spaces. The key is the decoded part of the secret after `whsec_`.',
  ),
};

/** Returns the first clause of an event's description, without a capital letter at its start. */
const firstClause = (description: string): string =>
  description.charAt(0).toLowerCase() + description.slice(1).replace(/[.;].*$/, '');

/** Adds the schema of an event's body to the components, and returns the operation that a receiver implements. */
function buildEvent(type: EventType, components: Components): Json {
  const name = `Event.${type}`;
  components.schemas[name] = {
    type: 'object',
    description: DESCRIPTIONS[type],
    required: ['id', 'type', 'created', 'data'],
    properties: {
      id: {
        type: 'string',
        pattern: '^evt_[0-9a-f]+$',
        description: 'The id of the event, the same in every attempt. Use it to ignore duplicates.',
      },
      type: { type: 'string', const: type },
      created: { type: 'string', format: 'date-time', examples: ['2026-01-31T09:30:00.000Z'] },
      data: components.show(EVENTS[type](), 'output'),
    },
  };
  return {
    post: {
      operationId: `on${type.replace(/(^|[._])(\w)/g, (_, __, letter: string) => letter.toUpperCase())}`,
      summary: `${type}: ${firstClause(DESCRIPTIONS[type])}`,
      description: `${DESCRIPTIONS[type]} Sent to every active endpoint that subscribes to \`${type}\` or \`*\`.`,
      tags: [WEBHOOKS_TAG],
      security: [],
      parameters: Object.entries(HEADERS).map(([header, shown]) => ({ name: header, in: 'header', ...shown })),
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
      },
      responses: {
        '2XX': {
          description:
            'Received. Respond within 10 seconds. Otherwise the delivery is retried five times within 15 hours.',
        },
        '4XX': { description: 'Not received: the delivery is retried. Redirects are not followed.' },
      },
    },
  };
}

/** Returns the document's `webhooks`. */
export const buildWebhooks = (components: Components): Json =>
  Object.fromEntries((Object.keys(EVENTS) as EventType[]).map((type) => [type, buildEvent(type, components)]));
