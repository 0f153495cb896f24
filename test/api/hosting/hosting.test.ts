import { describe, expect, test } from 'vitest';
import { cancelSubscription, createSubscription } from '../../../contract/billing/subscriptions.ts';
import { getHosting, listHosting } from '../../../contract/hosting/hosting.ts';
import { moveHosting, settleHosting } from '../../../domain/hosting/accounts.ts';
import { DEAD_SERVER } from '../../../local/emulators/hosting-panel/panel.ts';
import { createPanel } from '../../../providers/hosting-panel/panel.ts';
import { HostingAccount } from '../../../table/entities/hosting.ts';
import { codeOf, newAccount, type Opened, until } from '../../support/harness.ts';
import { anyDomain, boughtHosting, platformDeps, read, untilPanel } from '../../support/hosting.ts';

test('a bought subscription is listed at once, made on a server, and then read live', async () => {
  const account = await newAccount();
  const { id, domain } = await boughtHosting(account);
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
  expect(await untilPanel(account, id, 'ACTIVE')).toMatchObject({ mailboxes: 2 });
  expect((await read(account, id)).body.data).toEqual({
    id,
    hostingDomain: domain,
    panelStatus: 'ACTIVE',
    usage: {
      'Disk Usage': '40 MB of 10240 MB',
      Bandwidth: '700 MB of unlimited',
      'Email Accounts': '2 of 100',
    },
    mailboxes: [
      { address: `info@${domain}`, quotaMb: 1024 },
      { address: `sales@${domain}`, quotaMb: 0 },
    ],
  });
});

test('bought from the wallet, a plan is hosted; cancelled, it stays to the end of what is paid', async () => {
  const account = await newAccount({ walletCents: 100_000 });
  const body = { plan: 'web-starter', billingCycle: 'MONTHLY' as const, hostingDomain: anyDomain() };
  const { id } = (await account.dashboard.call(createSubscription, { body })).body.data;
  expect(await untilPanel(account, id, 'ACTIVE')).toMatchObject({ hostingDomain: body.hostingDomain, mailboxes: 2 });
  await account.dashboard.call(cancelSubscription, { params: { id } });
  const [listed] = (await account.call(listHosting)).body.data;
  expect(listed).toMatchObject({ id, status: 'CANCELLED', panelStatus: 'ACTIVE' });
});

test('runs that meet make one account', async () => {
  const account = await newAccount();
  const deps = await platformDeps();
  const { secrets } = await import('../../../runtime/bindings/secrets.ts');
  const { id } = await boughtHosting(account);
  const of = { accountId: account.id, id };
  const needs = { ...deps, secrets, panel: createPanel() };
  expect(await Promise.all([1, 2, 3].map(() => settleHosting(needs, of)))).toEqual([{}, {}, {}]);
});

test('the account on the server follows its subscription: suspended, back, kept to the end of what is paid, removed', async () => {
  const account = await newAccount();
  const { id, become } = await boughtHosting(account, { plan: { slug: 'mail', name: 'Mail', category: 'EMAIL' } });
  await untilPanel(account, id, 'ACTIVE');
  await become({ status: 'SUSPENDED' });
  await untilPanel(account, id, 'SUSPENDED');
  expect((await read(account, id)).body.data.panelStatus).toBe('SUSPENDED');
  await become({ status: 'CANCELLED', cancelledAt: new Date().toISOString() });
  await untilPanel(account, id, 'ACTIVE');
  await become({ status: 'ACTIVE', currentPeriodEnd: new Date(Date.now() - 1000).toISOString() });
  await become({ status: 'CANCELLED' });
  expect(await untilPanel(account, id, 'REMOVED')).toMatchObject({ status: 'CANCELLED', mailboxes: 0 });
  expect((await read(account, id)).body.data).toMatchObject({ panelStatus: 'REMOVED', usage: {}, mailboxes: [] });
});

