import type { BaseRule } from 'aws-lambda-stream/pipelines/index';
import { startSettling } from '../domain/hosting/accounts.ts';
import { Subscription } from '../table/entities/billing.ts';
import { follow, type Rule } from './consume.ts';

export type HostingRuleDeps = Parameters<typeof startSettling>[0];

/** How hosting servers hear of subscriptions. */
export function hostingRules(deps: HostingRuleDeps): BaseRule[] {
  const settle: Omit<Rule, 'id' | 'eventType' | 'filters'> = {
    flavor: follow,
    act: ({ event }) => startSettling(deps, Subscription.parse(event.raw.new), event.id),
  };
  const isHosting = (item: Record<string, unknown> | undefined): boolean =>
    Subscription.parse(item).plan.category !== 'APP';
  return [
    {
      ...settle,
      id: 'bought-hosting-is-made',
      eventType: 'subscription-created',
      filters: [({ event: { raw } }) => isHosting(raw.new)],
    } satisfies Rule,
    {
      ...settle,
      id: 'hosting-follows-its-subscription',
      eventType: 'subscription-updated',
      filters: [({ event: { raw } }) => raw.new?.status !== raw.old?.status && isHosting(raw.new)],
    } satisfies Rule,
  ];
}
