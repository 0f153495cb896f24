import { expect } from 'vitest';
import { accountQueue, setSuspension } from '../../domain/processes/suspension.ts';
import { sweep } from '../../domain/sweep/sweep.ts';
import { accountRules } from '../../events/accounts.ts';
import { consume } from '../../events/consume.ts';
import { Account, ApiKey, Credential, Login } from '../../table/entities/accounts.ts';
import { App } from '../../table/entities/apps.ts';
import { Webhook } from '../../table/entities/webhooks.ts';
import { change, create } from '../../table/writes.ts';
import { simulatedApp } from './app.ts';
import { billingSimulation } from './billing.ts';
import type { SimulationOptions } from './simulation.ts';

const DAY = 24 * 3600_000;

/** An account with keys, logins, applications and a webhook endpoint, and the stream and schedule that look after it. */
export async function accountSimulation({ appLimit = 10, ...options }: SimulationOptions & { appLimit?: number } = {}) {
  const simulated = billingSimulation(options);
  const { deps, memory, clock } = simulated;
  const accountId = await simulated.open(0, appLimit);
  const stream = consume(accountRules(deps));
  let at = 0;
  /** The stream delivers all changes, and what follows from them. */
  const flow = async () => {
    while (at < memory.records.length) {
      const Records = memory.records.slice(at);
      at = memory.records.length;
      await stream({ Records });
    }
  };
  let apps = 0;
  const addApp = async () => {
    apps += 1;
    const id = deps.newId('app');
    const app = simulatedApp({
      id,
      accountId,
      name: `App ${apps}`,
      slug: id,
      primaryDomain: id,
    });
    await deps.table.transact([
      create(App, app),
      change(Account, { id: accountId }, { add: { appCount: 1 } }, () => new Error('no account')),
    ]);
    return id;
  };
  const addKey = async ({ revokedAt = null }: { revokedAt?: string | null } = {}) => {
    const id = deps.newId('key');
    const hashes = { secret: `${id}-s`, public: `${id}-p` };
    const common = { accountId, allowedOrigins: ['*'], expiresAt: null, revokedAt };
    await deps.table.transact([
      create(ApiKey, { ...common, id, name: 'k', scopes: [], createdAt: '', publicKey: 'pk', hashes }),
      ...(['secret', 'public'] as const).map((kind) =>
        create(Credential, { ...common, hash: hashes[kind], keyId: id, kind, scopes: [], lastUsedAt: null }),
      ),
    ]);
    return hashes;
  };
  const addLogin = async (subject: string) => {
    await deps.table.transact([
      create(Login, { subject, accountId, listed: true }),
      change(Account, { id: accountId }, { append: { logins: [subject] } }),
    ]);
  };
  const addWebhook = async () => {
    const id = deps.newId('whk');
    const secret = { wrappedKey: '', iv: '', ciphertext: '' };
    const more = { active: true, failureCount: 0, disabledAt: null, secret, createdAt: '' };
    await deps.table.transact([
      create(Webhook, { id, accountId, url: 'https://a.example', description: '', events: ['*'], ...more }),
    ]);
  };
  const stored = () => memory.items('APP').map((item) => App.parse(item));
  return {
    ...simulated,
    accountId,
    flow,
    addApp,
    addKey,
    addLogin,
    addWebhook,
    suspend: (reason: string | null, applicationId?: string) =>
      setSuspension(deps, { accountId, reason, ...(applicationId ? { applicationId } : {}) }),
    sweepAt: async (days: number) => {
      clock.now += days * DAY;
      const { failed } = await sweep(deps, accountQueue);
      expect(failed).toEqual([]);
      await flow();
    },
    setLimit: (limit: number) =>
      deps.table.transact([change(Account, { id: accountId }, { set: { 'plan.appLimit': limit } })]),
    account: async () => Account.parse(memory.items('ACCOUNT')[0]),
    apps: stored,
    statuses: () => stored().map(({ status }) => status),
    marks: () => [
      ...memory.items('CREDENTIAL').map(({ suspended }) => suspended),
      ...memory.items('LOGIN').map(({ suspended }) => suspended),
      ...memory.items('WEBHOOK').map(({ heldSince }) => heldSince !== undefined),
    ],
    events: () => memory.items('EVENT').map(({ type }) => type),
  };
}
