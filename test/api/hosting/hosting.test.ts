import { describe, expect, test } from 'vitest';
import { listAuditEntries } from '../../../contract/audit/audit.ts';
import { cancelSubscription, createSubscription } from '../../../contract/billing/subscriptions.ts';
import { createHostingSession, getHosting, listHosting } from '../../../contract/hosting/hosting.ts';
import { reconcileHostingAccount } from '../../../domain/hosting/accounts.ts';
import { moveHosting } from '../../../domain/hosting/move.ts';
import { findServer } from '../../../domain/hosting/servers.ts';
import { DEAD_SERVER } from '../../../local/emulators/hosting-panel/panel.ts';
import { createPanel } from '../../../providers/hosting-panel/panel.ts';
import { HostingAccount } from '../../../table/entities/hosting.ts';
import { codeOf, newAccount, type OpenedAccount, platformDeps, waitFor } from '../../support/harness.ts';
import { createHosting, read, uniqueDomain, waitForPanelStatus } from '../../support/hosting.ts';

test('a purchased subscription is listed at once, created on a server, and then read live', async () => {
  const account = await newAccount();
  const { id, domain } = await createHosting(account);
  const [listed] = (await account.call(listHosting)).body.data;
  expect(listed).toEqual({
    id,
    hostingDomain: domain,
    status: 'ACTIVE',
    panelStatus: expect.stringMatching(/^(PENDING|ACTIVE)$/),
    billingCycle: 'MONTHLY',
    currentPeriodEnd: expect.any(String),
    plan: { slug: 'web-starter', name: 'Web Starter', category: 'WEB' },
    mailboxes: expect.any(Number),
  });
  expect(await waitForPanelStatus(account, id, 'ACTIVE')).toMatchObject({ mailboxes: 2 });
  expect((await read(account, id)).body.data).toEqual({
    id,
    hostingDomain: domain,
    panelStatus: 'ACTIVE',
    usage: {
      'Disk Usage': '40 MB of 10 GB',
      Bandwidth: '700 MB, unlimited',
      'Email Accounts': '2 of 100',
    },
    mailboxes: [
      { address: `info@${domain}`, quotaMb: 1024 },
      { address: `sales@${domain}`, quotaMb: 0 },
    ],
  });
});

test('a plan bought from the wallet is hosted; a cancelled one stays until the end of the paid period', async () => {
  const account = await newAccount({ walletCents: 100_000 });
  const body = { plan: 'web-starter', billingCycle: 'MONTHLY' as const, hostingDomain: uniqueDomain() };
  const { id } = (await account.dashboard.call(createSubscription, { body })).body.data;
  expect(await waitForPanelStatus(account, id, 'ACTIVE')).toMatchObject({
    hostingDomain: body.hostingDomain,
    mailboxes: 2,
  });
  await account.dashboard.call(cancelSubscription, { params: { id } });
  const [listed] = (await account.call(listHosting)).body.data;
  expect(listed).toMatchObject({ id, status: 'CANCELLED', panelStatus: 'ACTIVE' });
});

test('a larger plan that is bought in place of a cancelled one raises the quota on the server', async () => {
  const account = await newAccount({ walletCents: 100_000 });
  const hostingDomain = uniqueDomain();
  const buy = async (plan: string) =>
    (
      await account.dashboard.call(createSubscription, {
        body: { plan, billingCycle: 'MONTHLY', hostingDomain },
      })
    ).body.data;
  const { id: smaller } = await buy('web-starter');
  await waitForPanelStatus(account, smaller, 'ACTIVE');
  await account.dashboard.call(cancelSubscription, { params: { id: smaller } });
  const { id } = await buy('web-pro');
  await waitForPanelStatus(account, id, 'ACTIVE');
  const usage = await waitFor(async () => {
    const { usage } = (await read(account, id)).body.data;
    return usage['Disk Usage'] !== '40 MB of 10 GB' && usage;
  });
  expect(usage).toMatchObject({ 'Disk Usage': '40 MB of 150 GB' });
});

