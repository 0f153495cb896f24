import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { getAccount } from '../../../contract/accounts/accounts.ts';
import { createApp, getApp } from '../../../contract/apps/apps.ts';
import { listAuditEntries } from '../../../contract/audit/audit.ts';
import { getDeployment } from '../../../contract/deployments/deployments.ts';
import { listDnsRecords } from '../../../contract/dns/records.ts';
import { listOperatorAudit, readAccount } from '../../../contract/operator/accounts.ts';
import {
  adjustMoney,
  cancelDeployment,
  changeLimits,
  openCustomerAccount,
  resendForCustomer,
  setSuspension,
} from '../../../contract/operator/actions.ts';
import { listCells, moveApp } from '../../../contract/operator/cells.ts';
import {
  adoptCustomerDomain,
  moveHostingAccount,
  saveHostingServer,
  setOffer,
} from '../../../contract/operator/settings.ts';
import { getDomain } from '../../../contract/registrar/domains.ts';
import { createWebhook } from '../../../contract/webhooks/endpoints.ts';
import { listDeliveries, pingWebhook } from '../../../contract/webhooks/management.ts';
import { DEAD_SERVER } from '../../../local/emulators/hosting-panel/panel.ts';
import { HostingAccount } from '../../../table/entities/hosting.ts';
import { registrant, uniqueDomain } from '../../support/domains.ts';
import { clientOf, codeOf, newAccount, platformDeps, waitFor } from '../../support/harness.ts';
import { createHosting, waitForPanelStatus } from '../../support/hosting.ts';
import { newOperator } from '../../support/operator.ts';
import { receiver } from '../../support/receivers.ts';

const reason = 'Case 4711.';

test('a suspension of an account, an application or a key is seen within 15 s, with its reason, and so is its end', async () => {
  const [operator, account] = await Promise.all([newOperator(), newAccount()]);
  const app = (await account.call(createApp, { body: { name: 'Suspended', deployNow: false } })).body.data;
  const page = (await operator.call(readAccount, { params: { id: account.id } })).body.data;
  const keyId = page.keys[0]?.id ?? '';
  const set = async (suspended: boolean, target: object = {}) => {
    const answer = await operator.call(setSuspension, {
      params: { id: account.id },
      body: { suspended, reason, ...target },
    });
    expect(answer.body).toEqual({ data: { suspended } });
    return Date.now();
  };
  const statusOf = async () => {
    const { status, error } = await account.call(getAccount);
    return error ? `${status} ${error.message}` : String(status);
  };
  const becomes = async (status: string, since: number) => {
    let lastOtherAt = since;
    await waitFor(async () => {
      const askedAt = Date.now();
      const isSeen = (await statusOf()) === status;
      if (!isSeen) lastOtherAt = askedAt;
      return isSeen;
    });
    // Requests that began later saw it, however long they took.
    expect(lastOtherAt - since).toBeLessThan(15_000);
  };

  await becomes(`403 This API key is suspended: ${reason}`, await set(true, { keyId }));
  expect((await account.dashboard.call(getAccount)).status).toBe(200);
  await becomes('200', await set(false, { keyId }));
  await becomes(`403 This account is suspended: ${reason}`, await set(true));
  await becomes('200', await set(false));
  await set(true, { applicationId: app.id });
  const shown = (await account.call(getApp, { params: { id: app.id } })).body.data;
  expect(shown).toMatchObject({ status: 'SUSPENDED', suspensions: [{ cause: 'OPERATOR', reason }] });
  await set(false, { applicationId: app.id });
  const misspelt = { suspended: true, reason, appId: app.id } as never;
  const wrong = await operator.call(setSuspension, { params: { id: account.id }, body: misspelt });
  expect(wrong.error?.message).toBe('appId: is not a field of this operation');

  const { data } = (await operator.call(listOperatorAudit, { query: { accountId: account.id } })).body;
  const own = data.filter(({ actor }) => actor.kind === 'OPERATOR');
  expect(own.map(({ action }) => action).reverse()).toEqual([
    'key.suspended',
    'key.resumed',
    'account.suspended',
    'account.resumed',
    'app.suspended',
    'app.resumed',
  ]);
  const { subject: id } = operator;
  for (const entry of own) expect(entry).toMatchObject({ reason, actor: { id, name: 'test@example.com' } });
  const { data: customers } = (await account.dashboard.call(listAuditEntries)).body;
  const seen = customers.filter(({ actor }) => actor.kind === 'OPERATOR');
  expect(seen.map(({ action }) => action)).toEqual(own.map(({ action }) => action));
  for (const { actor, address, requestId } of seen)
    expect([actor.id, actor.name, address, requestId]).toEqual([null, null, null, null]);
  const byOperator = await account.dashboard.call(listAuditEntries, { query: { about: operator.subject } });
  expect(byOperator.body.data).toEqual([]);
});

