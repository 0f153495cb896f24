import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NameServersBusy } from '../../providers/dns/busy.ts';
import type { Dns, DnsChange, RecordSet } from '../../providers/dns/dns.ts';
import { DnsRecord, Zone } from '../../table/entities/dns.ts';
import { Domain, DomainName } from '../../table/entities/registrar.ts';
import type { Table } from '../../table/table.ts';
import { change, create, remove } from '../../table/writes.ts';
import { simulatedDomain } from '../../test/simulation/domains.ts';
import { seededRandom, simulation } from '../../test/simulation/simulation.ts';
import { sweep } from '../sweep/sweep.ts';
import { addDnsRecord, deleteDnsRecord, listDnsRecords } from './records.ts';
import { diffRecordSets, syncZone, toAliasSets, toRecordSets, zoneQueue } from './sync.ts';
import { toZoneFileValue } from './zone-file.ts';

const NAME = 'shop.co.za';
const record = (fields: Partial<DnsRecord>): DnsRecord => ({
  id: 'rec',
  domainId: 'dom',
  type: 'A',
  name: 'www',
  content: '192.0.2.1',
  ttl: 3600,
  prio: 0,
  createdAt: '',
  ...fields,
});

test('writes values in zone file format', () => {
  const value = (fields: Partial<DnsRecord>) => toZoneFileValue(record(fields));
  expect(value({ type: 'CNAME', content: 'a.example.net' })).toBe('a.example.net.');
  expect(value({ type: 'MX', content: 'mx.example.net', prio: 10 })).toBe('10 mx.example.net.');
  expect(value({ type: 'SRV', content: '5 5060 sip.example.net', prio: 1 })).toBe('1 5 5060 sip.example.net.');
  expect(value({ type: 'CAA', content: '0 issue "x"' })).toBe('0 issue "x"');
  expect(value({ type: 'TXT', content: 'say "hi" \\ é' })).toBe('"say \\042hi\\042 \\134 \\303\\251"');
  const long = value({ type: 'TXT', content: 'x'.repeat(600) });
  expect(long.split(' ').map((part) => part.length - 2)).toEqual([255, 255, 90]);
});

test('builds one record set per name and type, with the shortest TTL', () => {
  const records = [record({}), record({ content: '192.0.2.2', ttl: 60 }), record({ name: '', ttl: 300 })];
  expect(toRecordSets(NAME, records)).toEqual([
    { name: `www.${NAME}`, type: 'A', ttl: 60, values: ['192.0.2.1', '192.0.2.2'] },
    { name: NAME, type: 'A', ttl: 300, values: ['192.0.2.1'] },
  ]);
});

test("an alias points a name to both kinds of addresses, unless the owner's own records exist", () => {
  const target = 'd1.cloudfront.net';
  const own = toRecordSets(NAME, [
    record({ name: '', type: 'TXT' }),
    record({ name: 'www' }),
    record({ name: 'c', type: 'CNAME', content: 'x' }),
  ]);
  const aliases = { [NAME]: target, [`www.${NAME}`]: target, [`c.${NAME}`]: target };
  const sets = ['A', 'AAAA'].map((type) => ({ name: NAME, type, ttl: 0, values: [], alias: target }));
  expect(toAliasSets(aliases, own)).toEqual(sets);
  expect(toAliasSets({}, own)).toEqual([]);
  expect(diffRecordSets(sets, sets)).toEqual([]);
  const moved = sets.map((set) => ({ ...set, alias: 'd2.cloudfront.net' }));
  expect(diffRecordSets(sets, moved)).toEqual(moved.map((set) => ({ action: 'UPSERT', set })));
  expect(diffRecordSets(sets, [])).toEqual(sets.map((set) => ({ action: 'DELETE', set })));
});

const set = fc.record({
  name: fc.constantFrom('a.x', 'b.x', 'x'),
  type: fc.constantFrom('A', 'TXT', 'MX'),
  ttl: fc.constantFrom(60, 300),
  values: fc.uniqueArray(fc.constantFrom('1', '2', '3'), { minLength: 1 }),
});
const sets = fc.uniqueArray(set, { selector: ({ name, type }) => `${name} ${type}` });
const apply = (there: readonly RecordSet[], changes: readonly DnsChange[]) => {
  const zone = new Map(there.map((each) => [`${each.name} ${each.type}`, each]));
  for (const { action, set: each } of changes) {
    const key = `${each.name} ${each.type}`;
    if (action === 'DELETE') expect(zone.get(key)).toEqual(each);
    if (action === 'DELETE') zone.delete(key);
    else zone.set(key, each);
  }
  return [...zone.values()].map((each) => ({ ...each, values: [...each.values].sort() }));
};

