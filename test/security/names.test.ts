import { expect, test, vi } from 'vitest';
import { createApp } from '../../contract/apps/apps.ts';
import { createSubscription, listSubscriptions } from '../../contract/billing/subscriptions.ts';
import {
  checkCustomDomain,
  getCustomDomain,
  removeCustomDomain,
  setCustomDomain,
} from '../../contract/custom-domains/custom-domains.ts';
import { addDnsRecord, listDnsRecords } from '../../contract/dns/records.ts';
import { getHostingDomain } from '../../contract/hosting/domains.ts';
import { createHostingSession } from '../../contract/hosting/hosting.ts';
import { reconcileHostingAccount } from '../../domain/hosting/accounts.ts';
import { endDomain } from '../../domain/registrar/tasks.ts';
import { createPanel } from '../../providers/hosting-panel/panel.ts';
import { Zone } from '../../table/entities/dns.ts';
import { HostingAccount } from '../../table/entities/hosting.ts';
import { Domain, DomainName } from '../../table/entities/registrar.ts';
import { create } from '../../table/writes.ts';
import { get } from '../support/browse.ts';
import { readCustomDomain } from '../support/custom-domain.ts';
import { registerDomain, uniqueDomain } from '../support/domains.ts';
import { codeOf, local, newAccount, type OpenedAccount, platformDeps, waitFor } from '../support/harness.ts';
import { read, waitForPanelStatus } from '../support/hosting.ts';

// They share the machine with each other, and with another file of tests.
vi.setConfig({ testTimeout: 120_000 });

test.concurrent('an application with a reserved name receives another slug, not an error', async () => {
  const account = await newAccount();
  for (const name of ['Login', 'API']) {
    const { status, body } = await account.call(createApp, { body: { name, framework: 'NODE' } });
    expect(status).toBe(201);
    expect(body.data.slug).toMatch(new RegExp(`^${name.toLowerCase()}-[0-9a-f]{10}$`));
    expect(body.data).toMatchObject({ name, primaryDomain: `${body.data.slug}.apps.localhost` });
  }
});

test.concurrent('refuses records that the name servers would refuse before storing them, and serves the others', async () => {
  const owner = await newAccount({ walletCents: 500_000 });
  const { domain } = await registerDomain(owner);
  const add = (content: string, name = 'text') =>
    owner.call(addDnsRecord, { params: { id: domain.id }, body: { type: 'TXT', name, content } });
  const long = await add(`a${'"'.repeat(1200)}`);
  expect([codeOf(long), long.error?.message]).toEqual(['invalid_request', expect.stringMatching(/^content: /)]);
  const statuses: number[] = [];
  for (let index = 0; index < 8; index += 1) statuses.push((await add(`${index}${'x'.repeat(1999)}`)).status);
  expect(statuses).toEqual([201, 201, 201, 201, 201, 201, 201, 409]);
  expect((await add('v=spf1 -all', 'other')).status).toBe(201);
  const { data } = (await owner.call(listDnsRecords, { params: { id: domain.id } })).body;
  expect(data).toHaveLength(8);
  const deps = await platformDeps();
  const zone = { accountId: owner.id, domainId: domain.id };
  await waitFor(async () => {
    const found = await deps.table.get(Zone, zone);
    return found && found.mirrored === found.version && found.failures === undefined;
  });
});

const newApp = async (account: OpenedAccount, customDomain: string) =>
  await account.call(createApp, { body: { name: 'Shop', framework: 'NODE', customDomain } });
const show = readCustomDomain;
const check = async (account: OpenedAccount, id: string) =>
  (await account.dashboard.call(checkCustomDomain, { params: { id } })).body.data;
const isServed = async (host: string) => /has not been deployed yet/.test((await get(local.baseUrl, host)).body);

test.concurrent('a claim of a domain does not keep its owner from it, however often it is renewed', async () => {
  const [owner, thief] = await Promise.all([newAccount({ walletCents: 500_000 }), newAccount()]);
  const name = uniqueDomain();
  const claim = await newApp(thief, name);
  const { id } = claim.body.data;
  expect(claim.status).toBe(201);
  const { domain } = await registerDomain(owner, name);
  await thief.dashboard.call(removeCustomDomain, { params: { id } });
  const renewed = await thief.dashboard.call(setCustomDomain, { params: { id }, body: { domain: name } });
  expect(renewed.status).toBe(200);

  const own = await newApp(owner, domain.name);
  expect(own.status).toBe(201);
  await waitFor(async () => (await show(owner, own.body.data.id)).status === 'VERIFIED');
  await waitFor(() => isServed(name));
  expect(await check(thief, id)).toMatchObject({ status: 'PENDING', problem: expect.stringContaining(name) });
  expect(codeOf(await newApp(await newAccount(), name)), 'a verified domain').toBe('conflict');
});

