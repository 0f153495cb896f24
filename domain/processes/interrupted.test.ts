import { expect, test } from 'vitest';
import { ApiError } from '../../contract/errors.ts';
import { ApiKey, apiKeysOf } from '../../table/entities/accounts.ts';
import { App, Host } from '../../table/entities/apps.ts';
import { change, create } from '../../table/writes.ts';
import { deletionSimulation, EMAIL } from '../../test/simulation/account-deletion.ts';
import { interruptAt } from '../../test/simulation/simulation.ts';
import { inEveryCell } from '../../test/support/cells.ts';
import { createKey, revokeKey, updateKey } from '../accounts/api-keys.ts';
import { inviteMember } from '../accounts/invitations.ts';
import { buyCredits } from '../ai/purchases.ts';
import { deleteApp, updateApp } from '../apps/apps.ts';
import { updateEnv } from '../apps/environment.ts';
import { currentPlans } from '../billing/plans.ts';
import { cancelSubscription, createSubscription } from '../billing/subscriptions.ts';
import { changedConcurrently } from '../conflict.ts';
import { removeCustomDomain, setCustomDomain } from '../custom-domains/set-remove.ts';
import { createDatabase } from '../databases/databases.ts';
import { createDeployment } from '../deployments/create.ts';
import type { Caller, Deps } from '../deps.ts';
import { addDnsRecord, deleteDnsRecord, replaceDnsRecord } from '../dns/records.ts';
import { updateDomain } from '../registrar/auto-renew.ts';
import { tldsOnSale } from '../registrar/tlds.ts';
import { createWebhook, deleteWebhook } from '../webhooks/endpoints.ts';
import { enableWebhook, pingWebhook, resendDelivery, rotateSecret, updateWebhook } from '../webhooks/management.ts';
import { cancelDeletion, requestDeletion } from './account-data/deletion.ts';
import { createApp } from './create-app.ts';
import { setSuspension } from './suspension.ts';

/**
 * Two requests at once, such as two tabs or a repetition: each operation is interrupted by each of its area before every call that it
 * makes. It is done, or it is refused for what is so: with the answer of one of the two orders, or with the request to repeat it.
 */

type Operation = (deps: Deps, caller: Caller) => Promise<unknown>;

const secrets = {
  seal: async (_: object, text: string) => ({ wrappedKey: 'k', iv: 'i', ciphertext: text }),
  unseal: async () => '{}',
};
const cells = inEveryCell({ edgeEndpoint: 'edge.example.net' });
const record = { id: 'dom_1', type: 'A', name: 'www', content: '192.0.2.2', ttl: 60, prio: 0 } as const;

const nothing: Operation = async () => {};
const askForDeletion: Operation = (deps, caller) => requestDeletion(deps, caller, { confirm: EMAIL });

const APPS: Record<string, Operation> = {
  createApp: (deps, caller) =>
    createApp({ ...deps, secrets, cells: async () => [] }, caller, {
      name: 'Store',
      framework: 'NODE',
      installCommand: 'npm ci',
      deployNow: false,
    }),
  updateApp: (deps, caller) => updateApp(deps, caller, { id: 'app_1', name: 'Other' }),
  updateEnv: (deps, caller) => updateEnv({ ...deps, secrets }, caller, { id: 'app_1', remove: ['A'] }),
  createDeployment: (deps, caller) => createDeployment(deps, caller, { id: 'app_1' }),
  createDatabase: (deps, caller) =>
    createDatabase({ ...deps, databaseRegion: 'eu-west-1' }, caller, { applicationId: 'app_1', name: 'orders' }),
  setCustomDomain: (deps, caller) =>
    setCustomDomain({ ...deps, ...cells }, caller, { id: 'app_1', domain: 'shop.example.com' }),
  removeCustomDomain: (deps, caller) => removeCustomDomain(deps, caller, { id: 'app_1' }),
  suspendApp: (deps, { accountId }) => setSuspension(deps, { accountId, applicationId: 'app_1', reason: 'Abuse' }),
  deleteApp: (deps, caller) => deleteApp(deps, caller, { id: 'app_1' }),
};

