import { expect } from 'vitest';
import { syncZone, zoneQueue } from '../../domain/dns/sync.ts';
import { reconcileHostingAccount } from '../../domain/hosting/accounts.ts';
import { domainQueue } from '../../domain/registrar/lifecycle.ts';
import { sweep } from '../../domain/sweep/sweep.ts';
import type { Dns } from '../../providers/dns/dns.ts';
import { reportRefusal, reportUnconfirmed, reportZoneSync } from '../../runtime/observability/domain-metrics.ts';
import { reportHosting } from '../../runtime/observability/hosting-metrics.ts';
import { log } from '../../runtime/observability/log.ts';
import { Zone } from '../../table/entities/dns.ts';
import { HOSTING_SERVERS, HostingServer } from '../../table/entities/hosting.ts';
import { DomainName } from '../../table/entities/registrar.ts';
import { change, create } from '../../table/writes.ts';
import { hostingSimulation } from '../simulation/hosting.ts';
import { registrarSimulation } from '../simulation/registrar.ts';
import { seededRandom, simulation } from '../simulation/simulation.ts';
import type { Scene, Walk } from '../support/walks.ts';

const ZONES = Array.from({ length: 12 }, (_, at) => ({
  accountId: 'acc_1',
  domainId: `dom_${at}`,
  name: `s${at}.co.za`,
}));

/** Zones whose records change while the name servers refuse every request. */
async function refusedZones(): Promise<Scene> {
  const { memory, clock, steady } = simulation();
  const { deps } = steady;
  let isBroken = false;
  const answer = async <T>(value: T): Promise<T> => {
    if (isBroken) throw new Error('Throttling: Rate exceeded');
    return value;
  };
  const dns: Pick<Dns, 'recordSets' | 'change'> = {
    recordSets: () => answer([]),
    change: () => answer(undefined),
  };
  const waiting: { accountId: string; domainId: string }[] = [];
  const zoneSyncQueue = {
    send: async (zones: readonly { accountId: string; domainId: string }[]) => void waiting.push(...zones),
  };
  await deps.table.transact(
    ZONES.flatMap((zone) => [
      create(Zone, { ...zone, version: 0, mirrored: 0, hostedZoneId: 'Z' }),
      create(DomainName, { name: zone.name, accountId: zone.accountId, domainId: zone.domainId }),
    ]),
  );
  const touch = (zone: (typeof ZONES)[number]) =>
    deps.table.transact([
      change(Zone, zone, { add: { version: 1 }, set: { dueAt: deps.now().toISOString(), duePk: 'ZONE' } }),
    ]);
  const zones = () => memory.items('ZONE').map((item) => Zone.parse(item));
  return {
    clock,
    deps,
    send: memory.send,
    async minute() {
      await sweep({ ...deps, zoneSyncQueue }, zoneQueue);
      for (const ids of waiting.splice(0))
        log.info('message done', reportZoneSync(ids, await syncZone({ ...deps, dns }, ids)));
    },
    async breakIt() {
      isBroken = true;
      for (const zone of ZONES) await touch(zone);
    },
    whileBroken: () => expect(zones().every(({ failures = 0 }) => failures > 0)).toBe(true),
    steps: [
      {
        words: 'Throttling means Route 53',
        act: () => {
          isBroken = false;
        },
      },
      {
        command: 'aws dynamodb update-item --region <region> --table-name hosting-<stage>',
        fill: { 'acc_…': 'acc_1', 'dom_…': 'dom_0', '<now>': '2026-01-01T00:00:00.000Z' },
      },
    ],
    whenOver: () => expect(zones().find(({ domainId }) => domainId === 'dom_0')).toMatchObject({ mirrored: 1 }),
  };
}

/** A registrar that completes tasks within a minute, unless a walk says otherwise. */
async function registrar() {
  const faults = {
    random: seededRandom(1),
    crashRate: 0,
    lossRate: 0,
    takesMs: () => 60_000,
    registeredByOthers: () => false,
    refuses: (_: string) => false,
  };
  const run = registrarSimulation(faults, (ids, kind) => reportRefusal(ids, kind));
  const account = await run.open(10_000_000);
  await run.order(account, 'shop.co.za');
  await run.runUntilIdle();
  return { run, account, faults };
}

/** The registrar refuses registrations that were paid for. */
async function refusedDomains(): Promise<Scene> {
  const { run, account, faults } = await registrar();
  let looks = 0;
  return {
    clock: run.clock,
    deps: run.deps,
    async minute() {
      looks += 1;
      const { now } = run.clock;
      for (let count = 0; count < 6; count += 1) await run.order(account, `shop-${looks}-${count}.co.za`);
      await run.runUntilIdle();
      run.clock.now = now;
    },
    breakIt: () => {
      faults.refuses = () => true;
    },
    whileBroken: () => expect(run.domains().some(({ status }) => status === 'FAILED')).toBe(true),
    steps: [
      {
        command: 'aws lambda invoke --region <region> --function-name hosting-<stage>-operator-setDomainPrices',
      },
      {
        words: 'contact details that a registry no longer accepts',
        act: () => {
          faults.refuses = () => false;
        },
      },
    ],
  };
}

/** The registrar denies a domain that is registered. */
async function absentDomains(): Promise<Scene> {
  const { run } = await registrar();
  const known = run.registry.get('shop.co.za');
  if (!known) throw new Error('not registered');
  const [domain] = run.domains();
  return {
    clock: run.clock,
    deps: run.deps,
    async minute() {
      reportUnconfirmed(await sweep(run.steady, domainQueue));
    },
    breakIt: () => {
      known.ours = false;
    },
    whileBroken: () => expect(run.domains()[0]?.absentSince).toBeDefined(),
    steps: [
      {
        words: 'the functions call the wrong AWS account',
        act: () => {
          known.ours = true;
        },
      },
    ],
    whenOver: () => expect(run.domains()[0]).toMatchObject({ id: domain?.id, status: 'ACTIVE' }),
  };
}

/** A hosting server that does not answer, and then is back. */
async function deadServer(): Promise<Scene> {
  const { clock, deps, servers, state, set, subscribe } = await hostingSimulation();
  await set('web-1', true);
  const bought = [await subscribe()];
  return {
    clock,
    deps,
    async minute() {
      if (bought.length < 20) bought.push(await subscribe());
      for (const of of bought) reportHosting(of, await reconcileHostingAccount(deps, of));
    },
    breakIt: () => {
      state.isBroken = true;
    },
    steps: [
      { command: 'aws lambda invoke --region <region> --function-name hosting-<stage>-operator-setHostingServer' },
      {
        words: 'only its operator can fix that',
        act: async () => {
          const [stored] = await deps.table.all(HostingServer, HOSTING_SERVERS);
          expect(stored).toMatchObject({ name: 'web-1', open: false });
          await set('web-1', true);
          state.isBroken = false;
        },
      },
    ],
    whenOver: () => expect([...servers.values()].map((accounts) => accounts.size)).toEqual([bought.length]),
  };
}

export const domainWalks: Walk[] = [
  { page: 'DNS behind', fault: 'the name servers refuse every change', alarms: ['dns-behind'], open: refusedZones },
  {
    page: 'Domains refused',
    fault: 'the registrar refuses registrations',
    alarms: ['domains-refused'],
    open: refusedDomains,
  },
  {
    page: 'Domains absent',
    fault: 'the registrar denies a registered domain',
    alarms: ['domains-absent'],
    pace: 24 * 60,
    open: absentDomains,
  },
  {
    page: 'Hosting servers',
    fault: 'a server does not answer',
    alarms: ['hosting-problems'],
    open: deadServer,
  },
];
