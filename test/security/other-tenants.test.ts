import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listAuditEntries } from '../../contract/audit/audit.ts';
import { listPaths, type Path, type Route } from '../../contract/route.ts';
import { dashboardRoutes, routes, streamedRoutes } from '../../contract/routes.ts';
import { registrant, uniqueDomain } from '../support/domains.ts';
import { raw, waitFor } from '../support/harness.ts';
import { type PopulatedTenant, populatedTenant } from '../support/populated-tenant.ts';
import { receiver } from '../support/receivers.ts';
import { walkable } from '../support/schemas.ts';

/**
 * The audit of tenancy: every operation of the contract that takes an id, with another tenant's id in each place. A new
 * operation is covered automatically; a new collection needs a resource in `populatedTenant`, a new body a sample here.
 */
const EVERY = [...routes, ...dashboardRoutes, ...streamedRoutes] as readonly Route[];

/** Parameters that name no tenant's resource: a provider or a model has the same name for every account. */
const SHARED_COLLECTIONS = ['providers', 'models'];
/** Valid bodies of the operations that need one; fields that carry an id are filled in. */
const BODIES: Record<string, object> = {
  replaceEnv: { vars: [{ key: 'STOLEN', value: 'yes' }] },
  updateEnv: { set: [{ key: 'STOLEN', value: 'yes' }] },
  addDnsRecord: { type: 'A', name: 'stolen', content: '203.0.113.1' },
  replaceDnsRecord: { type: 'A', name: 'stolen', content: '203.0.113.2' },
  setCustomDomain: { domain: 'stolen.example.com' },
  resendSkipped: { since: new Date(Date.now() - 60_000).toISOString() },
  createDatabase: { name: 'stolen' },
  updateApp: { branch: 'stolen' },
  editApp: { name: 'stolen' },
  updateMember: { role: 'read-only' },
  updateDomain: { autoRenew: false },
};
/** Valid bodies of the operations that take no id, for the test of the audit log. */
const OWN_BODIES: Record<string, () => object> = {
  createApp: () => ({ name: 'Audited', framework: 'NODE' }),
  createKey: () => ({ name: 'Audited', scopes: ['read'] }),
  inviteMember: () => ({ email: 'audited@example.com', role: 'billing' }),
  createWebhook: () => ({ url: hooks.url }),
  orderDomain: () => ({ domain: uniqueDomain(), registrant }),
  buyAiCredits: () => ({ amount: '10.00' }),
  createTopUp: () => ({ amount: '100.00' }),
  setAutoTopUp: () => ({ enabled: false, threshold: '20.00', amount: '100.00' }),
  createSubscription: () => ({ plan: 'app-25', billingCycle: 'MONTHLY' }),
  putProviderKey: () => ({ key: SECRETS.providerKey }),
  replaceEnv: () => ({ vars: [{ key: 'AUDITED', value: SECRETS.variable }] }),
  updateKey: () => ({ name: 'Audited again' }),
  updateWebhook: () => ({ description: 'Audited' }),
  updateEnv: () => ({ set: [{ key: 'ALSO_AUDITED', value: SECRETS.variable }] }),
};
const SECRETS = { providerKey: 'sk-audited-0123456789-audited', variable: 'value-of-an-audited-variable' };
const COLLECTION_OF_FIELD: Record<string, string> = { deploymentId: 'deployments', applicationId: 'apps' };

/** A place of an operation that takes an id. */
interface Slot {
  in: 'path' | 'body';
  name: string;
  collection: string;
}

/** Returns the places of an operation that take the id of a tenant's resource. */
function slotsOf(route: Route): Slot[] {
  const inPath = [...route.path.matchAll(/\/([^/]+)\/\{(\w+)\}/g)].map(
    ([, collection = '', name = '']): Slot => ({ in: 'path', name, collection }),
  );
  const inBody = Object.keys(route.body ? (walkable(route.body()).def.shape ?? {}) : {})
    .filter((name) => name.endsWith('Id'))
    .map((name): Slot => ({ in: 'body', name, collection: COLLECTION_OF_FIELD[name] ?? name }));
  return [...inPath, ...inBody].filter(({ collection }) => !SHARED_COLLECTIONS.includes(collection));
}

const AUDITED = EVERY.filter((route) => route.access !== 'hook' && slotsOf(route).length > 0);

/** Sends an operation as a tenant, with the ids that are given for its slots. */
async function send(route: Route, path: Path, { account }: PopulatedTenant, idOf: (slot: Slot) => string) {
  const slots = slotsOf(route);
  const at = slots
    .filter((slot) => slot.in === 'path')
    .reduce((filled, slot) => filled.replace(`{${slot.name}}`, encodeURIComponent(idOf(slot))), path as string);
  const ids = Object.fromEntries(slots.filter((slot) => slot.in === 'body').map((slot) => [slot.name, idOf(slot)]));
  const body = route.body && { ...BODIES[route.id], ...ids };
  expect(route.body?.().safeParse(body).success ?? true, `${route.id} needs a sample in BODIES`).toBe(true);
  const token = path.startsWith('/dashboard/') ? account.accessToken : account.secretKey;
  const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) };
  const answer = await raw(at, { method: route.method, headers, ...(body && { body: JSON.stringify(body) }) });
  return { status: answer.status, text: await answer.text() };
}

