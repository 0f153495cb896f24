import { expect, test } from 'vitest';
import { routes } from '../../contract/routes.ts';
import { HostingServer } from '../../table/entities/hosting.ts';
import { deletionSimulation } from '../../test/simulation/account-deletion.ts';
import { interruptAt } from '../../test/simulation/simulation.ts';
import { listKeys, updateKey } from '../accounts/api-keys.ts';
import { updateMember } from '../accounts/members.ts';
import { readInbox, setNotificationSettings } from '../accounts/notifications.ts';
import { getApp, updateApp } from '../apps/apps.ts';
import { listEnvKeys, updateEnv } from '../apps/environment.ts';
import { getAutoTopUp, setAutoTopUp } from '../billing/auto-top-up.ts';
import type { Caller, Deps } from '../deps.ts';
import { setServer } from '../hosting/servers.ts';
import { findAccount } from '../limits/limits.ts';
import { overrideLimits } from '../limits/overrides.ts';
import { updateDomain } from '../registrar/auto-renew.ts';
import { enableWebhook, listEndpoints, updateWebhook } from '../webhooks/management.ts';

/**
 * An update answers with the whole resource, of which it sets a part. What another request has set since the update read it is in the answer
 * as well: clients show the answer in place of what they had.
 */

type Operation = (deps: Deps, caller: Caller) => Promise<unknown>;

interface Update {
  update: Operation;
  /** Other updates of the same resource, which set other parts. */
  others: readonly Operation[];
  /** Reads the resource as the update answers with it. */
  read: Operation;
}

const secrets = {
  seal: async (_: object, text: string) => ({ wrappedKey: 'k', iv: 'i', ciphertext: text }),
  unseal: async () => '{}',
};
const PAGE = { limit: 1, offset: 0 };
const keyOf = async (deps: Deps, caller: Caller) => (await listKeys(deps, caller, PAGE)).data[0]?.id ?? '';
const dataOf = (answer: unknown): unknown => (answer as { data: unknown }).data;
const server = { name: 'web-1', baseUrl: 'https://web-1.example.net:2087', user: 'root', token: 't', open: true };

const webhook =
  (change: Partial<Parameters<typeof updateWebhook>[2]>): Operation =>
  async (deps, caller) =>
    dataOf(await updateWebhook(deps, caller, { id: 'whk_1', ...change }));
const readWebhook: Operation = async (deps, caller) => (await listEndpoints(deps, caller, PAGE)).data[0];
const disable = webhook({ active: false });
const key =
  (change: Omit<Parameters<typeof updateKey>[2], 'id'>): Operation =>
  async (deps, caller) =>
    dataOf(await updateKey(deps, caller, { id: await keyOf(deps, caller), ...change }));
const app =
  (change: Omit<Parameters<typeof updateApp>[2], 'id'>): Operation =>
  async (deps, caller) =>
    dataOf(await updateApp(deps, caller, { id: 'app_1', ...change }));
const hosting =
  (change: Omit<Parameters<typeof setServer>[1], 'name'>): Operation =>
  (deps) =>
    setServer({ ...deps, secrets }, { name: 'web-1', ...change });
const topUp =
  (change: Partial<Parameters<typeof setAutoTopUp>[2]>): Operation =>
  async (deps, caller) =>
    dataOf(await setAutoTopUp(deps, caller, { enabled: true, ...change }));
const limit =
  (change: Parameters<typeof overrideLimits>[2]): Operation =>
  (deps, { accountId }) =>
    overrideLimits(deps, accountId, change);

const UPDATES: Record<string, Update> = {
  'the URL of an endpoint': {
    update: webhook({ url: 'https://b.example' }),
    others: [webhook({ description: 'Other' }), webhook({ events: ['app.created', 'ping'] }), disable],
    read: readWebhook,
  },
  'the events of an endpoint': { update: webhook({ events: ['ping'] }), others: [disable], read: readWebhook },
  'an endpoint that is enabled': {
    update: async (deps, caller) => dataOf(await enableWebhook(deps, caller, { id: 'whk_1' })),
    others: [webhook({ url: 'https://c.example' }), disable],
    read: readWebhook,
  },
  'the name of an API key': {
    update: key({ name: 'Other' }),
    others: [key({ aiBudget: '10.00' })],
    read: async (deps, caller) => (await listKeys(deps, caller, PAGE)).data[0],
  },
  'the budget of an API key': {
    update: key({ aiBudget: '20.00' }),
    others: [key({ name: 'Third' }), key({ aiBudget: null })],
    read: async (deps, caller) => (await listKeys(deps, caller, PAGE)).data[0],
  },
  'the kinds of notifications that a login switches off': {
    update: async (deps, caller) => dataOf(await setNotificationSettings(deps, caller, { off: ['low-balance'] })),
    others: [(deps, caller) => setNotificationSettings(deps, caller, { off: [], offByMail: ['payment-failed'] })],
    read: async (deps, caller) => {
      const { off, offByMail } = await readInbox(deps, caller);
      return { off, offByMail };
    },
  },
  'an application': {
    update: app({ name: 'Store' }),
    others: [app({ branch: 'next' }), app({ healthCheckPath: '/health' })],
    read: async (deps, caller) => dataOf(await getApp(deps, caller, { id: 'app_1' })),
  },
  'the variables of an application': {
    update: async (deps, caller) =>
      dataOf(await updateEnv({ ...deps, secrets }, caller, { id: 'app_1', set: [{ key: 'B', value: 'b' }] })),
    others: [(deps, caller) => updateEnv({ ...deps, secrets }, caller, { id: 'app_1', remove: ['A'] })],
    read: async (deps, caller) => dataOf(await listEnvKeys(deps, caller, { id: 'app_1' })),
  },
  'automatic top-ups': {
    update: topUp({ threshold: '20.00' }),
    others: [topUp({ amount: '500.00' })],
    read: async (deps, caller) => dataOf(await getAutoTopUp(deps, caller)),
  },
  'a hosting server': {
    update: hosting({ open: false }),
    others: [hosting({ address: '192.0.2.1' }), hosting({ user: 'admin' })],
    read: async (deps) => {
      const { token: _, ...shown } = (await deps.table.get(HostingServer, { name: 'web-1' })) ?? expect.unreachable();
      return shown;
    },
  },
  'the limits of an account': {
    update: limit({ apiKeys: 5 }),
    others: [limit({ databases: 7 })],
    read: async (deps, { accountId }) => (await findAccount(deps, accountId)).limits,
  },
};

