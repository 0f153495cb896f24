import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { createKey } from '../../contract/accounts/api-keys.ts';
import { createApp } from '../../contract/apps/apps.ts';
import { createDatabase } from '../../contract/databases/databases.ts';
import { createDeployment } from '../../contract/deployments/deployments.ts';
import { orderDomain } from '../../contract/registrar/orders.ts';
import type { Route } from '../../contract/route.ts';
import { dashboardRoutes, routes } from '../../contract/routes.ts';
import { createWebhook } from '../../contract/webhooks/endpoints.ts';
import { pingWebhook } from '../../contract/webhooks/management.ts';
import { freshName, registrant } from '../domains.ts';
import { codeOf, newAccount, type Opened, until } from '../support/harness.ts';
import { boughtHosting } from '../support/hosting.ts';
import { receiver } from '../support/receivers.ts';

/** A list of the contract: it takes `limit` and `offset`, and answers `{data: […], has_more}`. */
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
/** Where a list is, and the ids of what was put into it, oldest first, where they are known. */
interface Filled {
  params?: object;
  ids?: string[];
}

const COUNT = 3;
/** Does it as often as a list's length, one after the other. */
async function times<T>(act: (index: number) => Promise<T>): Promise<T[]> {
  const done: T[] = [];
  for (let index = 0; index < COUNT; index += 1) done.push(await act(index));
  return done;
}

const hooks = await receiver();
afterAll(() => hooks.stop());

const app = async (account: Opened, more: object = {}) =>
  (await account.call(createApp, { body: { name: 'App', framework: 'NODE', ...more } })).body.data.id;
const hook = async (account: Opened, url = hooks.url) =>
  (await account.call(createWebhook, { body: { url } })).body.data.id;
const order = async (account: Opened) => {
  const { status, body } = await account.call(orderDomain, { body: { domain: freshName(), registrant } });
  expect(status).toBe(201);
  return body.data.invoice.id;
};

/** Puts three things into each list there is. */
const FILL: Record<string, (account: Opened) => Promise<Filled>> = {
  listApps: async (account) => ({ ids: await times(() => app(account)) }),
  listDeployments: async (account) => {
    const id = await app(account, { repoUrl: 'https://git.localhost/no-such.git', deployNow: false });
    // One at a time: the next may begin when the one before has failed.
    const next = async () => {
      const { status, body } = await account.call(createDeployment, { params: { id } });
      return status === 202 && body.data.id;
    };
    return { params: { id }, ids: await times(() => until(next)) };
  },
  listWebhooks: async (account) => ({ ids: await times(() => hook(account)) }),
  listEndpoints: async (account) => ({ ids: await times(() => hook(account)) }),
  listDeliveries: async (account) => {
    const id = await hook(account);
    await times((index) => {
      const ping = account.dashboard.call(pingWebhook, { params: { id } });
      return ping.then(() => until(async () => hooks.received.length > index));
    });
    return { params: { id } };
  },
  listHosting: async (account) => ({ ids: await times(async () => (await boughtHosting(account)).id) }),
  listDomains: async (account) => {
    await times(() => order(account));
    return {};
  },
  listInvoices: async (account) => ({ ids: await times(() => order(account)) }),
  listKeys: async (account) => {
    const made = (index: number) =>
      account.dashboard.call(createKey, { body: { name: `Key ${index}`, scopes: ['read'] } });
    // The account has one already.
    const [, ...ids] = await times(async (index) => (index === 0 ? '' : (await made(index)).body.data.id));
    return { ids };
  },
  listSubscriptions: async (account) => ({ ids: await times(async () => (await boughtHosting(account)).id) }),
  listDatabases: async (account) => {
    const applicationId = await app(account);
    const made = (index: number) =>
      account.dashboard.call(createDatabase, { body: { applicationId, name: `d${index}` } });
    return { ids: await times(async (index) => (await made(index)).body.data.id) };
  },
};

test('every list of the contract is driven here', () => {
  expect(lists.map(({ id }) => id).sort()).toEqual(Object.keys(FILL).sort());
});

describe.each(lists.map((route) => ({ id: route.id, route })))('$id', ({ id, route }) => {
  let account: Opened;
  let filled: Filled;
  const ask = async (query: Record<string, string> = {}) => {
    const client = route.access === 'login' ? account.dashboard : account;
    const answer = await client.call(route, { params: filled.params ?? {}, query } as object);
    return { ...answer, body: answer.body as Body };
  };
  beforeAll(async () => {
    account = await newAccount({ walletCents: 500_000 });
    filled = (await FILL[id]?.(account)) ?? {};
  }, 60_000);

  test('newest first, and every page shows what the whole list has there', async () => {
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
    const two = (await ask({ limit: '2' })).body;
    expect([two.data.length, two.has_more]).toEqual([2, true]);
    expect((await ask({ limit: '100', offset: '0' })).body.data).toHaveLength(COUNT);
  });

  test('past its end a list is empty', async () => {
    for (const offset of [String(COUNT), '1000000000']) {
      expect((await ask({ offset })).body).toEqual({ data: [], has_more: false });
    }
  });

  test('what is no page is refused, with the field named', async () => {
    const bad = {
      limit: ['0', '101', '-1', '1.5', 'ten', '', ' 1', '1e1', '0x10', '9007199254740993'],
      offset: ['-1', '1.5', 'x', '', ' 0', '1e1', '1000000001', '99999999999999999999'],
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