const hooks = await receiver();
afterAll(() => hooks.stop());

let victim: PopulatedTenant;
let attacker: PopulatedTenant;
const idOf = (tenant: PopulatedTenant, { collection }: Slot): string => {
  const id = tenant.ids[collection];
  if (!id) throw new Error(`populatedTenant needs a resource of "${collection}"`);
  return id;
};

/** Reads everything of a tenant that it can read, without what checks and measurements that go on by themselves say. */
async function readAll(tenant: PopulatedTenant): Promise<Record<string, string>> {
  const reads = EVERY.filter(({ method, access }) => method === 'GET' && ['read', 'any', 'login'].includes(access));
  const read = async (route: Route): Promise<[string, string]> => {
    const path = listPaths(route).at(-1) ?? route.path;
    const { text } = await send(route, path, tenant, (slot) => idOf(tenant, slot));
    return [
      route.id,
      text.replaceAll(
        /"(?:checkedAt|lastUsedAt|problem|sizeBytes|unitsThisMonth)":(?:"(?:[^"\\]|\\.)*"|null|[\d.]+)/g,
        '',
      ),
    ];
  };
  return Object.fromEntries(await Promise.all(reads.map(read)));
}

beforeAll(async () => {
  [victim, attacker] = await Promise.all([populatedTenant(hooks.url), populatedTenant(hooks.url)]);
});

test('every operation with an id in its path is audited', () => {
  const named = EVERY.filter(({ path }) => path.includes('{')).map(({ id }) => id);
  const exempt = EVERY.filter(
    (route) => route.access === 'hook' || route.path.split('/').some((part) => SHARED_COLLECTIONS.includes(part)),
  );
  expect(named.filter((id) => !AUDITED.some((route) => route.id === id)).sort()).toEqual(
    exempt
      .filter(({ path }) => path.includes('{'))
      .map(({ id }) => id)
      .sort(),
  );
});

/** Parameters of a query that name nothing, or only what is in the resource of the path (`after`: a line of its log). */
const QUERY_WITHOUT_IDS = [
  'after',
  'category',
  'days',
  'failed',
  'from',
  'limit',
  'model',
  'offset',
  'q',
  'range',
  'status',
  'to',
  'type',
  // Of a repository, which is read as its host shows it to everybody.
  'branch',
  'rootDirectory',
  'url',
];
/** Parameters that name a place or a part of a list, which is the caller's own whatever they name. */
const FILTERS = ['about', 'action', 'actor', 'cursor'];

test('no query takes the id of a resource', () => {
  const named = EVERY.flatMap((route) => Object.keys(route.query ? (walkable(route.query()).def.shape ?? {}) : {}));
  expect([...new Set(named)].sort(), 'a new one needs an audit like those in paths').toEqual(
    [...QUERY_WITHOUT_IDS, ...FILTERS].sort(),
  );
});

describe("another tenant's id", () => {
  let before: Record<string, string>;
  beforeAll(async () => {
    // Counters of use follow what they count: at rest are two reads that agree. A minute allows a login five of them.
    let read = await readAll(victim);
    before = await waitFor(async () => {
      const earlier = read;
      read = await readAll(victim);
      return (
        isDeepStrictEqual(earlier, read) && !Object.values(read).some((text) => text.includes('rate_limited')) && read
      );
    }, 12_000);
  }, 180_000);

  const cases = AUDITED.flatMap((route) =>
    slotsOf(route).flatMap((slot) =>
      listPaths(route).map((path) => [`${route.method} ${path}, ${slot.name}`, { route, path, slot }] as const),
    ),
  );
  test.concurrent.each(cases)('%s: 404, as for an id that does not exist', async (_title, { route, path, slot }) => {
    const own = (each: Slot) => idOf(attacker, each);
    const stolen = idOf(victim, slot);
    const absent = stolen.replace(/[^_]{6}$/, 'zzzzzz');
    const answer = await send(route, path, attacker, (each) => (each.name === slot.name ? stolen : own(each)));
    const unknown = await send(route, path, attacker, (each) => (each.name === slot.name ? absent : own(each)));
    expect([answer.status, JSON.parse(answer.text).error?.code]).toEqual([404, 'not_found']);
    expect(answer.text.replaceAll(stolen, absent)).toBe(unknown.text);
  });

  test('in a signed hook: the signature must be that of the named application', async () => {
    for (const { path, method } of EVERY.filter(({ access, path }) => access === 'hook' && path.includes('{'))) {
      const at = path.replace(/\{\w+\}/, victim.ids.apps ?? '');
      const body = method === 'GET' ? {} : { body: '{}' };
      const answer = await raw(at, { method, headers: { 'x-gitlab-token': 'guess' }, ...body });
      expect([path, answer.status]).toEqual([path, 401]);
    }
  });

  test('a provider key is of the account that stored it', async () => {
    for (const route of EVERY.filter(({ path, method }) => path.includes('/providers/') && method !== 'GET')) {
      const path = route.path.replace('{id}', 'openai');
      const headers = { authorization: `Bearer ${attacker.account.accessToken}`, 'content-type': 'application/json' };
      const body = route.body ? JSON.stringify({ key: 'sk-of-the-attacker-0123456789' }) : null;
      expect((await raw(path, { method: route.method, headers, body })).status).toBeLessThan(300);
    }
  });

  let wasDeleted = false;
  test('changes no resource of the owner, for whom each of these operations finds its resource', async () => {
    // An attempt that failed after this found it unchanged, and has deleted some of it since.
    if (wasDeleted) victim = await populatedTenant(hooks.url);
    else expect(await readAll(victim)).toEqual(before);
    wasDeleted = true;
    // Parts before the whole, and reads before the rest: what is deleted cannot be found.
    const rank = ({ id, method, path }: Route) =>
      id === 'deleteApp' ? 100 : method === 'DELETE' ? 100 - path.split('/').length : method === 'GET' ? 0 : 1;
    for (const route of [...AUDITED].sort((a, b) => rank(a) - rank(b))) {
      const answer = await send(route, route.path, victim, (slot) => idOf(victim, slot));
      expect([route.id, answer.status, answer.text]).not.toEqual([route.id, 404, expect.any(String)]);
      expect([route.id, answer.status, answer.text]).not.toEqual([route.id, 401, expect.any(String)]);
    }
  });
});

