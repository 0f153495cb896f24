import { countAt } from '../../domain/accounts/rate-limit.ts';
import { closeWindowsOf } from '../../domain/ai/closing.ts';
import { hold } from '../../domain/ai/credits.ts';
import { addCredits, newCreditEntry } from '../../domain/ai/entries.ts';
import { settle } from '../../domain/ai/settlement.ts';
import { HOME_CELL } from '../../domain/apps/cells.ts';
import { createRouteWriter } from '../../domain/apps/route-writer.ts';
import { issueInvoice } from '../../domain/billing/invoices.ts';
import { addVat } from '../../domain/billing/money.ts';
import { readNothing, withWallet } from '../../domain/billing/wallet.ts';
import { clearNextBuild, enqueueBuild } from '../../domain/deployments/build-queue.ts';
import { newDeployment } from '../../domain/deployments/deployment.ts';
import { succeedDeployment } from '../../domain/deployments/finish.ts';
import { requestAdmission } from '../../domain/deployments/release-queue.ts';
import { admitAfter, admitBuild } from '../../domain/deployments/scheduler.ts';
import { addDnsRecord } from '../../domain/dns/records.ts';
import { Credential } from '../../table/entities/accounts.ts';
import { Deployment } from '../../table/entities/deployments.ts';
import { Zone } from '../../table/entities/dns.ts';
import { Domain } from '../../table/entities/registrar.ts';
import { change, create } from '../../table/writes.ts';
import { billingSimulation } from '../../test/simulation/billing.ts';
import { deploymentSimulation } from '../../test/simulation/deployments.ts';
import { simulatedDomain } from '../../test/simulation/domains.ts';
import { registrarSimulation } from '../../test/simulation/registrar.ts';
import { simulation } from '../../test/simulation/simulation.ts';
import { webhookSimulation } from '../../test/simulation/webhooks.ts';
import type { MemoryTable } from '../../test/support/memory-table.ts';

/**
 * Operations of customers. They run the real domain functions on a table in memory that counts capacity by physical partition key.
 * Each operation includes the work that follows from it: the scheduler, the sweep, the deliveries.
 */

/** A simulation in which one operation can be repeated. */
export interface Workload {
  memory: MemoryTable;
  /** Runs the operation a number of times, sequentially. */
  repeat(times: number): Promise<void>;
}

const accountId = 'acc_1';
const RAND = 1_000_000;

const times = async (count: number, work: (index: number) => Promise<unknown>): Promise<void> => {
  for (let index = 0; index < count; index += 1) await work(index);
};

/** The write to its credential with which every request of a key begins (runtime/http/rate-limit.ts). */
async function apiRequest(): Promise<Workload> {
  const { memory, clock, steady } = simulation();
  const common = { accountId, allowedOrigins: ['*'], expiresAt: null, revokedAt: null, lastUsedAt: null };
  const credential = { ...common, hash: 'a'.repeat(64), keyId: 'key_1', kind: 'secret' as const, scopes: [] };
  await steady.deps.table.transact([create(Credential, credential)]);
  const count = async () => {
    const now = steady.deps.now();
    const old = Object.keys(countAt(new Date(now.getTime() - 65_000)));
    const update = { add: countAt(now), remove: old };
    await steady.deps.table.updateReturningChanged(change(Credential, credential, update));
    clock.now += 1000;
  };
  await times(61, count);
  return { memory, repeat: (count_) => times(count_, count) };
}

async function webhookEvent(): Promise<Workload> {
  const world = webhookSimulation();
  await world.openAccount();
  await world.endpoint('receiver');
  return {
    memory: world.memory,
    async repeat(count) {
      await times(count, (index) => world.event(`app_${index}`));
      await world.runUntilIdle();
    },
  };
}

async function aiCall(): Promise<Workload> {
  const { memory, clock, steady } = simulation();
  const { deps } = steady;
  await deps.table.transact(addCredits(newCreditEntry(deps, accountId, 'PURCHASE', 1000 * RAND)));
  const used = {
    inputTokens: 1000,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: 300,
    requestId: 'req_1',
    model: 'openai/gpt-5',
    price: null,
    estimated: false,
    keyId: 'key_1',
  };
  return {
    memory,
    async repeat(count) {
      await times(count, async () => {
        const held = await hold(deps, { accountId, keyId: 'key_1' }, 'openai', RAND);
        await settle(deps, held, RAND / 100, used);
      });
      for (let minute = 0; minute < 26; minute += 1) {
        clock.now += 60_000;
        await closeWindowsOf(deps, accountId);
      }
    },
  };
}

