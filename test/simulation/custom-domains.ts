import { newDoor } from '../../domain/door-keeping.ts';
import type { Look } from '../../domain/door-state.ts';
import { lookAtDoor } from '../../domain/doors.ts';
import type { Lead } from '../../providers/dns/targets.ts';
import type { Certificate, Doors, Tenant } from '../../providers/edge/tenants.ts';
import { Door } from '../../table/entities/custom-domains.ts';
import { type CustomDomain, Host } from '../../table/entities.ts';
import { create } from '../../table/writes.ts';
import { billingWorld } from './billing.ts';

export const HOST = 'shop.mine.co.za';
export const ADDRESS = 'd111.cloudfront.net';
const OF = { accountId: 'acc_1', id: 'app_1' };
const TOKEN = 'a'.repeat(40);
export const KEYS = { host: HOST, token: TOKEN };

const DEPLOY = 60_000;
const ISSUE = 120_000;

type Kept = Tenant & { host: string; name: string; changedAt: number; askedAt: number };

/** An edge that behaves as CloudFront does, by a clock that is set by hand. */
function edgeOf(clock: { now: number }) {
  const tenants: Kept[] = [];
  const edge = { leadsHere: true, taken: false, certificate: 'ISSUED' as Certificate['status'], asked: 0, tenants };
  const changed = (tenant: Tenant, change: Partial<Kept>) => {
    const kept = tenants.find(({ id, version }) => id === tenant.id && version === tenant.version);
    if (!kept) throw Object.assign(new Error('changed meanwhile'), { name: 'PreconditionFailed' });
    Object.assign(kept, change, { changedAt: clock.now, version: `${Number(kept.version) + 1}` });
  };
  const deployed = ({ changedAt }: Kept) => clock.now - changedAt >= DEPLOY;
  const doors: Doors = {
    async make(name, host) {
      if (!edge.leadsHere) return 'ELSEWHERE';
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
      if (!kept) return undefined;
      const status = clock.now - kept.askedAt < ISSUE ? 'PENDING' : edge.certificate;
      return { status, arn: `arn:${kept.askedAt}` };
    },
    async use(tenant, _, certificate) {
      changed(tenant, { certificate });
    },
    async askAgain(tenant) {
      if (!edge.leadsHere) return 'ELSEWHERE';
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
  return { edge, doors };
}

/** Called before and after everything that a look does outside of itself; what it throws is its end. */
type Watch = (when: 'before' | 'after') => Promise<void> | void;

/** A door with everything around it, and looks at it that can be watched and ended at every step. */
export async function doorWorld() {
  const { deps, clock, memory } = billingWorld((send) => send);
  const { edge, doors } = edgeOf(clock);
  const routes = new Set([HOST]);
  const lead: { say: () => Lead } = { say: () => ({ alias: ADDRESS, addresses: [], apex: false }) };
  const outside = {
    doors,
    leads: { of: async () => lead.say() },
    hostRoutes: {
      point: async () => undefined,
      open: async () => undefined,
      remove: async (hosts: readonly string[]) => {
        for (const host of hosts) routes.delete(host);
      },
    },
  };
  const customDomain: CustomDomain = { ...KEYS, status: 'VERIFIED', claimedAt: '', checkedAt: null };
  await deps.table.transact([
    create(Host, { host: HOST, accountId: OF.accountId, applicationId: OF.id }),
    newDoor(deps, OF, customDomain),
  ]);

  /** One look; of a watched one every call to the outside is watched. */
  async function look(watch: Watch = () => undefined): Promise<Look> {
    const watched = <T extends object>(all: T): T =>
      new Proxy(all, {
        get: (target, name) => {
          const member: unknown = Reflect.get(target, name);
          if (typeof member !== 'function') return member;
          return async (...args: unknown[]) => {
            await watch('before');
            const answer: unknown = await member.apply(target, args);
            await watch('after');
            return answer;
          };
        },
      });
    const given = {
      ...{ ...deps, table: watched(deps.table), doorAddress: ADDRESS },
      ...{ doors: watched(outside.doors), leads: watched(outside.leads), hostRoutes: watched(outside.hostRoutes) },
    };
    return await lookAtDoor(given, KEYS);
  }
  const read = () => deps.table.get(Door, { host: HOST });

  /** Lets time pass as the state machine and the reconciler do, until it is so. @returns how many looks it took */
  async function goOn(until: (door: Door | undefined) => boolean, milliseconds = 86_400_000): Promise<number> {
    const end = clock.now + milliseconds;
    if (until(await read())) return 0;
    for (let looks = 1; clock.now <= end; looks += 1) {
      const { done, waitSeconds } = await look().catch(() => ({ done: false, waitSeconds: 5 }));
      const next = await read();
      if (until(next)) return looks;
      clock.now = done && next ? Math.max(clock.now + 1000, Date.parse(next.lookAt)) : clock.now + waitSeconds * 1000;
    }
    return Number.POSITIVE_INFINITY;
  }
  const claims = () => memory.items('HOST').length;
  return { deps, clock, edge, routes, lead, look, read, goOn, claims };
}
