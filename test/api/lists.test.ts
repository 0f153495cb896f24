import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { createKey } from '../../contract/accounts/api-keys.ts';
import { startExport } from '../../contract/accounts/export.ts';
import { listAiCalls } from '../../contract/ai/calls.ts';
import { createChatCompletion } from '../../contract/ai/chat.ts';
import { createApp } from '../../contract/apps/apps.ts';
import { createClient } from '../../contract/client.ts';
import { createDatabase } from '../../contract/databases/databases.ts';
import { createDeployment } from '../../contract/deployments/deployments.ts';
import { orderDomain } from '../../contract/registrar/orders.ts';
import type { Route } from '../../contract/route.ts';
import { dashboardRoutes, routes } from '../../contract/routes.ts';
import { createWebhook } from '../../contract/webhooks/endpoints.ts';
import { pingWebhook } from '../../contract/webhooks/management.ts';
import { registrant, uniqueDomain } from '../support/domains.ts';
import { finishedExport } from '../support/exports.ts';
import { codeOf, local, newAccount, type OpenedAccount, waitFor } from '../support/harness.ts';
import { createHosting } from '../support/hosting.ts';
import { receiver } from '../support/receivers.ts';

/** True for a list of the contract: it takes `limit` and `offset`, and responds with `{data: […], has_more}`. */
function isList(route: Route): boolean {
  const answer = route.response?.();
  return (
    'offset' in (route.query?.().def.shape ?? {}) && answer instanceof z.ZodMiniObject && 'has_more' in answer.shape
  );
}
const lists = ([...routes, ...dashboardRoutes] as readonly Route[]).filter(isList);

interface Body {
  data: Record<string, unknown>[];
  has_more: boolean;
}
/** A list's path parameters, and the ids of its items, oldest first, where they are known. */
interface FilledList {
  params?: object;
  ids?: string[];
}

const COUNT = 3;
/** Runs an action {@link COUNT} times, one after the other. */
async function repeat<T>(act: (index: number) => Promise<T>): Promise<T[]> {
  const done: T[] = [];
  for (let index = 0; index < COUNT; index += 1) done.push(await act(index));
  return done;
}

const hooks = await receiver();
afterAll(() => hooks.stop());

const app = async (account: OpenedAccount, more: object = {}) =>
  (await account.call(createApp, { body: { name: 'App', framework: 'NODE', ...more } })).body.data.id;
const hook = async (account: OpenedAccount, url = hooks.url) =>
  (await account.call(createWebhook, { body: { url } })).body.data.id;
const order = async (account: OpenedAccount) => {
  const { status, body } = await account.call(orderDomain, { body: { domain: uniqueDomain(), registrant } });
  expect(status).toBe(201);
  return body.data.invoice.id;
};

/** Creates three items for every list. */
const FILLERS: Record<string, (account: OpenedAccount) => Promise<FilledList>> = {
  listApps: async (account) => ({ ids: await repeat(() => app(account)) }),
  listDeployments: async (account) => {
    const id = await app(account, { repoUrl: 'https://git.localhost/no-such.git', deployNow: false });
    // One at a time: a deployment may start once the previous one has failed.
    const next = async () => {
      const { status, body } = await account.call(createDeployment, { params: { id } });
      return status === 202 && body.data.id;
    };
    return { params: { id }, ids: await repeat(() => waitFor(next)) };
  },
  listWebhooks: async (account) => ({ ids: await repeat(() => hook(account)) }),
  listEndpoints: async (account) => ({ ids: await repeat(() => hook(account)) }),
  listDeliveries: async (account) => {
    const id = await hook(account);
    await repeat((index) => {
      const ping = account.dashboard.call(pingWebhook, { params: { id } });
      return ping.then(() => waitFor(async () => hooks.received.length > index));
    });
    return { params: { id } };
  },
  listHosting: async (account) => ({ ids: await repeat(async () => (await createHosting(account)).id) }),
  listDomains: async (account) => {
    await repeat(() => order(account));
    return {};
  },
  listInvoices: async (account) => ({ ids: await repeat(() => order(account)) }),
  listKeys: async (account) => {
    const made = (index: number) =>
      account.dashboard.call(createKey, { body: { name: `Key ${index}`, scopes: ['read'] } });
    // The account already has one.
    const [, ...ids] = await repeat(async (index) => (index === 0 ? '' : (await made(index)).body.data.id));
    return { ids };
  },
  listSubscriptions: async (account) => ({ ids: await repeat(async () => (await createHosting(account)).id) }),
  listAuditEntries: async (account) => {
    // The first entry is that of the account's opening.
    await repeat(async (index) => index > 0 && (await app(account)));
    return {};
  },
  listAiCalls: async (account) => {
    const body = { model: 'openai/gpt-4o-mini', messages: [{ role: 'user' as const, content: 'hello' }] };
    // Providers add fields of their own to an answer.
    const client = createClient({ baseUrl: local.baseUrl, secretKey: account.secretKey });
    await repeat(() => client.call(createChatCompletion, { body }));
    // A call is recorded after its response.
    const recorded = async () => (await account.dashboard.call(listAiCalls)).body.data.length === COUNT;
    await waitFor(recorded);
    return {};
  },
  listExports: async (account) => {
    // One at a time.
    const made = async () => {
      const { id } = (await account.dashboard.call(startExport)).body.data;
      await finishedExport(account, id);
      return id;
    };
    return { ids: await repeat(made) };
  },
  listDatabases: async (account) => {
    const applicationId = await app(account);
    const made = (index: number) =>
      account.dashboard.call(createDatabase, { body: { applicationId, name: `d${index}` } });
    return { ids: await repeat(async (index) => (await made(index)).body.data.id) };
  },
};