test('a session opens the control panel, in which mailboxes are created, without a password', async () => {
  const account = await newAccount();
  const { id, domain, become } = await createHosting(account);
  await waitForPanelStatus(account, id, 'ACTIVE');
  const signIn = (by = account, of = id) => by.dashboard.call(createHostingSession, { params: { id: of } });
  const { body, status } = await signIn();
  expect([status, body.data.id]).toEqual([200, id]);
  expect(Date.parse(body.data.expiresAt)).toBeGreaterThan(Date.now());
  expect(await (await fetch(body.data.url)).text()).toContain(`info@${domain}`);
  const mailbox = new URLSearchParams({ name: 'orders' });
  await fetch(body.data.url, { method: 'POST', body: mailbox });
  expect((await read(account, id)).body.data.mailboxes.map(({ address }) => address)).toContain(`orders@${domain}`);
  expect((await fetch(`${body.data.url}0`)).status).toBe(401);
  const entries = (await account.dashboard.call(listAuditEntries)).body.data;
  expect(entries.map(({ action }) => action)).toContain('hosting.session-created');

  expect((await signIn(await newAccount())).status).toBe(404);
  expect((await signIn(account, 'sub_nothing')).status).toBe(404);
  await become({ status: 'SUSPENDED' });
  await waitForPanelStatus(account, id, 'SUSPENDED');
  expect(codeOf(await signIn())).toBe('conflict');
});

test('overlapping runs create one hosting account', async () => {
  const account = await newAccount();
  const deps = await platformDeps();
  const { secrets } = await import('../../../runtime/bindings/secrets.ts');
  const { id } = await createHosting(account);
  const of = { accountId: account.id, id };
  const { txt } = await import('../../../runtime/bindings/txt-records.ts');
  const needs = { ...deps, secrets, panel: createPanel(), txt };
  expect(await Promise.all([1, 2, 3].map(() => reconcileHostingAccount(needs, of)))).toEqual([{}, {}, {}]);
});

test('the hosting account follows its subscription: suspended, resumed, kept until the end of the paid period, removed', async () => {
  const account = await newAccount();
  const { id, become } = await createHosting(account, { plan: { slug: 'mail', name: 'Mail', category: 'EMAIL' } });
  await waitForPanelStatus(account, id, 'ACTIVE');
  await become({ status: 'SUSPENDED' });
  await waitForPanelStatus(account, id, 'SUSPENDED');
  expect((await read(account, id)).body.data.panelStatus).toBe('SUSPENDED');
  await become({ status: 'CANCELLED', cancelledAt: new Date().toISOString() });
  await waitForPanelStatus(account, id, 'ACTIVE');
  await become({ status: 'ACTIVE', currentPeriodEnd: new Date(Date.now() - 1000).toISOString() });
  await become({ status: 'CANCELLED' });
  expect(await waitForPanelStatus(account, id, 'REMOVED')).toMatchObject({ status: 'CANCELLED', mailboxes: 0 });
  expect((await read(account, id)).body.data).toMatchObject({ panelStatus: 'REMOVED', usage: {}, mailboxes: [] });
});

test('subscriptions for one domain share its account on the server, which stays until the last of them ends', async () => {
  const account = await newAccount();
  const { secrets } = await import('../../../runtime/bindings/secrets.ts');
  const { txt } = await import('../../../runtime/bindings/txt-records.ts');
  const panel = createPanel();
  const needs = { ...(await platformDeps()), secrets, panel, txt };
  const web = await createHosting(account);
  await waitForPanelStatus(account, web.id, 'ACTIVE');
  const plan = { slug: 'email-basic', name: 'Email Basic', category: 'EMAIL' } as const;
  const mail = await createHosting(account, { plan, hostingDomain: web.domain });
  expect(await waitForPanelStatus(account, mail.id, 'ACTIVE')).toMatchObject({ mailboxes: 2 });
  const onServer = async ({ id }: { id: string }) => {
    const of = { accountId: account.id, id };
    expect(await reconcileHostingAccount(needs, of)).toEqual({});
    const found = await needs.table.get(HostingAccount, of);
    return await panel.find(await findServer(needs, found?.server ?? ''), found?.username ?? '');
  };
  expect(await onServer(mail)).toEqual({ domain: web.domain, plan: 'web-starter', status: 'ACTIVE' });

  const over = { status: 'CANCELLED', currentPeriodEnd: new Date(Date.now() - 1000).toISOString() } as const;
  await web.become(over);
  expect(await waitForPanelStatus(account, web.id, 'REMOVED')).toMatchObject({ mailboxes: 0 });
  expect(await onServer(mail)).toEqual({ domain: web.domain, plan: 'email-basic', status: 'ACTIVE' });
  expect((await read(account, mail.id)).body.data.mailboxes).toHaveLength(2);

  await mail.become(over);
  await waitForPanelStatus(account, mail.id, 'REMOVED');
  expect(await onServer(mail)).toBeUndefined();
});

test('of two subscriptions for one domain that are bought at once, both are served', async () => {
  const account = await newAccount();
  const deps = await platformDeps();
  const hostingDomain = uniqueDomain();
  const { secrets } = await import('../../../runtime/bindings/secrets.ts');
  const { txt } = await import('../../../runtime/bindings/txt-records.ts');
  const needs = { ...deps, secrets, panel: createPanel(), txt };
  const bought = await Promise.all([1, 2].map(() => createHosting(account, { hostingDomain })));
  for (const { id } of bought) {
    const of = { accountId: account.id, id };
    await waitFor(async () => (await reconcileHostingAccount(needs, of)).problem === undefined);
    expect((await read(account, id)).body.data.panelStatus).toBe('ACTIVE');
  }
});

