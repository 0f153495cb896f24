import { expect, test } from 'vitest';
import type { Executions } from '../../providers/workflows/executions.ts';
import { Account } from '../../table/entities/accounts.ts';
import { Subscription } from '../../table/entities/billing.ts';
import { HostingAccount, HostingDomain } from '../../table/entities/hosting.ts';
import { change } from '../../table/writes.ts';
import { hostingSimulation } from '../../test/simulation/hosting.ts';
import { currentPlans } from '../billing/plans.ts';
import { cancelSubscription, createSubscription } from '../billing/subscriptions.ts';
import { sweep } from '../sweep/sweep.ts';
import { hostingQueue, reconcileHostingAccount } from './accounts.ts';

/** Hosting that is bought while the stream loses all events: only the schedule starts its checks. */

const CALLER = { accountId: 'acc_1', keyId: '' };
const DOMAIN = 'shop.example.com';

async function shop() {
  const world = await hostingSimulation();
  const deps = { ...world.deps, plans: currentPlans(world.deps), tlds: async () => [] };
  await world.set('web-1', true);
  await deps.table.write(Account, change(Account, { id: CALLER.accountId }, { set: { walletCents: 1_000_000 } }));
  const buy = async (plan: string, hostingDomain = DOMAIN) => {
    const { data } = await createSubscription(deps, CALLER, { plan, billingCycle: 'MONTHLY', hostingDomain });
    return { accountId: CALLER.accountId, id: data.id };
  };
  /** Runs the schedule once, and the executions that it starts. */
  const runSchedule = async () => {
    const started: string[] = [];
    const start = async (_: string, input: object) => void started.push(Reflect.get(input, 'subscriptionId'));
    await sweep({ ...deps, hosting: { start } as unknown as Executions }, hostingQueue);
    for (const id of started) expect(await reconcileHostingAccount(deps, { ...CALLER, id })).toEqual({});
  };
  const onServers = () => [...world.servers.values()].flatMap((accounts) => [...accounts]);
  const read = (of: { accountId: string; id: string }) => deps.table.get(HostingAccount, of);
  return { ...world, deps, buy, runSchedule, onServers, read };
}

test.each(['web-starter', 'email-basic'])(
  '%s whose purchase the stream has lost is created ten minutes later',
  async (plan) => {
    const { buy, runSchedule, read, clock } = await shop();
    const of = await buy(plan);
    await runSchedule();
    expect(await read(of)).toMatchObject({ status: 'PENDING', server: '' });
    clock.now += 10 * 60_000;
    await runSchedule();
    expect(await read(of)).toMatchObject({ status: 'ACTIVE', server: 'web-1' });
  },
);

test('hosting whose purchase and cancellation the stream has lost frees its domain when its period is over', async () => {
  const { deps, buy, runSchedule, read, clock, onServers } = await shop();
  const of = await buy('web-starter');
  await cancelSubscription(deps, CALLER, { id: of.id });
  clock.now = Date.parse((await deps.table.get(Subscription, of))?.currentPeriodEnd ?? '');
  await runSchedule();
  expect([await read(of), onServers()]).toMatchObject([{ status: 'REMOVED' }, []]);
  expect(await read(of)).not.toHaveProperty('dueAt');
  expect(await deps.table.get(HostingDomain, { domain: DOMAIN })).toBeUndefined();
});

test('hosting that is over before its first check takes no account of another subscription', async () => {
  const { deps, buy, read, onServers } = await shop();
  const mail = await buy('email-basic');
  const web = await buy('web-starter');
  expect(await reconcileHostingAccount(deps, mail)).toEqual({});
  const over = { status: 'CANCELLED', currentPeriodEnd: deps.now().toISOString() };
  await deps.table.write(Subscription, change(Subscription, web, { set: over }));
  const before = await read(mail);
  expect(await reconcileHostingAccount(deps, web)).toEqual({});
  expect([await read(web), await read(mail)]).toEqual([
    expect.objectContaining({ status: 'REMOVED', server: '' }),
    before,
  ]);
  expect(onServers()).toHaveLength(1);
});

test('a larger plan that is bought for a cancelled one serves the same files, although the stream has lost both changes', async () => {
  const { deps, buy, runSchedule, read, clock, onServers } = await shop();
  const smaller = await buy('web-starter');
  await reconcileHostingAccount(deps, smaller);
  const [before] = onServers();
  await cancelSubscription(deps, CALLER, { id: smaller.id });
  const larger = await buy('web-pro');
  clock.now += 10 * 60_000;
  await runSchedule();
  expect(onServers()).toEqual([[before?.[0], { ...before?.[1], plan: 'web-pro' }]]);
  expect(await read(larger)).toMatchObject({ status: 'ACTIVE', username: before?.[0] });
  expect((await read(smaller))?.adoptions).toBe(1);
});

test('email and web hosting of one domain that are first checked at once get one account, and no server refuses one', async () => {
  const { deps, buy, onServers, read } = await shop();
  const both = [await buy('email-basic'), await buy('web-starter')];
  expect(await Promise.all(both.map((of) => reconcileHostingAccount(deps, of)))).toEqual([{}, {}]);
  const [served, ...others] = onServers();
  expect(others).toEqual([]);
  for (const of of both) expect(await read(of)).toMatchObject({ status: 'ACTIVE', username: served?.[0] });
});

const ORDERS = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
];
test.each(ORDERS)(
  'subscriptions of one domain get one account, and no server refuses one, if they are first checked in the order %i %i %i',
  async (...order) => {
    const { deps, subscribe, onServers, read } = await shop();
    const bought: Subscription[] = [];
    for (const _ of order) bought.push(await subscribe({ hostingDomain: DOMAIN }));
    for (const index of order) {
      const of = bought[index] ?? expect.fail('there is no such subscription');
      expect(await reconcileHostingAccount(deps, of)).toEqual({});
    }
    const [served, ...others] = onServers();
    expect(others).toEqual([]);
    for (const of of bought) expect(await read(of)).toMatchObject({ status: 'ACTIVE', username: served?.[0] });
  },
);

test('an account that gets a server while it is about to adopt another one keeps its name', async () => {
  const { deps, subscribe, read, startReconciler, onServers } = await shop();
  const first = await subscribe({ hostingDomain: DOMAIN });
  const second = await subscribe({ hostingDomain: DOMAIN });
  const { username } = (await read(second)) ?? {};
  let isPlaced = false;
  const racing = startReconciler(async ({ what, when }) => {
    if (isPlaced || when !== 'before' || what !== 'table.TransactWriteItems') return;
    isPlaced = true;
    await deps.table.write(HostingAccount, change(HostingAccount, second, { set: { server: 'web-1' } }));
  });
  expect(await reconcileHostingAccount(racing, second)).toEqual({});
  expect([isPlaced, (await read(second))?.username]).toEqual([true, username]);
  expect(await reconcileHostingAccount(deps, first)).toEqual({});
  expect(onServers().map(([name]) => name)).toEqual([username]);
});
