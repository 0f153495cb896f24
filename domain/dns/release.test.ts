import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateHostedZoneCommand, Route53Client } from '@aws-sdk/client-route-53';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Route53, startRoute53 } from '../../local/emulators/route53/route53.ts';
import type { Delegations } from '../../providers/dns/delegations.ts';
import { createDns, type Dns } from '../../providers/dns/dns.ts';
import { Zone } from '../../table/entities/dns.ts';
import { Domain, DomainName } from '../../table/entities/registrar.ts';
import { schedule } from '../../table/schedule.ts';
import { change, create } from '../../table/writes.ts';
import { simulatedDomain } from '../../test/simulation/domains.ts';
import { crashAtStep, type ProcessOptions, simulation, toleratingFaults } from '../../test/simulation/simulation.ts';
import { endDomain } from '../registrar/tasks.ts';
import { sweep } from '../sweep/sweep.ts';
import { addDnsRecord } from './records.ts';
import { handleZoneMessage, type ZoneFate } from './release.ts';
import { syncZone, zoneQueue } from './sync.ts';

const NAME = 'shop.co.za';
const DAY = 86_400_000;
const OF = { accountId: 'acc_1', domainId: 'dom_1' };

let dataDir: string;
let route53: Route53;
let dns: Dns;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'release-'));
  route53 = await startRoute53({ dataDir });
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  dns = createDns(new Route53Client({ region: 'us-east-1', endpoint: route53.url, credentials, maxAttempts: 1 }));
});
afterEach(async () => {
  await route53.stop();
  rmSync(dataDir, { recursive: true });
});

const domainOf = ({ accountId, domainId: id }: typeof OF, status: Domain['status'] = 'ACTIVE'): Domain =>
  simulatedDomain({ id, accountId, name: NAME, status });

/** A served domain with a record, and resolvers that are sent where `registry` says. */
async function served() {
  const { memory, clock, steady, startProcess } = simulation();
  const { deps } = steady;
  const zone = await dns.ensureZone(NAME, 'dom_1', []);
  const registry = { nameservers: zone.nameservers, isSilent: false };
  const delegations: Delegations = {
    async of() {
      if (registry.isSilent) throw new Error('ESERVFAIL');
      return registry.nameservers;
    },
  };
  await deps.table.transact([
    create(Domain, domainOf(OF)),
    create(DomainName, { name: NAME, ...OF }),
    create(Zone, { ...OF, name: NAME, version: 0, mirrored: 0, hostedZoneId: zone.id }),
  ]);
  const needs = { ...deps, dns, delegations };
  await addDnsRecord(
    needs,
    { accountId: OF.accountId, keyId: '' },
    { id: 'dom_1', type: 'A', name: 'www', content: '192.0.2.1', ttl: 60 },
  );
  await handleZoneMessage(needs, OF);
  const waiting: (typeof OF)[] = [];
  const zoneSyncQueue = { send: async (zones: readonly (typeof OF)[]) => void waiting.push(...zones) };
  const fates: (ZoneFate | 'FAILED')[] = [];
  /** Some days of the reconciler and of the queue's consumer, which may be given other dependencies. */
  async function days(count: number, own: Partial<typeof needs> = {}) {
    for (let day = 0; day < count; day += 1) {
      clock.now += DAY;
      await sweep({ ...deps, zoneSyncQueue }, zoneQueue);
      for (const of of waiting.splice(0)) {
        const { fate, problem } = await handleZoneMessage({ ...needs, ...own }, of);
        if (fate || problem) fates.push(fate ?? 'FAILED');
      }
    }
  }
  const end = async () => await endDomain(deps, domainOf(OF), 'EXPIRED', {});
  const stored = async (of = OF) => await deps.table.get(Zone, of);
  const exists = async () => (await dns.nameservers(zone.id)) !== undefined;
  /** Serves the zone in a process that may crash. @returns whether it did not */
  const survives = async (options: ProcessOptions) => {
    let hasSurvived = false;
    await toleratingFaults(async () => {
      const { deps: own, port } = startProcess(options);
      await handleZoneMessage({ ...own, dns: port('dns', dns), delegations }, OF);
      hasSurvived = true;
    });
    return hasSurvived;
  };
  return { memory, clock, deps, needs, zone, registry, days, fates, end, stored, exists, survives };
}
const elsewhere = ['ns1.elsewhere.example'];