test('lists newest first, page by page, without plans other than hosting', async () => {
  const account = await newAccount();
  const made = [];
  for (const category of ['WEB', 'APP', 'EMAIL', 'WEB'] as const) {
    const plan = { slug: 'plan', name: 'Plan', category };
    made.push({ category, ...(await createHosting(account, { plan })) });
  }
  const wanted = made.filter(({ category }) => category !== 'APP').map(({ id }) => id);
  const { body } = await account.call(listHosting);
  expect(body.data.map(({ id }) => id)).toEqual(wanted.reverse());
  const page = await account.call(listHosting, { query: { limit: '1', offset: '1' } });
  expect(page.body).toMatchObject({ data: [{ id: wanted[1] }], has_more: true });
  const app = made.find(({ category }) => category === 'APP');
  expect((await read(account, app?.id ?? '')).status).toBe(404);
});

describe('a failing hosting panel is a 502 with a public message and does not affect lists', () => {
  test.each(['silent-', 'down-', 'nonsense-', 'odd-', 'broken-', 'half-'])('%s', async (start) => {
    const account = await newAccount();
    const { id } = await createHosting(account, { hostingDomain: uniqueDomain(start) });
    const deps = await platformDeps();
    // Settled once: the hosting account exists, and now the panel starts to fail.
    await waitFor(async () => (await deps.table.get(HostingAccount, { accountId: account.id, id }))?.failures || false);
    const answer = await read(account, id);
    expect([answer.status, codeOf(answer)]).toEqual([502, 'server_error']);
    expect(answer.error?.message).toBe('The hosting server does not answer. It is safe to retry with backoff.');
    expect((await account.call(listHosting)).status).toBe(200);
  });

  test('a server that never responds', async () => {
    const account = await newAccount();
    const { id } = await createHosting(account);
    await waitForPanelStatus(account, id, 'ACTIVE');
    await moveHosting(await platformDeps(), { accountId: account.id, id, server: DEAD_SERVER });
    expect((await read(account, id)).status).toBe(502);
    expect((await account.dashboard.call(createHostingSession, { params: { id } })).status).toBe(502);
    expect((await account.call(listHosting)).body.data).toMatchObject([{ id, panelStatus: 'ACTIVE', mailboxes: 2 }]);
  });
});

test('records the refusal of a server and retries later; a repeat leaves settled accounts unchanged', async () => {
  const account = await newAccount();
  const deps = await platformDeps();
  const { secrets } = await import('../../../runtime/bindings/secrets.ts');
  const { txt } = await import('../../../runtime/bindings/txt-records.ts');
  const needs = { ...deps, secrets, panel: createPanel(), txt };
  const refused = await createHosting(account, { hostingDomain: uniqueDomain('refused-') });
  const of = { accountId: account.id, id: refused.id };
  expect(await waitFor(async () => (await deps.table.get(HostingAccount, of))?.problem)).toMatch(
    /refused: .*already exists/,
  );
  expect((await read(account, refused.id)).body.data).toMatchObject({ panelStatus: 'PENDING', mailboxes: [] });
  const good = await createHosting(account);
  await waitForPanelStatus(account, good.id, 'ACTIVE');
  for (let time = 0; time < 2; time += 1) {
    expect(await reconcileHostingAccount(needs, { accountId: account.id, id: good.id })).toEqual({});
  }
  expect((await read(account, good.id)).body.data).toMatchObject({ panelStatus: 'ACTIVE' });
});

let shared: Promise<OpenedAccount> | undefined;
const someone = () => {
  shared ??= newAccount();
  return shared;
};

test("another account's and unknown subscriptions are 404", async () => {
  const { id } = await createHosting(await newAccount());
  for (const each of [id, 'sub_nothing', 'x'.repeat(64)]) {
    const answer = await read(await someone(), each);
    expect([answer.status, codeOf(answer)]).toEqual([404, 'not_found']);
  }
  expect((await read(await someone(), 'x'.repeat(65))).status).toBe(404);
});

test('reading requires the read scope', async () => {
  const writer = await newAccount({ scopes: ['write', 'deploy', 'domains', 'ai'] });
  expect(codeOf(await writer.call(listHosting))).toBe('insufficient_scope');
  expect(codeOf(await writer.call(getHosting, { params: { id: 'sub_x' } }))).toBe('insufficient_scope');
});
