import * as z from 'zod/mini';
import { entryOf } from '../enums.ts';
import { Money, Timestamp } from '../envelope.ts';
import { memoize } from '../memoize.ts';

const application = memoize(() => z.object({ applicationId: z.string(), name: z.string() }));
const suspension = memoize(() => z.extend(application(), { reason: z.string() }));
const deployment = memoize(() =>
  z.object({ applicationId: z.string(), deploymentId: z.string(), commitSha: z.string() }),
);
const payment = memoize(() => z.object({ paymentId: z.string(), amount: Money() }));
const exceededLimit = memoize(() =>
  z.object({ plan: z.string(), appLimit: z.int(), applications: z.int(), suspendsAt: Timestamp() }),
);
/** `month` is a calendar month in UTC, `2026-11`. */
const keyBudget = memoize(() => z.object({ keyId: z.string(), month: z.string(), budget: Money(), spent: Money() }));
const subscription = memoize(() => z.object({ subscriptionId: z.string(), plan: z.string() }));

/**
 * The event types with the schemas of their payloads (specification, Events). Schemas are built when
 * first needed, because most functions need only the names. Additions to the specification: `app.suspended`, `app.resumed`,
 * `plan.limit_exceeded`, `ai.budget_near`.
 */
export const EVENTS = {
  'app.created': application,
  'app.deleted': application,
  'app.suspended': suspension,
  'app.resumed': application,
  'deployment.started': deployment,
  'deployment.succeeded': deployment,
  'deployment.failed': deployment,
  'domain.registered': memoize(() => z.object({ domainId: z.string(), domain: z.string() })),
  'database.created': memoize(() => z.object({ databaseId: z.string(), name: z.string(), engine: z.string() })),
  'payment.succeeded': payment,
  'payment.failed': payment,
  'subscription.activated': subscription,
  'subscription.cancelled': subscription,
  'plan.limit_exceeded': exceededLimit,
  'ai.budget_near': keyBudget,
  ping: memoize(() => z.object({ webhookId: z.string() })),
} as const;

export type EventType = keyof typeof EVENTS;
export type EventData<T extends EventType> = z.output<ReturnType<(typeof EVENTS)[T]>>;

/**
 * Returns the data of an event with its fields in the contract's order, which the table does not preserve. The data of an event type
 * that only a newer version knows is returned unchanged.
 */
export const dataOf = (type: EventType, data: Record<string, unknown>): Record<string, unknown> =>
  entryOf<EventType, () => z.ZodMiniType<Record<string, unknown>>>(EVENTS, type)?.().parse(data) ?? data;