test('a zone whose registration has ended is deleted with its records once resolvers were not sent to it for 28 days', async () => {
  const { registry, days, fates, end, stored, exists } = await served();
  await end();
  registry.nameservers = [];
  await days(28);
  expect(new Set(fates)).toEqual(new Set(['UNDELEGATED']));
  expect([await exists(), (await stored())?.releasedAt]).toEqual([true, expect.any(String)]);
  await days(1);
  expect(fates.at(-1)).toBe('DELETED');
  expect([await exists(), await stored()]).toEqual([false, undefined]);
  // A message that was delivered late.
  await days(60);
  expect(fates.filter((fate) => fate === 'DELETED')).toHaveLength(1);
});

test('a zone is served as long as the registry sends resolvers to it, and for another 28 days', async () => {
  const { registry, zone, days, fates, end, exists, needs } = await served();
  await end();
  await days(400);
  expect(new Set(fates)).toEqual(new Set(['DELEGATED']));
  expect(await dns.recordSets(zone.id, NAME)).toHaveLength(1);
  registry.nameservers = elsewhere;
  await days(21);
  // Back for a week: the 28 days begin again.
  registry.nameservers = [...elsewhere, zone.nameservers[2] ?? ''];
  await days(14);
  registry.nameservers = elsewhere;
  await days(27);
  expect(await exists()).toBe(true);
  await days(14);
  expect(await exists()).toBe(false);
  expect(await handleZoneMessage(needs, OF)).toEqual({ changed: 0 });
});

test('a name for which no server answers keeps its zone, and is asked for again every day', async () => {
  const { registry, days, fates, end, exists } = await served();
  await end();
  registry.isSilent = true;
  await days(60);
  expect(await exists()).toBe(true);
  expect(new Set(fates)).toEqual(new Set(['UNKNOWN']));
  expect(fates.length).toBeGreaterThan(55);
  registry.isSilent = false;
  registry.nameservers = elsewhere;
  await days(31);
  expect(await exists()).toBe(false);
});

test('a name that is bought again keeps a zone that its next domain uses, of this account or another', async () => {
  for (const accountId of ['acc_1', 'acc_2']) {
    const { deps, zone, registry, days, fates, end, stored, exists } = await served();
    await end();
    registry.nameservers = [];
    await days(20);
    const next = { accountId, domainId: `dom_next_${accountId}` };
    await deps.table.transact([
      create(Domain, domainOf(next, 'PENDING')),
      create(DomainName, { name: NAME, ...next }),
      create(Zone, { ...next, name: NAME, version: 0, mirrored: 0 }),
    ]);
    await days(20);
    expect(fates.at(-1)).toBe('WAITING');
    expect(await exists()).toBe(true);
    await deps.table.transact([
      change(Zone, next, { set: { hostedZoneId: zone.id } }),
      change(Domain, { accountId, id: next.domainId }, { set: { status: 'ACTIVE' } }),
    ]);
    await days(2);
    expect(fates.at(-1)).toBe('REUSED');
    expect([await exists(), await stored()]).toEqual([true, undefined]);
    expect(await stored(next)).toMatchObject({ hostedZoneId: zone.id });
    await dns.change(
      zone.id,
      (await dns.recordSets(zone.id, NAME)).map((set) => ({ action: 'DELETE', set })),
    );
    await dns.deleteZone(zone.id);
  }
});

test('a zone that the next domain gets at this moment is not deleted', async () => {
  const { deps, zone, registry, days, fates, end, exists } = await served();
  await end();
  registry.nameservers = [];
  await days(28);
  const next = { accountId: 'acc_2', domainId: 'dom_2' };
  await deps.table.transact([
    create(Domain, domainOf(next, 'PENDING')),
    create(DomainName, { name: NAME, ...next }),
    create(Zone, { ...next, name: NAME, version: 0, mirrored: 0 }),
  ]);
  const activate = async () =>
    await deps.table.transact([
      change(Zone, next, { set: { hostedZoneId: zone.id } }),
      change(Domain, { accountId: next.accountId, id: next.domainId }, { set: { status: 'ACTIVE' } }),
    ]);
  const table: typeof deps.table = {
    ...deps.table,
    async get(entity, of) {
      if ((entity as object) === Domain) {
        // After what is read at the same time.
        await new Promise(setImmediate);
        await activate();
      }
      return await deps.table.get(entity, of);
    },
  };
  await days(1, { table });
  expect([fates.at(-1), await exists()]).toEqual(['REUSED', true]);
});

