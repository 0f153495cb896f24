import { randomBytes } from 'node:crypto';
import { getHosting, listHosting } from '../../contract/hosting/hosting.ts';
import { Subscription } from '../../table/entities/billing.ts';
import { change, create } from '../../table/writes.ts';
import { type OpenedAccount, platformDeps, waitFor } from './harness.ts';

/** Returns a unique domain: hosting servers accept each domain once. */
export const uniqueDomain = (start = '') => `${start}${randomBytes(6).toString('hex')}.example.com`;

interface PurchasedHosting {
  id: string;
  domain: string;
  /** Changes the subscription like billing would. */
  become(set: Partial<Subscription>): Promise<void>;
}

/** Creates a hosting subscription as a purchase writes it to the table. */
export async function createHosting(
  account: OpenedAccount,
  given: Partial<Subscription> = {},
): Promise<PurchasedHosting> {
  const deps = await platformDeps();
  const now = deps.now().getTime();
  const domain = given.hostingDomain ?? uniqueDomain();
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

/** Waits until lists report this status of a subscription's hosting account. */
export const waitForPanelStatus = (account: OpenedAccount, id: string, panelStatus: string) =>
  waitFor(async () => {
    const { body } = await account.call(listHosting);
    return body.data.find((each) => each.id === id && each.panelStatus === panelStatus);
  });

/** GET /v1/hosting/{id} */
export const read = (account: OpenedAccount, id: string) => account.call(getHosting, { params: { id } });