const keyOf = async ({ table }: Deps, accountId: string) => {
  const { items } = await table.list(ApiKey, apiKeysOf(accountId), { limit: 1, offset: 0 });
  return items[0]?.id ?? '';
};
const KEYS: Record<string, Operation> = {
  createKey: (deps, caller) =>
    createKey(deps, caller, { name: 'CI', scopes: ['read'], allowedOrigins: ['*'], expiresAt: null, aiBudget: null }),
  updateKey: async (deps, caller) =>
    updateKey(deps, caller, { id: await keyOf(deps, caller.accountId), name: 'Other', aiBudget: '10.00' }),
  revokeKey: async (deps, caller) => revokeKey(deps, caller, { id: await keyOf(deps, caller.accountId) }),
  inviteMember: (deps, caller) => inviteMember(deps, caller, { email: 'other@example.com', role: 'developer' }),
  requestDeletion: askForDeletion,
};

const WEBHOOKS: Record<string, Operation> = {
  createWebhook: (deps, caller) =>
    createWebhook({ ...deps, secrets }, caller, { url: 'https://b.example', events: ['*'], description: '' }),
  updateWebhook: (deps, caller) => updateWebhook(deps, caller, { id: 'whk_1', active: false }),
  enableWebhook: (deps, caller) => enableWebhook(deps, caller, { id: 'whk_1' }),
  pingWebhook: (deps, caller) => pingWebhook(deps, caller, { id: 'whk_1' }),
  rotateSecret: (deps, caller) => rotateSecret({ ...deps, secrets }, caller, { id: 'whk_1' }),
  resendDelivery: (deps, caller) => resendDelivery(deps, caller, { id: 'del_0' }),
  deleteWebhook: (deps, caller) => deleteWebhook(deps, caller, { id: 'whk_1' }),
};

const DOMAINS: Record<string, Operation> = {
  addDnsRecord: (deps, caller) => addDnsRecord(deps, caller, record),
  replaceDnsRecord: (deps, caller) => replaceDnsRecord(deps, caller, { ...record, recordId: 'rec_1' }),
  deleteDnsRecord: (deps, caller) => deleteDnsRecord(deps, caller, { id: 'dom_1', recordId: 'rec_1' }),
  updateDomain: (deps, caller) =>
    updateDomain({ ...deps, tlds: tldsOnSale(deps) }, caller, { id: 'dom_1', autoRenew: false }),
};

const MONEY: Record<string, Operation> = {
  buyCredits: (deps, caller) => buyCredits(deps, caller, { amount: '10.00' }),
  createSubscription: (deps, caller) =>
    createSubscription(
      { ...deps, plans: currentPlans(deps), txt: { at: async () => [] }, tlds: tldsOnSale(deps) },
      caller,
      {
        plan: 'email-basic',
        billingCycle: 'MONTHLY',
        hostingDomain: 'shop.co.za',
      },
    ),
  cancelSubscription: (deps, caller) => cancelSubscription(deps, caller, { id: 'sub_1' }),
  requestDeletion: askForDeletion,
};

const DELETION: Record<string, Operation> = { cancelDeletion, requestDeletion: askForDeletion };

/** An account whose application can be deployed and deleted. @param given what has happened before */
async function world(given: Operation) {
  const made = await deletionSimulation();
  const { deps, accountId, caller } = made;
  const host = 'shop.apps.example.com';
  await deps.table.transact([
    change(App, { accountId, id: 'app_1' }, { set: { repoUrl: 'https://github.com/you/shop.git', hosts: [host] } }),
    create(Host, { host, accountId, applicationId: 'app_1' }),
  ]);
  await given(deps, caller);
  return made;
}

/** Returns what an operation answers: the refusal that the caller reads, or any other error in full. */
const refusalOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof ApiError && error.status < 500 ? error.message : String(error)),
  );

/** Performs two operations in turn and returns what the second one answers. */
async function inTurn(given: Operation, first: Operation, second: Operation): Promise<string> {
  const { deps, caller } = await world(given);
  await refusalOf(first(deps, caller));
  return await refusalOf(second(deps, caller));
}

