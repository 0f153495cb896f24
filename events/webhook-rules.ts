import type { BaseRule } from 'aws-lambda-stream/pipelines/index';
import { fanOut, queueDeliveries } from '../domain/fan-out.ts';
import { Event } from '../table/event-entities.ts';
import { Delivery } from '../table/entities/webhooks.ts';
import { follow, type Rule, type SplitRule, splitting } from './consume.ts';

export type WebhookRuleDeps = Parameters<typeof fanOut>[0] & Parameters<typeof queueDeliveries>[0];

/** How events get on their way to those who subscribe to them. */
export function webhookRules(deps: WebhookRuleDeps): BaseRule[] {
  const toSubscribers: SplitRule<Delivery> = {
    id: 'event-goes-to-its-subscribers',
    flavor: splitting,
    eventType: 'event-created',
    split: ({ event }) => fanOut(deps, Event.parse(event.raw.new)),
    act: (deliveries) => queueDeliveries(deps, deliveries),
  };
  const resend: Rule = {
    id: 'resent-delivery-is-queued',
    flavor: follow,
    eventType: 'delivery-updated',
    filters: [({ event: { raw } }) => Boolean(raw.new?.resendAt) && raw.new?.resendAt !== raw.old?.resendAt],
    act: ({ event }) => queueDeliveries(deps, [Delivery.parse(event.raw.new)]),
  };
  return [toSubscribers, resend];
}