test('a diff turns any record sets into any others, with exact deletions first and no redundant change', () => {
  const sorted = (all: RecordSet[]) =>
    all.map((each) => JSON.stringify({ ...each, values: [...each.values].sort() })).sort();
  fc.assert(
    fc.property(sets, sets, (there, wanted) => {
      const changes = diffRecordSets(there, wanted);
      expect(sorted(apply(there, changes))).toEqual(sorted(wanted));
      const actions = changes.map(({ action }) => action);
      expect(actions).toEqual([...actions].sort());
      expect(diffRecordSets(wanted, wanted)).toEqual([]);
    }),
  );
});

/** Sets up a domain with its zone, and name servers that fail and lag. */
async function simulate(seed: number) {
  const random = seededRandom(seed);
  const faults = { on: true };
  const fail = () => {
    if (faults.on && random() < 0.15) throw new Error('simulated failure');
  };
  const pause = () => new Promise((done) => setTimeout(done, random() * 2));
  const { steady, clock, memory } = simulation({
    through: (send) => async (operation, input) => {
      await pause();
      return await send(operation, input);
    },
  });
  const { deps } = steady;
  let held: RecordSet[] = [];
  const dns: Pick<Dns, 'recordSets' | 'change'> = {
    async recordSets() {
      fail();
      await pause();
      return held;
    },
    async change(_, changes) {
      fail();
      await pause();
      held = apply(held, changes);
      fail();
    },
  };
  const sent: { accountId: string; domainId: string }[] = [];
  const zoneSyncQueue = { send: async (zones: readonly (typeof sent)[number][]) => void sent.push(...zones) };
  const ids = { accountId: 'acc', id: 'dom' };
  await deps.table.transact([
    create(Domain, simulatedDomain({ ...ids, name: NAME })),
    create(DomainName, { name: NAME, accountId: 'acc', domainId: 'dom' }),
    create(Zone, { accountId: 'acc', domainId: 'dom', name: NAME, version: 0, mirrored: 0, hostedZoneId: 'Z' }),
  ]);
  const needs = { ...deps, dns, zoneSyncQueue };
  return { random, clock, memory, faults, sent, needs, held: () => held };
}

test('the name servers converge to the last of racing changes while they fail and lag', async () => {
  const SCENARIOS = 40;
  let mirrored = 0;
  for (let seed = 1; seed <= SCENARIOS; seed += 1) {
    const { random, clock, faults, sent, needs, held } = await simulate(seed);
    const caller = { accountId: 'acc', keyId: '' };
    const zone = { accountId: 'acc', domainId: 'dom' };
    const mirror = async () => {
      mirrored += 1;
      await syncZone(needs, zone);
    };
    const changeOne = async (index: number) => {
      const { data } = await listDnsRecords(needs, caller, { id: 'dom' });
      const [first] = data;
      if (first && random() < 0.4) {
        await deleteDnsRecord(needs, caller, { id: 'dom', recordId: first.id }).catch(() => undefined);
      } else {
        const body = { type: 'A' as const, name: `n${index % 3}`, content: `192.0.2.${index}`, ttl: 60 + index };
        await addDnsRecord(needs, caller, { id: 'dom', ...body });
      }
      await mirror();
    };
    await Promise.all(Array.from({ length: 8 }, (_, index) => changeOne(index)));
    faults.on = false;
    // A sync that failed is retried with backoff, after six hours at most.
    clock.now += 7 * 3_600_000;
    await sweep(needs, zoneQueue);
    for (const of of sent) await syncZone(needs, of);
    const { data } = await listDnsRecords(needs, caller, { id: 'dom' });
    const wanted = toRecordSets(
      NAME,
      data.map((each) => record({ ...each })),
    );
    expect(diffRecordSets(held(), wanted), `scenario ${seed}`).toEqual([]);
    const after = await needs.table.get(Zone, zone);
    expect([after?.mirrored, after?.lease]).toEqual([after?.version, undefined]);
  }
  console.log(`${SCENARIOS} scenarios of eight racing changes, mirrored ${mirrored} times`);
});

