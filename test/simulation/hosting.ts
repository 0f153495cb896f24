import { newAccount } from '../../domain/hosting/new-account.ts';
import { setServer } from '../../domain/hosting/servers.ts';
import {
  type NewPanelAccount,
  type Panel,
  type PanelAccount,
  PanelFailure,
  type PanelServer,
} from '../../providers/hosting-panel/panel.ts';
import { Subscription } from '../../table/entities/billing.ts';
import { HostingAccount } from '../../table/entities/hosting.ts';
import { create } from '../../table/writes.ts';
import { newSimulatedAccount } from './account.ts';
import { type FaultPlan, noFaults, simulation } from './simulation.ts';

/** Hosting servers that host a domain once, and the subscriptions of one account. */
export async function hostingSimulation() {
  const { clock, memory, startProcess } = simulation();
  /** Accounts by server (the host name of its panel) and name. */
  const servers = new Map<string, Map<string, PanelAccount>>();
  const state = { isBroken: false };
  const on = ({ baseUrl }: PanelServer): Map<string, PanelAccount> => {
    if (state.isBroken) throw new PanelFailure('timeout', 'no response');
    const accounts = servers.get(baseUrl) ?? new Map<string, PanelAccount>();
    servers.set(baseUrl, accounts);
    return accounts;
  };
  const setStatus = (server: PanelServer, username: string, status: PanelAccount['status']) => {
    const account = on(server).get(username);
    if (account) on(server).set(username, { ...account, status });
  };
  const panel: Panel = {
    find: async (server, username) => on(server).get(username),
    read: async (server, username) => on(server).get(username),
    async create(server, { username, domain, plan }: NewPanelAccount) {
      const accounts = on(server);
      if (accounts.has(username) || [...accounts.values()].some((each) => each.domain === domain))
        throw new PanelFailure('refused', `${domain} already exists`);
      accounts.set(username, { domain, plan, status: 'ACTIVE', usage: {}, mailboxes: [] });
    },
    routeMail: async (server) => void on(server),
    async changePlan(server, username, plan) {
      const account = on(server).get(username);
      if (account) on(server).set(username, { ...account, plan });
    },
    suspend: async (server, username) => setStatus(server, username, 'SUSPENDED'),
    unsuspend: async (server, username) => setStatus(server, username, 'ACTIVE'),
    remove: async (server, username) => void on(server).delete(username),
    createSession: async (server, username, domain) =>
      on(server).get(username)?.domain === domain
        ? { url: `${server.baseUrl}/${username}`, expiresAt: clock.now + 900_000 }
        : undefined,
  };
  const secrets = {
    seal: async (_: object, text: string) => ({ wrappedKey: 'k', iv: 'i', ciphertext: text }),
    unseal: async (_: object, { ciphertext }: { ciphertext: string }) => ciphertext,
  };
  /** Starts a process with a panel whose calls faults can hit. */
  const startReconciler = (faults: FaultPlan = noFaults) => {
    const process = startProcess({ faults });
    return { ...process.deps, secrets, panel: process.port('panel', panel), txt: { at: async () => [] } };
  };
  const deps = startReconciler();
  await deps.table.transact([newSimulatedAccount('acc_1')]);
  return {
    clock,
    memory,
    deps,
    servers,
    state,
    startReconciler,
    /** Sets a server up, or opens or closes it. */
    set: (name: string, open: boolean) =>
      setServer(deps, { name, baseUrl: `https://${name}.example.net:2087`, user: 'root', token: 'token', open }),
    /** Writes a subscription as a purchase does. @param options.isEarlier true for a purchase of an earlier version, which wrote no account */
    async subscribe(more: Partial<Subscription> = {}, { isEarlier = false } = {}): Promise<Subscription> {
      const subscription: Subscription = {
        id: deps.newId('sub'),
        accountId: 'acc_1',
        billingCycle: 'MONTHLY',
        priceCents: 4900,
        status: 'ACTIVE',
        plan: { slug: 'web-starter', name: 'Web Starter', category: 'WEB' },
        currentPeriodEnd: '2027-01-01T00:00:00.000Z',
        createdAt: deps.now().toISOString(),
        cancelledAt: null,
        hostingDomain: `${deps.newId('shop').replace('_', '-')}.example.com`,
        ...more,
      };
      const account = isEarlier ? [] : [create(HostingAccount, newAccount(deps, subscription))];
      await deps.table.transact([create(Subscription, subscription), ...account]);
      return subscription;
    },
  };
}
