import { expect } from 'vitest';
import { subscriptionQueue } from '../../domain/billing/lifecycle.ts';
import { currentPlans } from '../../domain/billing/plans.ts';
import { createSubscription } from '../../domain/billing/subscriptions.ts';
import { readNothing, withWallet } from '../../domain/billing/wallet.ts';
import { sweep } from '../../domain/sweep/sweep.ts';
import { billingRules } from '../../events/billing.ts';
import { consume } from '../../events/consume.ts';
import { Invoice, Subscription } from '../../table/entities/billing.ts';
import { billingSimulation, withoutCards } from './billing.ts';
import { jobsOf } from './jobs.ts';
import { START, type withRandomDelays } from './simulation.ts';

const DAY = 24 * 3600_000;

/** Advances by days: each day the schedule runs and the stream processes the changes. */
export function subscriptionSimulation(through?: typeof withRandomDelays) {
  const world = billingSimulation(through ? { through } : {});
  const deps = {
    ...world.deps,
    payments: withoutCards,
    plans: currentPlans(world.deps),
    txt: { at: async () => [] },
    tlds: async () => [],
  };
  const stream = consume(billingRules({ ...deps, ...jobsOf(deps) }));
  let at = 0;
  /** The stream processes what has changed. @param times how often it delivers each change, which may be more than once */
  const flow = async (times = 1) => {
    while (at < world.memory.records.length) {
      const Records = world.memory.records.slice(at);
      at = world.memory.records.length;
      for (let time = 0; time < times; time += 1) await stream({ Records });
    }
  };
  const sleepUntil = async (day: number) => {
    while (world.clock.now < START + day * DAY) {
      world.clock.now += DAY;
      await advanceSubscriptions(deps);
      await flow();
    }
  };
  const buy = async (accountId: string, plan: string, more: { hostingDomain?: string; yearly?: boolean } = {}) => {
    const { yearly, ...rest } = more;
    const bought = { plan, billingCycle: yearly ? ('YEARLY' as const) : ('MONTHLY' as const), ...rest };
    return (await createSubscription(deps, { accountId }, bought)).data;
  };
  const read = async (accountId: string, id: string) => {
    const found = await deps.table.get(Subscription, { accountId, id });
    if (!found) throw new Error('there is no such subscription');
    return found;
  };
  const invoices = () => world.memory.items('INVOICE').map((item) => Invoice.parse(item));
  const events = () => world.memory.items('EVENT').map(({ type, data }) => [type, (data as { plan: string }).plan]);
  const give = (accountId: string, cents: number) =>
    withWallet(deps, accountId, readNothing, async (wallet) => {
      wallet.move('ADJUSTMENT', cents, 'A gift');
      await deps.commit(wallet.writes(), undefined);
    });
  return { ...world, deps, flow, sleepUntil, buy, read, invoices, events, give };
}

/** Runs only the schedule. */
export async function advanceSubscriptions(deps: SubscriptionDeps) {
  expect((await sweep(deps, subscriptionQueue)).failed).toEqual([]);
}
type SubscriptionDeps = ReturnType<typeof subscriptionSimulation>['deps'];

/** Runs it at the time when the next period of a subscription is invoiced. */
export async function tendAt(deps: SubscriptionDeps, periodEnd: string) {
  await advanceSubscriptions({ ...deps, now: () => new Date(Date.parse(periodEnd) - 6 * DAY) });
}