test('newest first, page by page, and without plans that are no hosting', async () => {
  const account = await newAccount();
  const made = [];
  for (const category of ['WEB', 'APP', 'EMAIL', 'WEB'] as const) {
    const plan = { slug: 'plan', name: 'Plan', category };
    made.push({ category, ...(await boughtHosting(account, { plan })) });
  }
  const wanted = made.filter(({ category }) => category !== 'APP').map(({ id }) => id);
  const { body } = await account.call(listHosting);
  expect(body.data.map(({ id }) => id)).toEqual(wanted.reverse());
  const page = await account.call(listHosting, { query: { limit: '1', offset: '1' } });
  expect(page.body).toMatchObject({ data: [{ id: wanted[1] }], has_more: true });
  const app = made.find(({ category }) => category === 'APP');
  expect((await read(account, app?.id ?? '')).status).toBe(404);
});

describe('a panel that misbehaves is a 502 in public words, and lists do not notice', () => {
  test.each(['silent-', 'down-', 'nonsense-', 'odd-', 'broken-', 'half-'])('%s', async (start) => {
    const account = await newAccount();
    const { id } = await boughtHosting(account, { hostingDomain: anyDomain(start) });
    const deps = await platformDeps();
    // Settled once: the account is there, and the panel begins to misbehave.
    await until(async () => (await deps.table.get(HostingAccount, { accountId: account.id, id }))?.failures || false);
    const answer = await read(account, id);
    expect([answer.status, codeOf(answer)]).toEqual([502, 'server_error']);
    expect(answer.error?.message).toBe('The hosting server does not answer. It is safe to retry with backoff.');
    expect((await account.call(listHosting)).status).toBe(200);
  });

  test('a server that never answers', async () => {
    const account = await newAccount();
    const { id } = await boughtHosting(account);
    await untilPanel(account, id, 'ACTIVE');
    await moveHosting(await platformDeps(), { accountId: account.id, id, server: DEAD_SERVER });
    expect((await read(account, id)).status).toBe(502);
    expect((await account.call(listHosting)).body.data).toMatchObject([{ id, panelStatus: 'ACTIVE', mailboxes: 2 }]);
  });
});

test('a server that refuses is written down and asked again later; what is settled stays settled when it is repeated', async () => {
  const account = await newAccount();
  const deps = await platformDeps();
  const { secrets } = await import('../../../runtime/bindings/secrets.ts');
  const needs = { ...deps, secrets, panel: createPanel() };
  const refused = await boughtHosting(account, { hostingDomain: anyDomain('refused-') });
  const of = { accountId: account.id, id: refused.id };
  expect(await until(async () => (await deps.table.get(HostingAccount, of))?.problem)).toMatch(
    /refused: .*already exists/,
  );
  expect((await read(account, refused.id)).body.data).toMatchObject({ panelStatus: 'PENDING', mailboxes: [] });
  const good = await boughtHosting(account);
  await untilPanel(account, good.id, 'ACTIVE');
  for (let time = 0; time < 2; time += 1) {
    expect(await settleHosting(needs, { accountId: account.id, id: good.id })).toEqual({});
  }
  expect((await read(account, good.id)).body.data).toMatchObject({ panelStatus: 'ACTIVE' });
});

let shared: Promise<Opened> | undefined;
const someone = () => {
  shared ??= newAccount();
  return shared;
};

test("another account's subscription is not there, nor is one that never was", async () => {
  const { id } = await boughtHosting(await newAccount());
  for (const each of [id, 'sub_nothing', 'x'.repeat(64)]) {
    const answer = await read(await someone(), each);
    expect([answer.status, codeOf(answer)]).toEqual([404, 'not_found']);
  }
  expect((await read(await someone(), 'x'.repeat(65))).status).toBe(404);
});

test('reading needs the read scope', async () => {
  const writer = await newAccount({ scopes: ['write', 'deploy', 'domains', 'ai'] });
  expect(codeOf(await writer.call(listHosting))).toBe('insufficient_scope');
  expect(codeOf(await writer.call(getHosting, { params: { id: 'sub_x' } }))).toBe('insufficient_scope');
});