test('covers every list of the contract', () => {
  expect(lists.map(({ id }) => id).sort()).toEqual(Object.keys(FILLERS).sort());
});

describe.each(lists.map((route) => ({ id: route.id, route })))('$id', ({ id, route }) => {
  let account: OpenedAccount;
  let filled: FilledList;
  const ask = async (query: Record<string, string> = {}) => {
    const client = route.access === 'login' ? account.dashboard : account;
    const answer = await client.call(route, { params: filled.params ?? {}, query } as object);
    return { ...answer, body: answer.body as Body };
  };
  beforeAll(async () => {
    account = await newAccount({ walletCents: 500_000, aiCreditsMicroRand: 10_000_000 });
    filled = (await FILLERS[id]?.(account)) ?? {};
  });

  test('is newest first, and every page matches the whole list', async () => {
    const { data, has_more } = (await ask()).body;
    expect([data.length, has_more]).toEqual([COUNT, false]);
    if (filled.ids) expect(data.map((each) => each.id)).toEqual(expect.arrayContaining([...filled.ids]));
    const known = data.map((each) => each.id).filter((each) => filled.ids?.includes(String(each)));
    expect(known).toEqual([...(filled.ids ?? [])].reverse());
    const at = data.map((each) => String(each.createdAt ?? each.issuedAt ?? each.startedAt ?? ''));
    expect(at).toEqual([...at].sort().reverse());
    for (let offset = 0; offset < COUNT; offset += 1) {
      const page = (await ask({ limit: '1', offset: String(offset) })).body;
      expect(page.data.map((each) => each.id ?? each.name)).toEqual([data[offset]?.id ?? data[offset]?.name]);
      expect(page.has_more).toBe(offset < COUNT - 1);
    }
    const seen: unknown[] = [];
    for (let cursor = ''; ; cursor = String(seen.at(-1))) {
      const page = (await ask({ limit: '1', ...(cursor === '' ? {} : { cursor }) })).body;
      seen.push(...page.data.map((each) => each.id));
      if (!page.has_more) break;
    }
    expect(seen).toEqual(data.map((each) => each.id));
    expect((await ask({ cursor: String(seen[0]), offset: '1' })).body.data.map((each) => each.id)).toEqual(
      seen.slice(2),
    );
    expect((await ask({ cursor: String(seen.at(-1)) })).body).toEqual({ data: [], has_more: false });
    const two = (await ask({ limit: '2' })).body;
    expect([two.data.length, two.has_more]).toEqual([2, true]);
    expect((await ask({ limit: '100', offset: '0' })).body.data).toHaveLength(COUNT);
  });

  test('is empty past its end', async () => {
    for (const offset of [String(COUNT), '10000']) {
      expect((await ask({ offset })).body).toEqual({ data: [], has_more: false });
    }
  });

  test('rejects an invalid page naming the field', async () => {
    const bad = {
      limit: ['0', '101', '-1', '1.5', 'ten', '', ' 1', '1e1', '0x10', '9007199254740993'],
      offset: ['-1', '1.5', 'x', '', ' 0', '1e1', '10001', '99999999999999999999'],
      cursor: ['', 'x', '1', 'app', '../app_1', 'app_1#2', `app_${'0'.repeat(64)}`, 'acc_1', 'zzz_1', 'app_nope'],
    };
    for (const [field, values] of Object.entries(bad)) {
      for (const value of values) {
        const answer = await ask({ [field]: value });
        expect([field, value, answer.status, codeOf(answer)]).toEqual([field, value, 400, 'invalid_request']);
        expect(answer.error?.message.startsWith(`${field}: `)).toBe(true);
      }
    }
  });
});