type World = Awaited<ReturnType<typeof world>>;

/**
 * Interrupts an operation before each call that it makes.
 * @param look at what has come of it each time
 */
async function interruptEverywhere(
  given: Operation,
  operation: Operation,
  interruption: (made: World) => Promise<unknown>,
  look: (made: World, answer: string) => void,
): Promise<void> {
  for (let step = 1; ; step += 1) {
    const made = await world(given);
    let interrupted = false;
    const interrupt = async () => {
      interrupted = true;
      await interruption(made);
    };
    const { deps } = made.startProcess({ faults: interruptAt(step, interrupt) });
    const answer = await refusalOf(operation(deps, made.caller));
    if (!interrupted) return;
    look(made, answer);
  }
}

test.each<[string, Record<string, Operation>, Operation]>([
  ['applications', APPS, nothing],
  ['keys', KEYS, nothing],
  ['webhooks', WEBHOOKS, nothing],
  ['domains', DOMAINS, nothing],
  ['money', MONEY, nothing],
  ['deletion', DELETION, askForDeletion],
])('%s: a request that another interrupts is answered as before or after it', async (_, operations, given) => {
  const wrong: string[] = [];
  for (const [name, operation] of Object.entries(operations))
    for (const [by, interruption] of Object.entries(operations)) {
      const serial = [await inTurn(given, nothing, operation), await inTurn(given, interruption, operation)];
      const expected = new Set([...serial, changedConcurrently().message]);
      const interrupt = ({ deps, caller }: World) => refusalOf(interruption(deps, caller));
      await interruptEverywhere(given, operation, interrupt, (_made, answer) => {
        if (!expected.has(answer)) wrong.push(`${name}, ${by}: ${answer}`);
      });
    }
  expect(wrong).toEqual([]);
});

const ofOneApp = Object.entries(APPS).filter(([name]) => name !== 'createApp');
const expectNothingLeft = ({ memory }: World) => {
  const left = ['APP', 'ENV', 'DATABASE', 'DEPLOYMENT', 'HOST', 'HOST_CLAIM'].flatMap((type) => memory.items(type));
  expect(left).toEqual([]);
};

test.each(ofOneApp)(
  '%s beside the deletion and the teardown of the application leaves nothing of it',
  async (_, operation) => {
    const remove = async ({ deps, caller, teardown }: World) => {
      await refusalOf(deleteApp(deps, caller, { id: 'app_1' }));
      await teardown();
    };
    await interruptEverywhere(nothing, operation, remove, expectNothingLeft);
  },
);

// The simulation has no databases to remove.
const withoutDatabase = ofOneApp.filter(([name]) => name !== 'createDatabase');
test.each(withoutDatabase)(
  'the deletion of an application that %s interrupts leaves nothing of it',
  async (_, operation) => {
    const worlds: World[] = [];
    const remove: Operation = (deps, caller) => deleteApp(deps, caller, { id: 'app_1' });
    const interrupt = ({ deps, caller }: World) => refusalOf(operation(deps, caller));
    await interruptEverywhere(nothing, remove, interrupt, (made) => worlds.push(made));
    for (const made of worlds) {
      await made.teardown();
      expectNothingLeft(made);
    }
  },
);

test.each(ofOneApp)('%s changes nothing of an application once its deletion is answered', async (_, operation) => {
  const stateOf = ({ memory }: World) =>
    ['APP', 'ENV', 'DATABASE', 'DEPLOYMENT', 'HOST', 'HOST_CLAIM', 'EVENT', 'ACCOUNT', 'DAILY_USAGE'].map((type) =>
      structuredClone(memory.items(type)),
    );
  let deleted: unknown;
  const remove = async (made: World) => {
    await deleteApp(made.deps, made.caller, { id: 'app_1' });
    deleted = stateOf(made);
  };
  await interruptEverywhere(nothing, operation, remove, (made) => expect(stateOf(made)).toEqual(deleted));
});