async function deployment(): Promise<Workload> {
  const { memory, deps, clock, ids } = await deploymentSimulation();
  const store = { version: async () => '1', update: async (_: string, changes: readonly object[]) => changes.length };
  const routes = createRouteWriter(deps, HOME_CELL, store);
  const find = async (id: string): Promise<Deployment> => {
    const found = await deps.table.get(Deployment, { accountId, id });
    if (!found) throw new Error(`${id} is gone`);
    return found;
  };
  return {
    memory,
    repeat: (count) =>
      times(count, async () => {
        const made = newDeployment(deps, ids, 'API');
        await deps.table.transact([made.write, ...enqueueBuild(deps, { ...ids, id: made.id })]);
        await admitBuild(deps, ids.accountId);
        await clearNextBuild(deps, made.id);
        await admitBuild(deps);
        clock.now += 60_000;
        await requestAdmission(deps, HOME_CELL, await find(made.id));
        await routes.point(
          ['app.apps.example.com'],
          `function.lambda-url.us-east-1.on.aws 1-${made.id}`,
          ids.applicationId,
        );
        await succeedDeployment(deps, { ...ids, deploymentId: made.id });
        await admitAfter(deps, await find(made.id));
      }),
  };
}

async function invoice(): Promise<Workload> {
  const { memory, deps, open } = billingSimulation({});
  const id = await open(100_000_00);
  const line = { description: 'A month', ...addVat(100) };
  return {
    memory,
    repeat: (count) =>
      times(count, () =>
        withWallet(deps, id, readNothing, async (wallet) => {
          issueInvoice(deps, wallet, { kind: 'PLAN', lines: [line] });
          await deps.commit(wallet.writes(), undefined);
        }),
      ),
  };
}

async function domainOrder(): Promise<Workload> {
  const never = () => false;
  const faults = { crashRate: 0, lossRate: 0, refuses: never, registeredByOthers: never, takesMs: () => 60_000 };
  // Deterministic, so that the simulation makes the same choices in every run.
  let drawn = 0;
  const random = () => {
    drawn = (drawn + 0.37) % 1;
    return drawn;
  };
  const world = registrarSimulation({ ...faults, random });
  const id = await world.open(100_000_00);
  let ordered = 0;
  return {
    memory: world.memory,
    repeat: (count) =>
      times(count, async () => {
        ordered += 1;
        await world.order(id, `shop-${ordered}.co.za`);
        await world.pay(id);
        await world.runUntilIdle();
      }),
  };
}

async function dnsChange(): Promise<Workload> {
  const { memory, steady } = simulation();
  const { deps } = steady;
  const fields = ['name', 'email', 'contactNumber', 'address1', 'city', 'province', 'postalCode', 'country'];
  const owner = Object.fromEntries(fields.map((field) => [field, 'x'.repeat(20)])) as Domain['owner'];
  const about = { accountId, name: 'shop.co.za', createdAt: deps.now().toISOString() };
  const domain = simulatedDomain({ ...about, id: 'dom_1', owner });
  const zone = { accountId, domainId: 'dom_1', name: 'shop.co.za', version: 0, mirrored: 0, hostedZoneId: 'Z' };
  await deps.table.transact([create(Domain, domain), create(Zone, zone)]);
  const caller = { accountId, keyId: 'key_1' };
  let added = 0;
  return {
    memory,
    repeat: (count) =>
      times(count, async () => {
        added += 1;
        const record = { type: 'A' as const, name: `n${added}`, content: '192.0.2.1', ttl: 300 };
        await addDnsRecord(deps, caller, { id: 'dom_1', ...record });
      }),
  };
}

export const OPERATIONS = {
  'API request': apiRequest,
  'webhook event to one endpoint': webhookEvent,
  'AI call on credits': aiCall,
  deployment,
  'invoice paid from the wallet': invoice,
  'domain order': domainOrder,
  'change of a DNS record': dnsChange,
} as const satisfies Record<string, () => Promise<Workload>>;

export type OperationName = keyof typeof OPERATIONS;