test.each(Object.entries(UPDATES))('%s: the answer shows what another update has set meanwhile', async (_, given) => {
  for (const other of given.others)
    for (let step = 1, interrupted = true; interrupted; step += 1) {
      interrupted = false;
      const made = await deletionSimulation();
      made.slowDown(1);
      await setServer({ ...made.deps, secrets }, server);
      const interrupt = async () => {
        interrupted = true;
        await other(made.deps, made.caller);
      };
      const { deps } = made.startProcess({ faults: interruptAt(step, interrupt) });
      const answer = await given.update(deps, made.caller);
      expect(answer, `interrupted before call ${step}`).toEqual(await given.read(made.deps, made.caller));
    }
});

const sameApp = { name: 'Shop', startCommand: null, healthCheckPath: '/' };

/** Requests that change nothing: what is optional is left out, or given as it is. */
const UNCHANGED: Record<string, readonly Operation[]> = {
  changeLimits: [limit({}), limit({ databases: null })],
  setAutoTopUp: [topUp({ enabled: false })],
  updateApp: [app({}), app(sameApp)],
  updateDomain: [
    (deps, caller) =>
      updateDomain({ ...deps, tlds: () => expect.unreachable() }, caller, { id: 'dom_1', autoRenew: true }),
  ],
  updateEnv: [{}, { set: [], remove: ['NONE'] }].map(
    (given): Operation =>
      (deps, caller) =>
        updateEnv({ ...deps, secrets }, caller, { id: 'app_1', ...given }),
  ),
  updateKey: [key({}), key({ name: 'CI' }), key({ aiBudget: null })],
  updateMember: [(deps, caller) => updateMember(deps, caller, { id: 'subject-1', role: 'owner' })],
  updateWebhook: [webhook({}), webhook({ description: 'Thandi' })],
};
const PATCHES = routes.filter(({ method }) => method === 'PATCH').map(({ id }) => id);

test.each([...new Set([...PATCHES, ...Object.keys(UNCHANGED)])])(
  '%s: a request that changes nothing leaves neither an entry of the audit log nor an event',
  async (id) => {
    const { deps, caller } = await deletionSimulation();
    const commit = () => expect.unreachable('a commit, which leaves an entry');
    const requests = UNCHANGED[id] ?? expect.unreachable(`no request of ${id}`);
    for (const update of requests) await update({ ...deps, commit }, caller);
  },
);

const kept = {
  ...secrets,
  unseal: async (_: object, { ciphertext }: { ciphertext: string }) => (ciphertext === '{}' ? '{}' : '{"A":"a"}'),
};

/** Requests that change something when they are made first, and nothing when they are made again. */
const REPEATED: Record<string, Operation> = {
  changeLimits: limit({ databases: 7 }),
  setAutoTopUp: topUp({ threshold: '20.00' }),
  updateApp: app({ name: 'Store' }),
  updateDomain: (deps, caller) =>
    updateDomain({ ...deps, tlds: async () => [] }, caller, { id: 'dom_1', autoRenew: false }),
  updateEnv: (deps, caller) => updateEnv({ ...deps, secrets: kept }, caller, { id: 'app_1', remove: ['A'] }),
  updateKey: key({ name: 'Other' }),
  updateWebhook: webhook({ url: 'https://b.example' }),
};

// The role of a member is part of the team. Concurrent changes of a team are tested in domain/accounts/races.test.ts.
test.each([...new Set([...PATCHES, ...Object.keys(REPEATED)])].filter((id) => id !== 'updateMember'))(
  '%s: of the same request made twice at once, the second leaves no entry of the audit log',
  async (id) => {
    const update = REPEATED[id] ?? expect.unreachable(`no request of ${id}`);
    for (let step = 1, interrupted = true; interrupted; step += 1) {
      interrupted = false;
      const made = await deletionSimulation();
      made.clock.now += 1000;
      let entries = 0;
      const counting = (deps: Deps): Deps => ({
        ...deps,
        commit: async (...given) => {
          const answer = await deps.commit(...given);
          entries += 1;
          return answer;
        },
      });
      const interrupt = async () => {
        interrupted = true;
        await update(counting(made.deps), made.caller);
      };
      const { deps } = made.startProcess({ faults: interruptAt(step, interrupt) });
      await update(counting(deps), made.caller);
      expect(entries, `interrupted before call ${step}`).toBe(1);
    }
  },
);