test('each of twenty concurrent deletions succeeds at its first attempt, beside additions', async () => {
  const { needs } = await simulate(1);
  const caller = { accountId: 'acc', keyId: '' };
  const body = (content: number) => ({
    id: 'dom',
    type: 'A' as const,
    name: 'www',
    ttl: 60,
    content: `192.0.2.${content}`,
  });
  for (let index = 0; index < 20; index += 1) await addDnsRecord(needs, caller, body(index));
  const { data } = await listDnsRecords(needs, caller, { id: 'dom' });
  let attempts = 0;
  const commit: typeof needs.commit = async (...given) => {
    attempts += 1;
    return await needs.commit(...given);
  };
  const deletions = data.map(({ id: recordId }) =>
    deleteDnsRecord({ ...needs, commit }, caller, { id: 'dom', recordId }),
  );
  const additions = [20, 21].map((index) => addDnsRecord(needs, caller, body(index)));
  await Promise.all([...deletions, ...additions]);
  expect(attempts).toBe(20);
  const left = (await listDnsRecords(needs, caller, { id: 'dom' })).data.map(({ content }) => content);
  expect(left.toSorted()).toEqual(['192.0.2.20', '192.0.2.21']);
  expect(await needs.table.get(Zone, { accountId: 'acc', domainId: 'dom' })).toMatchObject({ version: 42 });
});

test('of concurrent deletions of one record, one succeeds and the others are 404', async () => {
  const { needs } = await simulate(1);
  const caller = { accountId: 'acc', keyId: '' };
  await addDnsRecord(needs, caller, { id: 'dom', type: 'A', name: 'www', content: '192.0.2.1', ttl: 60 });
  const [first] = (await listDnsRecords(needs, caller, { id: 'dom' })).data;
  const one = () => deleteDnsRecord(needs, caller, { id: 'dom', recordId: first?.id ?? '' });
  const results = await Promise.allSettled(Array.from({ length: 5 }, one));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
  expect(reasons).toEqual(Array(4).fill('not_found'));
});

test.each([
  ['a CNAME beside an A record', { type: 'CNAME' as const, content: 'x.example.net' }],
  ['the same record twice', { type: 'A' as const, content: '192.0.2.1' }],
])('refuses %s where the other one is stored between the reads of a request', async (_, fields) => {
  const { needs } = await simulate(1);
  const caller = { accountId: 'acc', keyId: '' };
  const www = { id: 'dom', name: 'www', ttl: 60 };
  let other: Promise<unknown> | undefined;
  const get: Table['get'] = async (entity, of) => {
    if (entity.type === Zone.type && !other) {
      // What the request reads beside the zone is read by then.
      await new Promise((done) => setTimeout(done, 20));
      other = addDnsRecord(needs, caller, { ...www, type: 'A', content: '192.0.2.1' });
      await other;
    }
    return await needs.table.get(entity, of);
  };
  const delayed = { ...needs, table: { ...needs.table, get } };
  await expect(addDnsRecord(delayed, caller, { ...www, ...fields })).rejects.toThrow(
    /already exists|coexist with other/,
  );
  expect((await listDnsRecords(needs, caller, { id: 'dom' })).data).toHaveLength(1);
});

test('a zone for which the name servers have no time is retried every minute, however often, and waits for no longer once they have', async () => {
  const { needs, clock, faults, sent } = await simulate(1);
  faults.on = false;
  const zone = { accountId: 'acc', domainId: 'dom' };
  await addDnsRecord(
    needs,
    { accountId: 'acc', keyId: '' },
    { id: 'dom', type: 'A', name: 'a', content: '192.0.2.1', ttl: 60 },
  );
  const busy: typeof needs.dns = {
    ...needs.dns,
    recordSets: () => Promise.reject(new NameServersBusy('Rate exceeded')),
  };
  const problems: unknown[] = [];
  for (let minute = 0; minute < 60; minute += 1) {
    clock.now += 60_000;
    await sweep(needs, zoneQueue);
    for (const of of sent.splice(0)) problems.push((await syncZone({ ...needs, dns: busy }, of)).problem?.failures);
  }
  expect(problems.length).toBeGreaterThanOrEqual(30);
  expect(new Set(problems)).toEqual(new Set([0]));
  clock.now += 2 * 60_000;
  await sweep(needs, zoneQueue);
  for (const of of sent) await syncZone(needs, of);
  expect(await needs.table.get(Zone, zone)).toMatchObject({ version: 1, mirrored: 1 });
});

