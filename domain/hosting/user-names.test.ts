import { expect, test } from 'vitest';
import type { PanelAccount } from '../../providers/hosting-panel/panel.ts';
import { Subscription } from '../../table/entities/billing.ts';
import { HostingAccount } from '../../table/entities/hosting.ts';
import { change } from '../../table/writes.ts';
import { hostingSimulation } from '../../test/simulation/hosting.ts';
import { reconcileHostingAccount } from './accounts.ts';
import { hostingChallenge } from './domains.ts';
import { createHostingSession, getHosting } from './subscriptions.ts';

/** A subscription whose account on the server was not created yet, because another customer's account has its user name. */
async function takenName() {
  const world = await hostingSimulation();
  const { deps, set, subscribe, servers, state } = world;
  await set('web-1', true);
  const of = await subscribe({ hostingDomain: 'shop.co.za' });
  state.isBroken = true;
  await reconcileHostingAccount(deps, of);
  state.isBroken = false;
  const read = async () => (await deps.table.get(HostingAccount, of)) ?? expect.fail('there is no account');
  const { username } = await read();
  const mailboxes = [{ address: 'owner@other.co.za', quotaMb: 1 }];
  const other: PanelAccount = { domain: 'other.co.za', plan: 'web-pro', status: 'ACTIVE', usage: {}, mailboxes };
  const accounts = new Map([[username, other]]);
  servers.set('https://web-1.example.net:2087', accounts);
  const caller = { accountId: of.accountId, keyId: '' };
  return { ...world, of, read, username, other, accounts, caller };
}

test('another account of the same user name is neither shown nor changed, and the new one gets another name', async () => {
  const { deps, of, read, username, other, accounts, caller } = await takenName();
  expect((await getHosting(deps, caller, { id: of.id })).data).toMatchObject({ panelStatus: 'PENDING', mailboxes: [] });
  expect((await deps.table.get(Subscription, of))?.panel).toBeUndefined();
  expect(await reconcileHostingAccount(deps, of)).toEqual({});
  const renamed = await read();
  expect(renamed).toMatchObject({ status: 'PENDING', server: 'web-1', dueAt: deps.now().toISOString() });
  expect(renamed.username).toMatch(/^h[0-9a-z]{7}$/);
  expect(renamed.username).not.toBe(username);
  expect(await reconcileHostingAccount(deps, of)).toEqual({});
  expect(await read()).toMatchObject({ status: 'ACTIVE', username: renamed.username });
  expect(accounts.get(username)).toEqual(other);
  expect(accounts.get(renamed.username)?.domain).toBe('shop.co.za');
});

test('hosting that is over before it had a name of its own ends, and leaves the other account', async () => {
  const { deps, of, read, username, other, accounts } = await takenName();
  const over = { status: 'CANCELLED', currentPeriodEnd: '2026-01-01T00:00:00.000Z' };
  await deps.table.write(Subscription, change(Subscription, of, { set: over }));
  for (const _ of [1, 2]) expect(await reconcileHostingAccount(deps, of)).toEqual({});
  expect((await read()).status).toBe('REMOVED');
  expect([...accounts]).toEqual([[username, other]]);
});

test('a name stays while the server may still create its account', async () => {
  const { deps, of, read, username, clock } = await takenName();
  const creatingUntil = new Date(clock.now + 60_000).toISOString();
  await deps.table.write(HostingAccount, change(HostingAccount, of, { set: { creatingUntil } }));
  expect((await reconcileHostingAccount(deps, of)).problem).toMatch(/is the account of other\.co\.za$/);
  expect((await read()).username).toBe(username);
  clock.now += 60_000;
  expect(await reconcileHostingAccount(deps, of)).toEqual({});
  expect((await read()).username).not.toBe(username);
});

test('the control panel of another domain is not opened', async () => {
  const { deps, of, username, other, accounts, caller } = await takenName();
  await deps.table.write(HostingAccount, change(HostingAccount, of, { set: { status: 'ACTIVE' } }));
  const txt = { at: async () => [hostingChallenge(of.accountId, 'shop.co.za').value] };
  const open = () => createHostingSession({ ...deps, txt }, caller, { id: of.id });
  await expect(open()).rejects.toMatchObject({ code: 'conflict' });
  accounts.set(username, { ...other, domain: 'shop.co.za' });
  expect((await open()).data.url).toContain(username);
});