test.concurrent('the application of a lapsed domain stops answering on it, and the next owner can use it', async () => {
  const [former, next] = await Promise.all([newAccount({ walletCents: 500_000 }), newAccount()]);
  const { domain } = await registerDomain(former);
  const app = (await newApp(former, domain.name)).body.data;
  await waitFor(() => isServed(domain.name));
  // A tenant that is being created is removed after the lease of its creation only, which takes most of a minute.
  await waitFor(async () => (await show(former, app.id)).certificate?.status === 'ISSUED', 300);

  const deps = await platformDeps();
  const lapsed = await deps.table.get(Domain, { accountId: former.id, id: domain.id });
  if (!lapsed) throw new Error('the domain is not in the table');
  await endDomain(deps, lapsed, 'EXPIRED', {});
  // Resolvers are sent to its zone still: it is kept, and checked again in a week.
  const sixDays = new Date(Date.now() + 6 * 86_400_000).toISOString();
  const zone = { accountId: former.id, domainId: lapsed.id };
  await waitFor(async () => ((await deps.table.get(Zone, zone))?.dueAt ?? '') > sixDays);
  await waitFor(async () => {
    const { body } = await former.dashboard.call(getCustomDomain, { params: { id: app.id } });
    return body.data === null;
  });
  await waitFor(async () => !(await isServed(domain.name)));

  // The registrar's emulator keeps a name for a year: its next registration is what the order would write.
  const { dueAt: _, ...rest } = lapsed;
  const again: Domain = { ...rest, id: deps.newId('dom'), accountId: next.id, registeredAt: deps.now().toISOString() };
  await deps.table.transact([
    create(DomainName, { name: domain.name, accountId: next.id, domainId: again.id }),
    create(Domain, again),
  ]);
  const own = await waitFor(async () => {
    const answer = await newApp(next, domain.name);
    return answer.status === 201 && answer.body.data;
  }, 500);
  await waitFor(async () => (await check(next, own.id)).status === 'VERIFIED', 500);
  await waitFor(() => isServed(domain.name));
  expect(codeOf(await newApp(former, domain.name))).toBe('conflict');
});

const buyMail = (account: OpenedAccount, hostingDomain: string) =>
  account.dashboard.call(createSubscription, {
    body: { plan: 'email-basic', billingCycle: 'MONTHLY', hostingDomain },
  });
const domainOf = async (account: OpenedAccount, id: string) =>
  (await account.dashboard.call(getHostingDomain, { params: { id } })).body.data;

test.concurrent('hosting of a domain that another account uses needs proof, and a proof takes the domain', async () => {
  const [owner, thief] = await Promise.all([
    newAccount({ walletCents: 500_000 }),
    newAccount({ walletCents: 500_000 }),
  ]);
  const deps = await platformDeps();
  const name = uniqueDomain();
  const bought = await buyMail(thief, name);
  expect(bought.status).toBe(201);
  const { id } = bought.body.data;
  await waitForPanelStatus(thief, id, 'ACTIVE');
  const mailOf = async (account: OpenedAccount, id: string) =>
    (await deps.table.get(HostingAccount, { accountId: account.id, id }))?.mail;
  expect(await mailOf(thief, id)).toBe('REMOTE');
  expect(await domainOf(thief, id)).toMatchObject({
    domain: name,
    status: 'PENDING',
    problem: expect.any(String),
    challenge: { type: 'TXT', name: `_hosting-challenge.${name}` },
  });
  const signIn = (account: OpenedAccount, id: string) =>
    account.dashboard.call(createHostingSession, { params: { id } });
  const closed = await signIn(thief, id);
  const record = expect.stringContaining(`add the TXT record _hosting-challenge.${name}`);
  expect([codeOf(closed), closed.error?.message]).toEqual(['conflict', record]);

  const refused = await buyMail(owner, name);
  expect([codeOf(refused), refused.error?.message]).toEqual(['conflict', expect.stringMatching(/add the TXT record/)]);
  await registerDomain(owner, name);
  const own = await buyMail(owner, name);
  expect(own.status).toBe(201);
  const { body } = await waitFor(async () => {
    const answer = await thief.dashboard.call(listSubscriptions);
    return answer.body.data[0]?.status === 'CANCELLED' && answer;
  });
  expect(body.data).toHaveLength(1);
  await waitForPanelStatus(thief, id, 'REMOVED');
  // The server refused the owner's account while the other one was there: the next attempt is a minute later.
  const { secrets } = await import('../../runtime/bindings/secrets.ts');
  const { txt } = await import('../../runtime/bindings/txt-records.ts');
  const of = { accountId: owner.id, id: own.body.data.id };
  await waitFor(async () => {
    const { problem } = await reconcileHostingAccount({ ...deps, secrets, txt, panel: createPanel() }, of);
    return problem === undefined;
  });
  expect((await read(owner, of.id)).body.data).toMatchObject({ panelStatus: 'ACTIVE', hostingDomain: name });
  expect(await mailOf(owner, of.id)).toBe('LOCAL');
  expect((await signIn(owner, of.id)).status).toBe(200);
  expect(await domainOf(owner, of.id)).toMatchObject({ status: 'VERIFIED', problem: null });
  expect(codeOf(await buyMail(thief, name))).toBe('conflict');
  const foreign = await thief.dashboard.call(getHostingDomain, { params: { id: of.id } });
  expect(codeOf(foreign)).toBe('not_found');
});