test('deliveries to a suspended endpoint wait, and go on when the suspension is lifted', async () => {
  const [operator, account, hook] = await Promise.all([newOperator(), newAccount(), receiver()]);
  const { id } = (await account.call(createWebhook, { body: { url: hook.url, events: ['ping'] } })).body.data;
  const set = (suspended: boolean) =>
    operator.call(setSuspension, { params: { id: account.id }, body: { suspended, reason, endpointId: id } });
  expect((await set(true)).body.data.suspended).toBe(true);
  await account.dashboard.call(pingWebhook, { params: { id } });
  const delivery = await waitFor(async () => {
    const { data } = (await account.dashboard.call(listDeliveries, { params: { id } })).body;
    return data[0];
  });
  expect(delivery).toMatchObject({ status: 'PENDING', attempts: [] });
  expect(hook.received).toEqual([]);
  await set(false);
  await waitFor(async () => hook.received.length === 1);
  const sent = await operator.call(resendForCustomer, {
    params: { id: account.id, deliveryId: delivery.id },
    body: { reason },
  });
  expect(sent.body.data).toEqual({ id: delivery.id, status: 'PENDING' });
  await waitFor(async () => hook.received.length === 2);
  await hook.stop();
});

test('operators change limits and money, each with a reason in the log', async () => {
  const [operator, account] = await Promise.all([newOperator(), newAccount({ walletCents: 1000 })]);
  const params = { id: account.id };
  const adjust = (body: object) => operator.call(adjustMoney, { params, body: { reason, ...body } });
  const limits = await operator.call(changeLimits, { params, body: { reason, limits: { apiKeys: 7 } } });
  expect(limits.body.data.limitOverrides).toEqual({ apiKeys: 7 });
  expect((await adjust({ wallet: { amount: '25.50', description: 'Goodwill' } })).status).toBe(200);
  expect((await adjust({ credits: { amount: '10.00' } })).status).toBe(200);
  expect((await adjust({ credits: { amount: '-4.00' } })).status).toBe(200);
  const refused = [
    await adjust({ credits: { amount: '-6.01' } }),
    await adjust({ wallet: { amount: '-100.00', description: 'Too much' } }),
    await adjust({}),
    await adjust({ wallet: { amount: '-0.00', description: 'Nothing' } }),
    await adjust({ credits: { amount: '1.00' }, voidInvoice: { id: 'inv_1' } }),
  ];
  expect(refused.map(codeOf)).toEqual([
    'insufficient_credits',
    'insufficient_funds',
    'invalid_request',
    'invalid_request',
    'invalid_request',
  ]);
  const issued = await adjust({ invoice: { kind: 'PLAN', description: 'Consulting', amount: '10.00' } });
  const { invoiceId } = issued.body.data;
  expect((await adjust({ voidInvoice: { id: invoiceId } })).body.data).toEqual({ invoiceId });
  const granted = await adjust({ grant: { plan: 'app-1', billingCycle: 'MONTHLY' } });
  expect(granted.body.data).toEqual({ subscriptionId: expect.stringMatching(/^sub_/) });
  const { data } = (await operator.call(readAccount, { params })).body;
  expect(data).toMatchObject({
    limitOverrides: { apiKeys: 7 },
    wallet: { balance: '35.50' },
    credits: { balance: '6.00' },
    invoices: [{ status: 'PAID' }, { id: invoiceId, amount: '11.50', status: 'VOID' }],
  });
  const { data: log } = (await operator.call(listOperatorAudit, { query: { accountId: account.id } })).body;
  const acts = log.filter(({ actor }) => actor.id === operator.subject);
  expect(acts.map((entry) => `${entry.action} ${entry.reason}`).reverse()).toEqual([
    `account.limits-changed ${reason}`,
    `wallet.adjusted ${reason}`,
    `ai-credits.adjusted ${reason}`,
    `ai-credits.adjusted ${reason}`,
    `invoice.issued ${reason}`,
    `invoice.voided ${reason}`,
    `subscription.granted ${reason}`,
  ]);
});

