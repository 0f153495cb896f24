import { reconcileTenant } from '../../domain/custom-domains/edge-tenant.ts';
import type { CheckResult } from '../../domain/custom-domains/edge-tenant-state.ts';
import { newTenant } from '../../domain/custom-domains/reconciliation.ts';
import type { DnsTarget } from '../../providers/dns/targets.ts';
import type { Certificate, DistributionTenants, Tenant } from '../../providers/edge/tenants.ts';
import { App, type CustomDomain, Host } from '../../table/entities/apps.ts';
import { DistributionTenant } from '../../table/entities/custom-domains.ts';
import { create } from '../../table/writes.ts';
import { inEveryCell } from '../support/cells.ts';
import { simulatedApp } from './app.ts';
import { type FaultPlan, noFaults, simulation } from './simulation.ts';

export const HOST = 'shop.mine.co.za';
export const ADDRESS = 'd111.cloudfront.net';
const OF = { accountId: 'acc_1', id: 'app_1' };
const TOKEN = 'a'.repeat(40);
export const KEYS = { host: HOST, token: TOKEN };

const DEPLOY = 60_000;
const ISSUE = 120_000;

type StoredTenant = Tenant & { host: string; name: string; changedAt: number; askedAt: number | undefined };

/** An edge that behaves as CloudFront does. */
function edgeOf(clock: { now: number }) {
  const tenants: StoredTenant[] = [];
  const edge = {
    pointsHere: true,
    taken: false,
    certificate: 'ISSUED' as Certificate['status'],
    asked: 0,
    tenants,
    /** Deletes the certificates that tenants do not use yet, as operators can in ACM. */
    deleteUnusedCertificates() {
      for (const tenant of tenants) if (!tenant.certificate) tenant.askedAt = undefined;
    },
  };
  const changed = (tenant: Tenant, change: Partial<StoredTenant>) => {
    const kept = tenants.find(({ id, version }) => id === tenant.id && version === tenant.version);
    if (!kept) throw Object.assign(new Error('changed meanwhile'), { name: 'PreconditionFailed' });
    Object.assign(kept, change, { changedAt: clock.now, version: `${Number(kept.version) + 1}` });
  };
  const deployed = ({ changedAt }: StoredTenant) => clock.now - changedAt >= DEPLOY;
  const stub: DistributionTenants = {
    async create(name, host) {
      if (!edge.pointsHere) return 'ELSEWHERE';
      const there = tenants.find((each) => each.host === host);
      if (edge.taken || there) return there?.name === name ? 'MADE' : 'TAKEN';
      const settings = { enabled: true, deployed: false, active: false, certificate: undefined };
      edge.asked += 1;
      tenants.push({ ...settings, id: name, name, host, version: '1', changedAt: clock.now, askedAt: clock.now });
      return 'MADE';
    },
    async find(name) {
      const kept = tenants.find((each) => each.name === name);
      if (!kept) return undefined;
      return { ...kept, deployed: deployed(kept), active: deployed(kept) && kept.enabled && Boolean(kept.certificate) };
    },
    async certificate(name) {
      const kept = tenants.find((each) => each.name === name);
      if (kept?.askedAt === undefined) return undefined;
      const status = clock.now - kept.askedAt < ISSUE ? 'PENDING' : edge.certificate;
      return { status, arn: `arn:${kept.askedAt}` };
    },
    async attachCertificate(tenant, _, certificate) {
      changed(tenant, { certificate });
    },
    async reissueCertificate(tenant) {
      if (!edge.pointsHere) return 'ELSEWHERE';
      edge.asked += 1;
      changed(tenant, { askedAt: clock.now });
      return 'MADE';
    },
    async disable(tenant) {
      changed(tenant, { enabled: false });
    },
    async remove(tenant) {
      const at = tenants.findIndex(({ id }) => id === tenant.id);
      const kept = tenants[at];
      if (kept && (kept.enabled || !deployed(kept))) return false;
      if (kept) tenants.splice(at, 1);
      return true;
    },
  };
  return { edge, tenants: stub };
}

/** A verified custom domain with its tenant at the edge, and checks that can crash at every step. */
export async function edgeTenantSimulation(host = HOST) {
  const keys = { ...KEYS, host };
  const { memory, clock, steady, startProcess } = simulation();
  const { deps } = steady;
  const { edge, tenants } = edgeOf(clock);
  const routes = new Set([host]);
  const dnsTarget: { current: () => DnsTarget } = {
    current: () => ({ alias: ADDRESS, addresses: [], apex: false }),
  };
  const hostRoutes = {
    point: async () => undefined,
    pointIfUnset: async (hosts: readonly string[]) => {
      for (const host of hosts) routes.add(host);
    },
    suspend: async () => undefined,
    resume: async () => undefined,
    remove: async (hosts: readonly string[]) => {
      for (const host of hosts) routes.delete(host);
    },
  };
  const customDomain: CustomDomain = { ...keys, status: 'VERIFIED', claimedAt: '', checkedAt: null };
  await deps.table.transact([
    create(Host, { host, accountId: OF.accountId, applicationId: OF.id }),
    create(App, simulatedApp({ ...OF, hosts: [`app-1.${ADDRESS}`], customDomain })),
    newTenant(deps, OF, customDomain),
  ]);

  /** Checks the tenant once, in a process of its own. */
  async function check(faults: FaultPlan = noFaults): Promise<CheckResult> {
    const { deps: own, port } = startProcess({ faults });
    const given = {
      ...own,
      ...inEveryCell({
        edgeEndpoint: ADDRESS,
        hostRoutes: port('hostRoutes', hostRoutes),
        edgeTenants: port('tenants', tenants),
      }),
      dnsResolver: port('dns', { resolve: async () => dnsTarget.current() }),
    };
    return await reconcileTenant(given, keys);
  }
  const read = () => deps.table.get(DistributionTenant, { host });

  /**
   * Lets time pass as the state machine and the reconciler do, until a condition holds.
   * @returns the number of checks, or infinity where the time was over before
   */
  async function checkUntil(
    isDone: (tenant: DistributionTenant | undefined) => boolean,
    withinMs = 86_400_000,
  ): Promise<number> {
    const end = clock.now + withinMs;
    if (isDone(await read())) return 0;
    for (let checks = 1; clock.now <= end; checks += 1) {
      const { done, waitSeconds } = await check().catch(() => ({ done: false, waitSeconds: 5 }));
      const next = await read();
      if (isDone(next)) return checks;
      clock.now = done && next ? Math.max(clock.now + 1000, Date.parse(next.dueAt)) : clock.now + waitSeconds * 1000;
    }
    return Number.POSITIVE_INFINITY;
  }
  const claims = () => memory.items('HOST').length;
  return { deps, clock, edge, routes, dnsTarget, check, read, checkUntil, claims };
}
