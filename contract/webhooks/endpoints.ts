import * as z from 'zod/mini';
import { Deleted, Id, list, Page, plainText, resource, single, Timestamp } from '../envelope.ts';
import { route } from '../route.ts';
import { EVENTS, type EventType } from './events.ts';

/** The number of consecutive failed attempts that disables an endpoint (specification, Delivery 4). */
export const MAX_CONSECUTIVE_FAILURES = 50;

/** An entry in an endpoint's list of events: an event type, or `*` for all. */
export type EventFilter = EventType | '*';
const EVENT_FILTERS: ReadonlySet<string> = new Set(['*', ...Object.keys(EVENTS)]);
const EVENT_FILTER_SCHEMA = { type: 'string', enum: [...EVENT_FILTERS] };
const isEventFilter = (text: string): text is EventFilter => EVENT_FILTERS.has(text);
const UNKNOWN_EVENT_TYPE = `must be one of ${[...EVENT_FILTERS].join(', ')}`;

/** Removes duplicates, and all other types from a list that contains `*`. */
const deduplicate = (types: EventFilter[]): EventFilter[] => (types.includes('*') ? ['*'] : [...new Set(types)]);

/** The number of entries that a list of events may have in a request. Repeated ones count once, so there may be more than types. */
const MAX_ENTRIES = 100;

export const Events = () =>
  z.pipe(
    z
      .array(
        z
          .string()
          .check(z.refine(isEventFilter, UNKNOWN_EVENT_TYPE))
          .register(z.globalRegistry, { openApiOverride: EVENT_FILTER_SCHEMA }),
      )
      .check(z.minLength(1), z.maxLength(MAX_ENTRIES))
      .register(z.globalRegistry, { examples: [['deployment.succeeded', 'deployment.failed'], ['*']] }),
    z.transform((types) => deduplicate(types.filter(isEventFilter))),
  );

/** A webhook endpoint (specification, Resources: Webhook endpoint). */
export const WebhookEndpoint = resource('WebhookEndpoint', () =>
  z.object({
    id: z.string(),
    url: z.string(),
    description: z.string(),
    events: z.array(z.string().register(z.globalRegistry, { openApiOverride: EVENT_FILTER_SCHEMA })),
    active: z.boolean(),
    createdAt: Timestamp(),
  }),
);

/** A new endpoint with its signing secret. Only this response contains the secret. */
const NewWebhookEndpoint = resource('NewWebhookEndpoint', () => z.extend(WebhookEndpoint(), { secret: z.string() }));

/** The URL of an endpoint. domain/webhooks/endpoints.ts decides which addresses are public, because the local run allows more. */
export const Url = () => z.string().check(z.minLength(1), z.maxLength(2048));
export const Description = () => z.string().check(plainText(), z.maxLength(500));

const CreateWebhook = () =>
  z.object({
    url: Url(),
    events: z._default(Events(), ['*']),
    description: z._default(Description(), ''),
  });

const tag = 'Webhooks';

export const listWebhooks = /* @__PURE__ */ route({
  id: 'listWebhooks',
  method: 'GET',
  path: '/v1/webhooks',
  access: 'read',
  summary: 'List your webhook endpoints, newest first',
  tag,
  query: () => Page('whk'),
  response: () => list(WebhookEndpoint()),
  // The dashboard's path has a list with failure counts (management.ts).
  alsoOnDashboard: false,
});

export const createWebhook = /* @__PURE__ */ route({
  id: 'createWebhook',
  method: 'POST',
  path: '/v1/webhooks',
  access: 'write',
  right: 'develop',
  audit: 'webhook.created',
  summary: 'Register a webhook endpoint; only this response contains its signing secret',
  tag,
  body: CreateWebhook,
  status: 201,
  response: () => single(NewWebhookEndpoint()),
  uses: ['signing'],
});

export const deleteWebhook = /* @__PURE__ */ route({
  id: 'deleteWebhook',
  method: 'DELETE',
  path: '/v1/webhooks/{id}',
  access: 'write',
  right: 'develop',
  audit: 'webhook.deleted',
  summary: 'Delete a webhook endpoint; it receives no further events',
  tag,
  params: Id,
  response: Deleted,
});