test('a cancelled deployment stops, and its owner reads the reason', async () => {
  const [operator, account] = await Promise.all([newOperator(), newAccount()]);
  const body = { name: 'Cancelled', framework: 'EXPRESS', repoUrl: 'https://git.localhost/hello-express.git' } as const;
  const app = (await account.call(createApp, { body })).body.data;
  const found = await waitFor(async () => {
    const { data } = (await operator.call(readAccount, { params: { id: account.id } })).body;
    return data.deployments[0];
  });
  const params = { id: account.id, deploymentId: found.id };
  const cancelled = await operator.call(cancelDeployment, { params, body: { reason } });
  expect([cancelled.status, cancelled.body]).toEqual([202, { data: { id: found.id } }]);
  const ended = await waitFor(async () => {
    const { data } = (await account.call(getDeployment, { params: { id: found.id } })).body;
    return data.status === 'FAILED' && data;
  });
  expect(ended.log).toContain(`Cancelled by the platform: ${reason}`);
  expect(codeOf(await operator.call(cancelDeployment, { params, body: { reason } }))).toBe('conflict');
  expect((await account.call(getApp, { params: { id: app.id } })).body.data.status).toBe('RUNNING');
});

test('a move of an application is refused where it cannot be, and changes nothing', async () => {
  const [operator, account] = await Promise.all([newOperator(), newAccount()]);
  const app = (await account.call(createApp, { body: { name: 'Stays', deployNow: false } })).body.data;
  expect((await operator.call(listCells)).body.data).toMatchObject([{ id: 'home', open: true, region: null }]);
  const move = async (cell: string, applicationId = app.id) => {
    const answer = await operator.call(moveApp, { params: { id: account.id, applicationId }, body: { reason, cell } });
    return `${answer.status} ${answer.error?.message}`;
  };
  expect(await move('home')).toBe('409 The application is already in this cell.');
  expect(await move('nowhere')).toBe('404 There is no hosting cell nowhere.');
  expect(await move('home', 'app_0')).toBe('404 Application not found.');
  expect(await move('')).toContain('400 cell');
  const { data } = (await operator.call(readAccount, { params: { id: account.id } })).body;
  expect(data.applications).toMatchObject([{ cell: 'home', movingTo: null, drainingFrom: null }]);
});

