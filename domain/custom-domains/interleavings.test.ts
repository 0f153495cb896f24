import { describe, expect, test } from 'vitest';
import { ApiError } from '../../contract/errors.ts';
import { consume } from '../../events/consume.ts';
import { customDomainRules } from '../../events/custom-domains.ts';
import type { DnsResolver } from '../../providers/dns/targets.ts';
import type { TxtRecords } from '../../providers/dns/txt-records.ts';
import type { DistributionTenants } from '../../providers/edge/tenants.ts';
import { App, Host } from '../../table/entities/apps.ts';
import { DistributionTenant, HostClaim } from '../../table/entities/custom-domains.ts';
import { create } from '../../table/writes.ts';
import { newSimulatedAccount } from '../../test/simulation/account.ts';
import { simulatedApp } from '../../test/simulation/app.ts';
import { immediateStore, simulatedRoutes } from '../../test/simulation/routes.ts';
import { interruptEach, noFaults, type ProcessOptions, simulation } from '../../test/simulation/simulation.ts';
import { inEveryCell } from '../../test/support/cells.ts';
import { deleteApp } from '../apps/apps.ts';
import { ConcurrentUpdateError, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { performJob } from '../processes/jobs.ts';
import { ROUTE_JOBS } from '../processes/route-jobs.ts';
import { teardownApp } from '../processes/teardown.ts';
import { reconcileTenant } from './edge-tenant.ts';
import { verifyAgain } from './ownership.ts';
import { removeCustomDomain, setCustomDomain } from './set-remove.ts';
import { checkCustomDomain } from './verify.ts';

/** Each operation on a host that two accounts claim, interrupted before each of its requests by each other operation. */

const HOST = 'shop.mine.co.za';
const EDGE = 'd111.cloudfront.net';
const [A, B] = ['app_a', 'app_b'] as const;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const addressOf = (id: string) => `${id}.apps.example.com`;
const nothing = async () => undefined;

/** An edge that does at once what it is asked for. */
function immediateEdge() {
  const hosts = new Map<string, { host: string; enabled: boolean }>();
  const edgeTenants: DistributionTenants = {
    create: async (name, host) => {
      if ([...hosts].some(([other, tenant]) => other !== name && tenant.host === host)) return 'TAKEN';
      hosts.set(name, { host, enabled: true });
      return 'MADE';
    },
    find: async (name) => {
      const found = hosts.get(name);
      return found && { id: name, version: '1', deployed: true, active: true, certificate: 'arn', ...found };
    },
    certificate: async () => ({ status: 'ISSUED', arn: 'arn' }),
    attachCertificate: nothing,
    reissueCertificate: async () => 'MADE',
    disable: async ({ id }, host) => void (hosts.has(id) && hosts.set(id, { host, enabled: false })),
    remove: async ({ id }) => hosts.delete(id),
  };
  return { edgeTenants, tenants: () => [...hosts.keys()] };
}

/** A process with everything that custom domains use. */
type Process = Deps & ReturnType<typeof inEveryCell> & { txt: TxtRecords; dnsResolver: DnsResolver };

async function world() {
  const { memory, clock, startProcess } = simulation();
  const { edgeTenants, tenants } = immediateEdge();
  const { store, entries } = immediateStore();
  // The writer's own calls are interrupted in domain/processes/route-interleavings.test.ts.
  const hostRoutes = simulatedRoutes(startProcess({ faults: noFaults }).deps, store, clock);
  const texts: string[] = [];
  function process(options?: ProcessOptions): Process {
    const { deps, port } = startProcess(options);
    const providers = inEveryCell({
      edgeEndpoint: EDGE,
      hostRoutes: port('routes', hostRoutes),
      edgeTenants: port('edge', edgeTenants),
      appHost: { remove: nothing },
      appLogs: { remove: nothing },
    });
    const txt = port('txt', { at: async () => [...texts] });
    const dnsResolver = { resolve: async () => ({ alias: EDGE, addresses: [], apex: false }) };
    return { ...deps, ...providers, txt, dnsResolver };
  }
  const steady = process({ faults: noFaults });
  await steady.table.transact(
    [A, B].flatMap((id) => [
      newSimulatedAccount(id),
      create(App, simulatedApp({ id, accountId: id, primaryDomain: addressOf(id), hosts: [addressOf(id)] })),
      create(Host, { host: addressOf(id), accountId: id, applicationId: id }),
    ]),
  );
  const apps = () => memory.items(App.type).map((item) => App.parse(item));
  const domainOf = (id: string) => apps().find((app) => app.id === id && app.status !== 'DELETING')?.customDomain;
  let read = 0;
  return {
    memory,
    clock,
    texts,
    process,
    steady,
    tenants,
    entries,
    apps,
    domainOf,
    isProven: (id: string) => texts.includes(domainOf(id)?.token ?? '-'),
    /** Reads the stream to its end, and performs the jobs that it hands over. Each tenant is checked until it serves or is gone. */
    follow: async (by: Process) => {
      const routes = {
        send: async (jobs: Parameters<typeof performJob>[2][]) => {
          for (const job of jobs) await performJob(ROUTE_JOBS, { ...by, deployments: {} } as never, job, nothing);
        },
      };
      const readStream = consume(customDomainRules({ ...by, jobs: { routes, workflows: { send: nothing } } } as never));
      for (; read < memory.records.length; read += 1) await readStream({ Records: [memory.records[read] as never] });
      for (const item of memory.items(DistributionTenant.type))
        for (let checks = 0; checks < 5; checks += 1)
          if ((await reconcileTenant(by, DistributionTenant.parse(item))).done) break;
    },
    verifyAll: async (by: Process) => {
      for (const item of memory.items(Host.type).map((each) => Host.parse(each)))
        if (item.dueAt) await ignoreConflict(verifyAgain(by, item));
    },
  };
}
type World = Awaited<ReturnType<typeof world>>;
type Operation = (world: World, by: Process) => Promise<unknown>;

const caller = (id: string) => ({ accountId: id, keyId: '' });
const claims =
  (id: string, domain = HOST): Operation =>
  (_, by) =>
    setCustomDomain(by, caller(id), { id, domain });
const removes =
  (id: string): Operation =>
  (_, by) =>
    removeCustomDomain(by, caller(id), { id });
const checks =
  (id: string): Operation =>
  (_, by) =>
    checkCustomDomain(by, caller(id), { id });

const whatFollows: Operation = ({ follow }, by) => follow(by);

const OPERATIONS: Readonly<Record<string, Operation>> = {
  'A removes': removes(A),
  'A checks': checks(A),
  'B checks': checks(B),
  'A is deleted': (_, by) => deleteApp(by, caller(A), { id: A }),
  'ownership is verified': ({ verifyAll }, by) => verifyAll(by),
  'the stream is read and tenants are reconciled': whatFollows,
};

/** Runs an operation, which others may make impossible. @returns true if it succeeded */
const attempt = (operation: Promise<unknown>): Promise<boolean> =>
  operation.then(
    () => true,
    (error: unknown) => {
      if (!(error instanceof ApiError && error.status < 500) && !(error instanceof ConcurrentUpdateError)) throw error;
      return false;
    },
  );

/** Lets all follow that has to: the stream, the tenants, the teardown and the sweeps of some minutes. */
async function settle(here: World): Promise<void> {
  const { clock, steady, apps, domainOf, follow, verifyAll } = here;
  for (let turn = 0; turn < 2; turn += 1) {
    await follow(steady);
    for (const { id, status } of apps()) {
      const needs = { ...steady, builds: { removeCaches: nothing }, databases: {} } as never;
      if (status === 'DELETING') await teardownApp(needs, { accountId: id, applicationId: id });
    }
    clock.now += MINUTE_MS;
    for (const id of [A, B]) if (domainOf(id)?.status === 'PENDING') await checks(id)(here, steady);
    await verifyAll(steady);
  }
  await follow(steady);
}

/** The host belongs to at most one application, which serves it, and nothing is left of what has ended. */
function expectConsistent({ memory, apps, tenants, entries }: World, what: string): void {
  const domains = apps().flatMap(({ id, customDomain }) => (customDomain ? [{ id, ...customDomain }] : []));
  const verified = domains.filter(({ status }) => status === 'VERIFIED');
  const found = {
    held: memory
      .items(Host.type)
      .flatMap(({ host, applicationId, releasing }) =>
        host === addressOf(String(applicationId)) ? [] : [{ host, id: applicationId, releasing }],
      ),
    claims: memory.items(HostClaim.type).map(({ host, applicationId: id }) => ({ host, id })),
    items: memory.items(DistributionTenant.type).map(({ token, status }) => ({ token, status })),
    tenants: tenants(),
    routes: entries(),
  };
  expect(found, what).toEqual({
    held: verified.map(({ host, id }) => ({ host, id, releasing: undefined })),
    claims: domains.filter(({ status }) => status === 'PENDING').map(({ host, id }) => ({ host, id })),
    items: verified.map(({ token }) => ({ token, status: 'ISSUED' })),
    tenants: verified.map(({ token }) => `door-${token}`),
    routes: Object.fromEntries(verified.map(({ host, id }) => [host, `@${addressOf(id)}`])),
  });
}

/** Both accounts claim the host, and some of them have proof. */
const given =
  (proofs: readonly string[], before: (here: World) => Promise<unknown> = nothing) =>
  async (here: World): Promise<void> => {
    const { steady, clock, texts, domainOf } = here;
    for (const id of [A, B]) await claims(id)(here, steady);
    await before(here);
    texts.splice(0, texts.length, ...proofs.flatMap((id) => domainOf(id)?.token ?? []));
    clock.now += 8 * DAY_MS;
  };
const verifiedBy =
  (id: string) =>
  async (here: World): Promise<void> => {
    const { steady, texts, domainOf, follow } = here;
    texts.push(domainOf(id)?.token ?? '');
    await checks(id)(here, steady);
    await follow(steady);
  };
const EARLIER: [string, (here: World) => Promise<unknown>][] = [
  ['claimed by both, who have proof', given([A, B])],
  ['claimed by both, of whom B has proof', given([B])],
  ['verified by A, who has lost the proof to B', given([B], verifiedBy(A))],
];

/** Interrupts an operation before each of its requests. @param examine is given what each of the two has achieved */
async function interrupted(
  earlier: (here: World) => Promise<unknown>,
  [operation, other]: readonly [Operation, Operation],
  examine: (here: World, isDone: readonly [boolean, boolean], step: number) => Promise<void>,
): Promise<void> {
  await interruptEach(async (interruption) => {
    const here = await world();
    await earlier(here);
    let isOtherDone = false;
    const faults = interruption.by(async () => {
      isOtherDone = await attempt(other(here, here.steady));
    });
    const isDone = await attempt(operation(here, here.process({ faults })));
    if (interruption.isReached) await examine(here, [isDone, isOtherDone], interruption.step);
  });
}

describe.each(EARLIER)('a host %s', (_, earlier) => {
  const interruptible = Object.entries(OPERATIONS).filter(([, operation]) => operation !== whatFollows);
  test.each(interruptible)('%s while any other operation happens', async (name, operation) => {
    for (const [otherName, other] of Object.entries(OPERATIONS)) {
      await interrupted(earlier, [operation, other], async (here, [isDone, isOtherDone], step) => {
        const what = `${otherName} before request ${step}`;
        const holds = (id: string) => here.domainOf(id)?.status === 'VERIFIED' && here.isProven(id);
        const safe = [A, B].filter(holds);
        await settle(here);
        expectConsistent(here, what);
        expect(safe.filter(holds), `${what}: an account keeps what it has proven`).toEqual(safe);
        expect([A, B].some(holds), `${what}: an account with proof gets the host`).toBe([A, B].some(here.isProven));
        if ((name === 'A removes' && isDone) || (otherName === 'A removes' && isOtherDone))
          expect(here.domainOf(A), `${what}: a removed domain stays removed`).toBe(undefined);
      });
    }
  });
});

test('of two domains that an application claims at once, one is claimed', async () => {
  await interrupted(nothing, [claims(A), claims(A, 'other.mine.co.za')], async (here, isDone, step) => {
    expectConsistent(here, `request ${step}`);
    expect(isDone.filter(Boolean), `request ${step}`).toHaveLength(1);
  });
});