test('a name that is bought again and has another zone keeps that one only', async () => {
  const { deps, zone, registry, days, end, exists } = await served();
  await end();
  // The registrar makes a zone with each registration.
  const { HostedZone } = await new Route53Client({
    region: 'us-east-1',
    endpoint: route53.url,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  }).send(new CreateHostedZoneCommand({ Name: NAME, CallerReference: 'registrar' }));
  const id = HostedZone?.Id?.replace('/hostedzone/', '') ?? '';
  const nameservers = (await dns.nameservers(id)) ?? [];
  registry.nameservers = nameservers;
  expect(await dns.ensureZone(NAME, 'dom_2', nameservers)).toEqual({ id, nameservers });
  expect(await dns.ensureZone(NAME, 'dom_1', zone.nameservers)).toEqual(zone);
  const next = { accountId: 'acc_2', domainId: 'dom_2' };
  await deps.table.transact([
    create(Domain, domainOf(next)),
    create(DomainName, { name: NAME, ...next }),
    create(Zone, { ...next, name: NAME, version: 0, mirrored: 0, hostedZoneId: id }),
  ]);
  await days(40);
  expect([await exists(), await dns.nameservers(id)]).toEqual([false, nameservers]);
});

test('a zone that was deleted by hand, also between two steps, is forgotten', async () => {
  const { zone, registry, days, fates, end, stored } = await served();
  await end();
  registry.nameservers = [];
  await days(27);
  const gone = {
    ...dns,
    async change(...of: Parameters<Dns['change']>) {
      await dns.change(...of);
      await dns.deleteZone(zone.id);
    },
  };
  await days(3, { dns: gone });
  expect([fates.at(-1), await stored()]).toEqual(['DELETED', undefined]);

  const other = await served();
  await other.end();
  await dns.change(
    other.zone.id,
    (await dns.recordSets(other.zone.id, NAME)).map((set) => ({ action: 'DELETE', set })),
  );
  await dns.deleteZone(other.zone.id);
  await other.days(1);
  expect([other.fates, await other.stored()]).toEqual([['GONE'], undefined]);
});

test('Route 53 that is busy or refuses loses nothing: the deletion is repeated with backoff until it succeeds', async () => {
  const { registry, days, fates, end, exists, stored } = await served();
  await end();
  registry.nameservers = [];
  await days(27);
  const busy = { ...dns, deleteZone: () => Promise.reject(new Error('Throttling: Rate exceeded')) };
  await days(4, { dns: busy });
  expect(fates.slice(-3)).toEqual(['FAILED', 'FAILED', 'FAILED']);
  expect([await exists(), (await stored())?.failures]).toEqual([true, 3]);
  await days(1);
  expect([await exists(), await stored()]).toEqual([false, undefined]);
});

test('a process that dies at any step of the deletion leaves it to the next', async () => {
  let crashes = 0;
  for (const when of ['before', 'after'] as const)
    for (let step = 1; ; step += 1) {
      const { clock, registry, days, end, exists, stored, survives } = await served();
      await end();
      registry.nameservers = [];
      await days(27);
      clock.now += 2 * DAY;
      const hasSurvived = await survives({ faults: crashAtStep(step, when) });
      await days(2);
      expect([step, await exists(), await stored()]).toEqual([step, false, undefined]);
      if (hasSurvived) break;
      crashes += 1;
    }
  expect(crashes).toBeGreaterThan(10);
});

test('a sync that is under way when the registration ends does not take the release with it', async () => {
  const { deps, needs, registry, days, end, exists, stored } = await served();
  await addDnsRecord(
    needs,
    { accountId: OF.accountId, keyId: '' },
    { id: 'dom_1', type: 'A', name: 'late', content: '192.0.2.2', ttl: 60 },
  );
  const slow = {
    ...dns,
    async recordSets(...of: Parameters<Dns['recordSets']>) {
      const sets = await dns.recordSets(...of);
      if (!(await stored())?.releasedAt) await end();
      return sets;
    },
  };
  await syncZone({ ...deps, dns: slow }, OF);
  expect(await stored()).toMatchObject({ releasedAt: expect.any(String), dueAt: expect.any(String) });
  registry.nameservers = [];
  await days(30);
  expect([await exists(), await stored()]).toEqual([false, undefined]);
});

test('the zone that the registrar made for a domain with other name servers is found by its name and deleted, unless it has records', async () => {
  for (const isEmpty of [true, false]) {
    const { deps, zone, registry, days, fates, exists, stored } = await served();
    const set = { releasedAt: deps.now().toISOString(), mirrored: 0, ...schedule(Zone, deps.now()) };
    const what = { set, remove: ['hostedZoneId'] };
    await deps.table.transact([change(Zone, OF, what)]);
    const sets = await dns.recordSets(zone.id, NAME);
    const emptyIt = () =>
      dns.change(
        zone.id,
        sets.map((set) => ({ action: 'DELETE', set })),
      );
    if (isEmpty) await emptyIt();
    registry.nameservers = elsewhere;
    await days(30);
    expect([fates.at(-1), await exists(), await stored()]).toEqual(
      isEmpty ? ['DELETED', false, undefined] : ['FOREIGN', true, undefined],
    );
  }
});