test('operators open accounts, and set offers and servers under the rules of the functions for them', async () => {
  const operator = await newOperator();
  const plan = { slug: 'app-1', name: 'App 1', appLimit: 1 };
  const keys = [{ name: 'first', scopes: ['read' as const] }];
  const email = `${randomUUID()}@example.com`;
  const opened = await operator.call(openCustomerAccount, { body: { reason, email, name: 'Opened', plan, keys } });
  const secretKey = opened.body.data.keys[0]?.secretKey ?? '';
  const { body } = await clientOf({ secretKey }).call(getAccount);
  expect(body.data).toMatchObject({ id: opened.body.data.id, email, plan });
  const server = { reason, baseUrl: 'https://panel.example.com', user: 'root', open: false };
  const save = (name: string, more: object = {}) =>
    operator.call(saveHostingServer, { params: { name }, body: { ...server, ...more } });
  const name = `s-${randomUUID().slice(0, 8)}`;
  expect(codeOf(await save(name))).toBe('invalid_request');
  expect((await save(name, { token: 'secret-token' })).body.data).toEqual({
    name,
    baseUrl: server.baseUrl,
    user: 'root',
    open: false,
  });
  for (const offer of ['ai', 'domains', 'plans'] as const) {
    const wrong = { models: 'none', extensions: [], plans: [] };
    const answer = await operator.call(setOffer, { params: { name: offer }, body: { reason, offer: wrong } });
    expect([offer, codeOf(answer), answer.error?.message]).toEqual([offer, 'invalid_request', expect.any(String)]);
  }
  for (const [offer, builtIn] of [
    ['ai', { models: 'built-in', randPerDollar: 'built-in' }],
    ['domains', { extensions: 'built-in' }],
    ['plans', { plans: 'built-in' }],
  ] as const) {
    const answer = await operator.call(setOffer, { params: { name: offer }, body: { reason, offer: {} } });
    expect([answer.status, answer.body.data]).toEqual([200, builtIn]);
  }
  const misspelt = await operator.call(setOffer, { params: { name: 'ai' }, body: { reason, offer: { model: [] } } });
  expect(misspelt.error?.message).toBe('offer.model: is not a field of this operation');
  const of = { id: opened.body.data.id };
  const moved = await operator.call(moveHostingAccount, {
    params: { ...of, subscriptionId: 'sub_none' },
    body: { reason, server: name },
  });
  expect(codeOf(moved)).toBe('not_found');
  const domain = uniqueDomain();
  const adopted = await operator.call(adoptCustomerDomain, { params: of, body: { reason, domain, registrant } });
  expect([codeOf(adopted), adopted.error?.message]).toEqual(['conflict', `${domain} is not at our registrar.`]);
});

test('a domain that is at the registrar already becomes an account’s, with its records', async () => {
  const [operator, account] = await Promise.all([newOperator(), newAccount()]);
  await platformDeps();
  const { registrar } = await import('../../../runtime/bindings/registrar.ts');
  const domain = uniqueDomain();
  await registrar.register({ domain, years: 1, privacy: false, owner: registrant });
  await waitFor(async () => await registrar.registered(domain));
  const params = { id: account.id };
  const records = [{ type: 'A' as const, name: 'www', content: '192.0.2.7' }];
  const adopt = () => operator.call(adoptCustomerDomain, { params, body: { reason, domain, registrant, records } });
  const { status, body } = await adopt();
  expect(status).toBe(201);
  const { domainId: id } = body.data;
  expect((await account.call(getDomain, { params: { id } })).body.data).toMatchObject({
    name: domain,
    status: 'ACTIVE',
  });
  expect((await account.call(listDnsRecords, { params: { id } })).body.data).toMatchObject([{ name: 'www' }]);
  // Twice is once.
  expect((await adopt()).body.data).toEqual({ domainId: id });
  const { data } = (await operator.call(listOperatorAudit, { query: { accountId: account.id } })).body;
  const adopted = data.filter(({ action }) => action === 'domain.adopted');
  expect(adopted[0]).toMatchObject({ reason, actor: { id: operator.subject }, after: { domain } });
});

test('a hosting account moves to another server, where it is made again', async () => {
  const [operator, account] = await Promise.all([newOperator(), newAccount()]);
  const { id } = await createHosting(account);
  await waitForPanelStatus(account, id, 'ACTIVE');
  const deps = await platformDeps();
  const hosting = { accountId: account.id, id };
  const first = (await deps.table.get(HostingAccount, hosting))?.server ?? '';
  const params = { id: account.id, subscriptionId: id };
  const move = (server: string) => operator.call(moveHostingAccount, { params, body: { reason, server } });
  const moved = await move(DEAD_SERVER);
  expect([moved.status, moved.body.data]).toEqual([200, { id, server: DEAD_SERVER }]);
  expect((await deps.table.get(HostingAccount, hosting))?.server).toBe(DEAD_SERVER);
  expect((await move(first)).status).toBe(200);
  await waitForPanelStatus(account, id, 'ACTIVE');
  const { data } = (await operator.call(listOperatorAudit, { query: { accountId: account.id } })).body;
  const own = data.filter(({ actor }) => actor.id === operator.subject);
  expect(own.map(({ action, reason: given }) => [action, given])).toEqual([
    ['hosting.moved', reason],
    ['hosting.moved', reason],
  ]);
});
