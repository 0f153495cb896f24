import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createKey, listKeys } from '../../../contract/accounts/api-keys.ts';
import { createApp } from '../../../contract/apps/apps.ts';
import { listAuditEntries } from '../../../contract/audit/audit.ts';
import { listOperatorAudit, readAccount, searchAccounts } from '../../../contract/operator/accounts.ts';
import { orderDomain } from '../../../contract/registrar/orders.ts';
import { createWebhook } from '../../../contract/webhooks/endpoints.ts';
import { AccountDeletion } from '../../../table/entities/account-data.ts';
import { create } from '../../../table/writes.ts';
import { registrant, uniqueDomain } from '../../support/domains.ts';
import { codeOf, newAccount, platformDeps, waitFor } from '../../support/harness.ts';
import { newOperator } from '../../support/operator.ts';

test('an account is found by email, ids, keys, names and request ids, and what was searched for is recorded', async () => {
  const email = `${randomUUID()}@example.com`;
  const [operator, account] = await Promise.all([newOperator(), newAccount({ walletCents: 100_000, email })]);
  const app = (await account.call(createApp, { body: { name: 'Findable', deployNow: false } })).body.data;
  const key = (await account.dashboard.call(createKey, { body: { name: 'Found', scopes: ['read'] } })).body.data;
  const endpoint = await account.call(createWebhook, { body: { url: 'https://hooks.example.com/' } });
  const domain = uniqueDomain();
  await account.call(orderDomain, { body: { domain, registrant } });
  const changed = endpoint.headers.get('x-request-id') ?? '';
  const refused = await account.call(createWebhook, { body: { url: 'ftp://hooks.example.com/' } });
  expect(codeOf(refused)).toBe('invalid_request');
  const failed = refused.headers.get('x-request-id') ?? '';
  const find = async (query: string) => (await operator.call(searchAccounts, { body: { query } })).body.data;
  const texts = {
    email,
    upperCase: email.toUpperCase(),
    account: account.id,
    app: app.id,
    key: key.id,
    endpoint: endpoint.body.data.id,
    host: app.primaryDomain,
    address: `https://${app.primaryDomain}/`,
    domain,
    subdomain: `www.${domain}`,
    changed,
    failed,
    secretKey: key.secretKey,
    header: `Authorization: Bearer ${key.secretKey}`,
    quoted: `'${key.secretKey}',`,
    keyPrefix: key.secretKey.slice(0, 16),
    publicPrefix: account.publicKey.slice(0, 16),
  };
  const testKey = (await account.dashboard.call(listKeys)).body.data.find(({ name }) => name === 'test');
  for (const [name, text] of Object.entries(texts)) {
    const found = await waitFor(async () => {
      const data = await find(text);
      return data.length > 0 && data;
    });
    expect([name, found.map((each) => each.account.id)]).toEqual([name, [account.id]]);
    // A leaked key is found by the id of a request that was made with it.
    const made = ['changed', 'failed'].includes(name) ? testKey?.id : null;
    expect([name, found[0]?.by]).toEqual([name, made]);
  }
  expect(await find('unknown@example.com')).toEqual([]);
  const { data } = (await operator.call(listOperatorAudit, { query: { limit: '100' } })).body;
  const own = data.filter(({ actor }) => actor.id === operator.subject);
  expect(own[0]).toMatchObject({
    action: 'accounts.searched',
    actor: { kind: 'OPERATOR', id: operator.subject },
    after: { query: 'unknown@example.com', found: [] },
  });
  expect(JSON.stringify(own)).not.toContain(key.secretKey);
  const stored = own.map(({ after }) => after?.query);
  expect(stored).toContain(`Authorization: Bearer ${key.secretKey.slice(0, 16)}`);
});

test('an account’s page has its oldest key, which may be the one that leaked', async () => {
  const [operator, account] = await Promise.all([newOperator(), newAccount({ keyCount: 25 })]);
  const { keys } = (await operator.call(readAccount, { params: { id: account.id } })).body.data;
  expect(keys).toHaveLength(25);
});

test('an account’s page shows its resources and failures, and only the operators’ log records the read', async () => {
  const [operator, account] = await Promise.all([newOperator(), newAccount({ walletCents: 5000 })]);
  await account.call(createApp, { body: { name: 'Shown', deployNow: false } });
  await account.call(createWebhook, { body: { url: 'https://hooks.example.com/shown' } });
  const refused = await account.call(createWebhook, { body: { url: 'nothing' } });
  const requestId = refused.headers.get('x-request-id');
  const page = await waitFor(async () => {
    const { data } = (await operator.call(readAccount, { params: { id: account.id } })).body;
    return data.errors.length > 0 && data;
  });
  expect(page).toMatchObject({
    account: { id: account.id, walletBalance: '50.00' },
    suspension: null,
    limitOverrides: {},
    applications: [{ name: 'Shown' }],
    keys: [{ name: 'test', suspension: null }],
    wallet: { transactions: [{ type: 'ADJUSTMENT', amount: '50.00' }] },
    endpoints: [{ url: 'https://hooks.example.com/shown', suspension: null }],
    errors: [
      {
        requestId,
        operation: 'createWebhook',
        status: 400,
        code: 'invalid_request',
        by: expect.stringMatching(/^key_/),
      },
    ],
  });
  const missing = await operator.call(readAccount, { params: { id: 'acc_none' } });
  expect([missing.status, codeOf(missing)]).toEqual([404, 'not_found']);
  const { data: log } = (await operator.call(listOperatorAudit, { query: { limit: '100' } })).body;
  const reads = log.filter(({ action, subjectId }) => action === 'account.read' && subjectId === account.id);
  expect(reads[0]).toMatchObject({ actor: { kind: 'OPERATOR', id: operator.subject }, address: expect.any(String) });
  const { data: shown } = (await account.dashboard.call(listAuditEntries)).body;
  expect(shown.filter(({ actor }) => actor.kind === 'OPERATOR')).toEqual([]);
});

test('operators page through the changes of one account', async () => {
  const [operator, account] = await Promise.all([newOperator(), newAccount()]);
  for (const name of ['one', 'two', 'three'])
    await account.dashboard.call(createKey, { body: { name, scopes: ['read'] } });
  const first = (await operator.call(listOperatorAudit, { query: { accountId: account.id, limit: '2' } })).body;
  expect(first).toMatchObject({ data: [{ after: { name: 'three' } }, { after: { name: 'two' } }], has_more: true });
  const cursor = first.data[1]?.id ?? '';
  const rest = (await operator.call(listOperatorAudit, { query: { accountId: account.id, limit: '2', cursor } })).body;
  expect(rest.data[0]).toMatchObject({ action: 'key.created', after: { name: 'one' }, accountId: account.id });
});

test('an account that was deleted says when, in the search and on its page', async () => {
  const [operator, account] = await Promise.all([newOperator(), newAccount()]);
  const { table } = await platformDeps();
  const read = async () => {
    const found = (await operator.call(searchAccounts, { body: { query: account.id } })).body.data[0];
    const { data } = (await operator.call(readAccount, { params: { id: account.id } })).body;
    return [found?.account.deletedAt, data.deletedAt];
  };
  expect(await read()).toEqual([null, null]);
  const deletedAt = new Date().toISOString();
  const times = { requestedAt: deletedAt, endsAt: deletedAt, deletedAt };
  await table.transact([create(AccountDeletion, { accountId: account.id, status: 'DELETED', ...times })]);
  expect(await read()).toEqual([deletedAt, deletedAt]);
});
