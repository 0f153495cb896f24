import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Dns, DnsChange, RecordSet } from '../../providers/dns/dns.ts';
import { type DnsRecord, Domain, Zone } from '../../table/entities/registrar.ts';
import { create } from '../../table/writes.ts';
import { billingWorld } from '../../test/simulation/billing.ts';
import { chances } from '../../test/domain-world.ts';
import { addDnsRecord, deleteDnsRecord, listDnsRecords } from './records.ts';
import { aliasSetsOf, differences, mirrorZone, reconcileZones, setsOf, zoneValue } from './sync.ts';

const NAME = 'shop.co.za';
const record = (fields: Partial<DnsRecord>): DnsRecord => ({
  ...{ id: 'rec', domainId: 'dom', type: 'A', name: 'www', content: '192.0.2.1', ttl: 3600, prio: 0 },
  createdAt: '',
  ...fields,
});

test('values are written as zone files have them', () => {
  const value = (fields: Partial<DnsRecord>) => zoneValue(record(fields));
  expect(value({ type: 'CNAME', content: 'a.example.net' })).toBe('a.example.net.');
  expect(value({ type: 'MX', content: 'mx.example.net', prio: 10 })).toBe('10 mx.example.net.');
  expect(value({ type: 'SRV', content: '5 5060 sip.example.net', prio: 1 })).toBe('1 5 5060 sip.example.net.');
  expect(value({ type: 'CAA', content: '0 issue "x"' })).toBe('0 issue "x"');
  expect(value({ type: 'TXT', content: 'say "hi" \\ é' })).toBe('"say \\042hi\\042 \\134 \\303\\251"');
  const long = value({ type: 'TXT', content: 'x'.repeat(600) });
  expect(long.split(' ').map((part) => part.length - 2)).toEqual([255, 255, 90]);
});

test('one set for each name and type, with the shortest time to live', () => {
  const records = [record({}), record({ content: '192.0.2.2', ttl: 60 }), record({ name: '', ttl: 300 })];
  expect(setsOf(NAME, records)).toEqual([
    { name: `www.${NAME}`, type: 'A', ttl: 60, values: ['192.0.2.1', '192.0.2.2'] },
    { name: NAME, type: 'A', ttl: 300, values: ['192.0.2.1'] },
  ]);
});

test("an alias leads a name in both kinds of addresses, unless its owner's own records lead it", () => {
  const target = 'd1.cloudfront.net';
  const own = setsOf(NAME, [
    record({ name: '', type: 'TXT' }),
    record({ name: 'www' }),
    record({ name: 'c', type: 'CNAME', content: 'x' }),
  ]);
  const aliases = { [NAME]: target, [`www.${NAME}`]: target, [`c.${NAME}`]: target };
  const sets = ['A', 'AAAA'].map((type) => ({ name: NAME, type, ttl: 0, values: [], alias: target }));
  expect(aliasSetsOf(aliases, own)).toEqual(sets);
  expect(aliasSetsOf({}, own)).toEqual([]);
  expect(differences(sets, sets)).toEqual([]);
  const moved = sets.map((set) => ({ ...set, alias: 'd2.cloudfront.net' }));
  expect(differences(sets, moved)).toEqual(moved.map((set) => ({ action: 'UPSERT', set })));
  expect(differences(sets, [])).toEqual(sets.map((set) => ({ action: 'DELETE', set })));
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

test('the differences make of any sets any others, deletions exact and first, and nothing of the same', () => {
  const sorted = (all: RecordSet[]) =>
    all.map((each) => JSON.stringify({ ...each, values: [...each.values].sort() })).sort();
  fc.assert(
    fc.property(sets, sets, (there, wanted) => {
      const changes = differences(there, wanted);
      expect(sorted(apply(there, changes))).toEqual(sorted(wanted));
      const actions = changes.map(({ action }) => action);
      expect(actions).toEqual([...actions].sort());
      expect(differences(wanted, wanted)).toEqual([]);
    }),
  );
});

/** A domain with its zone, and name servers that fail and are slow. */
async function world(seed: number) {
  const chance = chances(seed);
  const mortal = { on: true };
  const fail = () => {
    if (mortal.on && chance() < 0.15) throw new Error('unlucky');
  };
  const pause = () => new Promise((done) => setTimeout(done, chance() * 2));
  const { deps, clock, memory } = billingWorld((send) => async (operation, input) => {
    await pause();
    return (await send(operation, input)) as never;
  });
  let held: RecordSet[] = [];
  const dns: Dns = {
    ensureZone: async () => ({ id: 'Z', nameservers: [] }),
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
  const mirrors = { send: async (zones: readonly (typeof sent)[number][]) => void sent.push(...zones) };
  const owner = {
    ...{ name: '', email: '', contactNumber: '', address1: '', city: '', province: '', postalCode: '', country: '' },
  };
  const ids = { accountId: 'acc', id: 'dom' };
  await deps.table.transact([
    create(Domain, {
      ...{ ...ids, name: NAME, tld: 'co.za', status: 'ACTIVE', autoRenew: true, registeredAt: null, expiresAt: null },
      ...{ nameservers: [], dnsProvider: 'PLATFORM', owner, years: 1, yearsAtOnce: 1, privacy: false, createdAt: '' },
    }),
    create(Zone, { accountId: 'acc', domainId: 'dom', name: NAME, version: 0, mirrored: 0, hostedZoneId: 'Z' }),
  ]);
  const needs = { ...deps, dns, mirrors };
  return { chance, clock, memory, mortal, sent, needs, held: () => held };
}

test('of changes that race while the name servers fail and lag, the last one is what they hold in the end', async () => {
  const STORIES = 40;
  let mirrored = 0;
  for (let seed = 1; seed <= STORIES; seed += 1) {
    const { chance, clock, mortal, sent, needs, held } = await world(seed);
    const caller = { accountId: 'acc', keyId: '' };
    const zone = { accountId: 'acc', domainId: 'dom' };
    const mirror = async () => {
      mirrored += 1;
      // A message whose mirroring failed comes again by the reconciler.
      await mirrorZone(needs, zone).catch(() => undefined);
    };
    const changeOne = async (index: number) => {
      const { data } = await listDnsRecords(needs, caller, { id: 'dom' });
      const [first] = data;
      if (first && chance() < 0.4) {
        await deleteDnsRecord(needs, caller, { id: 'dom', recordId: first.id }).catch(() => undefined);
      } else {
        const body = { type: 'A' as const, name: `n${index % 3}`, content: `192.0.2.${index}`, ttl: 60 + index };
        await addDnsRecord(needs, caller, { id: 'dom', ...body });
      }
      await mirror();
    };
    await Promise.all(Array.from({ length: 8 }, (_, index) => changeOne(index)));
    mortal.on = false;
    clock.now += 120_000;
    await reconcileZones(needs);
    for (const of of sent) await mirrorZone(needs, of);
    const { data } = await listDnsRecords(needs, caller, { id: 'dom' });
    const wanted = setsOf(
      NAME,
      data.map((each) => record({ ...each })),
    );
    expect(differences(held(), wanted), `story ${seed}`).toEqual([]);
    const after = await needs.table.get(Zone, zone);
    expect([after?.mirrored, after?.lease]).toEqual([after?.version, undefined]);
  }
  console.log(`${STORIES} stories of eight racing changes, mirrored ${mirrored} times`);
}, 60_000);