describe('the audit log', () => {
  /** Operations that the state of the tenant does not allow: their entries are shown beside their rules (rollback.test.ts, lifecycle.test.ts, run-deletion.test.ts, members.test.ts). */
  const NOT_POSSIBLE = [
    'rollBack',
    'payInvoice',
    'requestDeletion',
    'cancelDeletion',
    'acceptInvitation',
    'leaveAccount',
  ];
  const changing = EVERY.filter(({ method, access }) => method !== 'GET' && access !== 'hook');

  let wasDeleted = false;
  test('has exactly one entry of each writing operation, without secrets', async () => {
    // A failed attempt has deleted what the operations are about.
    if (wasDeleted) attacker = await populatedTenant(hooks.url);
    wasDeleted = true;
    const { account } = attacker;
    // What is deleted cannot be changed; a custom domain is set where there is none.
    const rank = ({ id, method, path }: Route) =>
      id === 'removeCustomDomain'
        ? 0
        : id === 'deleteApp'
          ? 100
          : method === 'DELETE'
            ? 100 - path.split('/').length
            : 1;
    const requests = new Map<string, string>();
    const shown: string[] = Object.values(SECRETS);
    const unexpected: unknown[] = [];
    const recorded = changing.filter((route) => route.audit !== undefined && !NOT_POSSIBLE.includes(route.id));
    for (const route of recorded.toSorted((a, b) => rank(a) - rank(b))) {
      if (route.id === 'deleteSession') continue;
      const { status, text, requestId } = await change(route);
      if (status >= 300) unexpected.push([route.id, status, text]);
      requests.set(route.id, requestId);
      shown.push(
        ...[...text.matchAll(/"(?:secret|secretKey|password)":"([^"]+)"/g)].flatMap(([, secret]) => secret ?? []),
      );
    }
    expect(unexpected).toEqual([]);
    const { data } = (await account.dashboard.call(listAuditEntries, { query: { limit: '100' } })).body;
    const entries = recorded
      .filter(({ id }) => requests.has(id))
      .map(({ id, audit }) => {
        const own = data.filter(({ requestId }) => requestId === requests.get(id));
        return { id, actions: own.map(({ action }) => action), is: [audit], from: own[0]?.address };
      });
    expect(entries).toEqual(entries.map(({ id, is }) => ({ id, actions: is, is, from: expect.any(String) })));
    const text = JSON.stringify(data);
    expect(shown.filter((secret) => text.includes(secret))).toEqual([]);
    const actors = new Set(data.map(({ actor }) => actor.kind));
    expect([...actors].sort()).toEqual(expect.arrayContaining(['KEY', 'LOGIN']));
  });

  /** Sends an operation with valid input, by a key where a key may. */
  async function change(route: Route) {
    const own = OWN_BODIES[route.id]?.();
    const ids = Object.fromEntries(slotsOf(route).map((slot) => [slot.name, idOf(attacker, slot)]));
    const at = route.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(ids[name] ?? 'openai'));
    const fields = Object.entries(ids).filter(([name]) => !route.path.includes(`{${name}}`));
    const body = route.body && { ...(own ?? BODIES[route.id]), ...Object.fromEntries(fields) };
    const token = at.startsWith('/dashboard/') ? attacker.account.accessToken : attacker.account.secretKey;
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) };
    const answer = await raw(at, { method: route.method, headers, ...(body && { body: JSON.stringify(body) }) });
    const requestId = answer.headers.get('x-request-id') ?? '';
    return { status: answer.status, text: await answer.text(), requestId };
  }
});
