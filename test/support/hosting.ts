import { randomBytes } from 'node:crypto';
import { getHosting, listHosting } from '../../contract/hosting/hosting.ts';
import { Subscription } from '../../table/entities/billing.ts';
import { change, create } from '../../table/writes.ts';
import { local, type Opened, until } from './harness.ts';

/** What the platform's own functions work with, in this process. */
export async function platformDeps() {
  Object.assign(process.env, local.environment);
  return (await import('../../runtime/deps.ts')).deps;
}

/** A domain of the test's own: hosting servers know each domain once. */
export const anyDomain = (start = '') => `${start}${randomBytes(6).toString('hex')}.example.com`;

interface Bought {
  id: string;
  domain: string;
  /** Changes the subscription as billing would. */
  become(set: Partial<Subscription>): Promise<void>;
}

/** A hosting subscription, as a purchase leaves it in the table. */
export async function boughtHosting(account: Opened, given: Partial<Subscription> = {}): Promise<Bought> {
  const deps = await platformDeps();
  const now = deps.now().getTime();
  const domain = given.hostingDomain ?? anyDomain();
  const subscription: Subscription = {
    id: deps.newId('sub'),
    accountId: account.id,
    plan: { slug: 'web-starter', name: 'Web Starter', category: 'WEB' },
    billingCycle: 'MONTHLY',
    priceCents: 4900,
    status: 'ACTIVE',
    currentPeriodEnd: new Date(now + 30 * 86_400_000).toISOString(),
    createdAt: new Date(now).toISOString(),
    cancelledAt: null,
    ...given,
    hostingDomain: domain,
  };
  await deps.table.transact([create(Subscription, subscription)]);
  const of = { accountId: account.id, id: subscription.id };
  return {
    id: subscription.id,
    domain,
    become: async (set) => {
      await deps.table.write(Subscription, change(Subscription, of, { set }));
    },
  };
}

/** Waits until lists say this of a subscription's account on its server. */
export const untilPanel = (account: Opened, id: string, panelStatus: string) =>
  until(async () => {
    const { body } = await account.call(listHosting);
    return body.data.find((each) => each.id === id && each.panelStatus === panelStatus);
  });

/** GET /v1/hosting/{id} */
export const read = (account: Opened, id: string) => account.call(getHosting, { params: { id } });
