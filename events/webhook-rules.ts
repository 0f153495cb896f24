import type { BaseRule } from 'aws-lambda-stream/pipelines/index';
import type { Deps } from '../domain/deps.ts';
import { deliveriesOfEvent, queueDeliveries, storeDelivery } from '../domain/fan-out.ts';
import { Event } from '../table/entities.ts';
import { Delivery } from '../table/webhook-entities.ts';
import { follow, type Rule, type SplitRule, splitting } from './consume.ts';

export type WebhookRuleDeps = Pick<Deps, 'table' | 'now'> & Parameters<typeof queueDeliveries>[0];

/** How events get on their way to those who subscribe to them. */
export function webhookRules(deps: WebhookRuleDeps): BaseRule[] {
  const fanOut: SplitRule<Delivery, Delivery> = {
    id: 'event-goes-to-its-subscribers',
    flavor: splitting,
    eventType: 'event-created',
    split: ({ event }) => deliveriesOfEvent(deps, Event.parse(event.raw.new)),
    make: (delivery) => storeDelivery(deps, delivery),
    act: (deliveries) => queueDeliveries(deps, deliveries),
  };
  const resend: Rule = {
    id: 'resent-delivery-is-queued',
    flavor: follow,
    eventType: 'delivery-updated',
    filters: [({ event: { raw } }) => Boolean(raw.new?.resendAt) && raw.new?.resendAt !== raw.old?.resendAt],
    act: ({ event }) => queueDeliveries(deps, [Delivery.parse(event.raw.new)]),
  };
  return [fanOut, resend];
}