test('a zone that is removed while it is synced, as its domain was not registered, is no failure', async () => {
  const { needs, faults } = await simulate(1);
  faults.on = false;
  const zone = { accountId: 'acc', domainId: 'dom' };
  await needs.table.write(Zone, change(Zone, zone, { add: { version: 1 } }));
  const recordSets: Dns['recordSets'] = async () => {
    await needs.table.transact([remove(Zone, zone)]);
    return [];
  };
  expect(await syncZone({ ...needs, dns: { ...needs.dns, recordSets } }, zone)).toEqual({ changed: 0 });
  expect(await needs.table.get(Zone, zone)).toBeUndefined();
});

test('a failing zone is retried with increasing delays, and soon after its owner changes a record', async () => {
  const { needs, clock, faults, sent } = await simulate(1);
  faults.on = false;
  const caller = { accountId: 'acc', keyId: '' };
  const zone = { accountId: 'acc', domainId: 'dom' };
  let attempts = 0;
  const broken: typeof needs.dns = {
    ...needs.dns,
    recordSets: async () => {
      attempts += 1;
      throw new Error('InvalidChangeBatch');
    },
  };
  await addDnsRecord(needs, caller, { id: 'dom', type: 'A', name: 'a', content: '192.0.2.1', ttl: 60 });
  const MINUTE = 60_000;
  const pass = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      clock.now += MINUTE;
      await sweep(needs, zoneQueue);
      for (const of of sent.splice(0)) await syncZone({ ...needs, dns: broken }, of);
      // Messages that were delivered twice, or late, count for nothing.
      await syncZone({ ...needs, dns: broken }, zone);
    }
  };
  await pass(12 * 60);
  expect(attempts).toBeGreaterThanOrEqual(6);
  expect(attempts).toBeLessThanOrEqual(11);

  attempts = 0;
  await addDnsRecord(needs, caller, { id: 'dom', type: 'A', name: 'b', content: '192.0.2.1', ttl: 60 });
  await pass(2);
  expect(attempts).toBe(1);
  clock.now += 7 * 60 * MINUTE;
  expect(await syncZone(needs, zone)).toEqual({ changed: 2 });
  const after = await needs.table.get(Zone, zone);
  expect([after?.mirrored, after?.failures, after?.retryAt, after?.dueAt]).toEqual([
    after?.version,
    undefined,
    undefined,
    undefined,
  ]);
});

test("the zone of an earlier registration does not overwrite the records of the name's next owner", async () => {
  const { needs, held } = await simulate(2);
  await addDnsRecord(
    needs,
    { accountId: 'acc', keyId: '' },
    {
      id: 'dom',
      type: 'A' as const,
      name: 'old',
      content: '192.0.2.1',
      ttl: 60,
    },
  );
  await needs.table.transact([change(DomainName, { name: NAME }, { set: { accountId: 'new', domainId: 'dom_new' } })]);
  expect(await syncZone(needs, { accountId: 'acc', domainId: 'dom' })).toEqual({ changed: 0 });
  expect(held()).toEqual([]);
});

test('a set that the name servers would refuse does not keep the other records from them', async () => {
  const { needs, faults, held } = await simulate(3);
  faults.on = false;
  const text = (id: string) =>
    create(DnsRecord, record({ id, type: 'TXT', name: 'big', content: `${id}${'x'.repeat(2000)}` }));
  await needs.table.transact(Array.from({ length: 9 }, (_, index) => text(`rec_${index}`)));
  await addDnsRecord(
    needs,
    { accountId: 'acc', keyId: '' },
    {
      id: 'dom',
      type: 'A' as const,
      name: 'good',
      content: '192.0.2.1',
      ttl: 60,
    },
  );
  await syncZone(needs, { accountId: 'acc', domainId: 'dom' });
  expect(held().map(({ name }) => name)).toEqual([`good.${NAME}`]);
});
