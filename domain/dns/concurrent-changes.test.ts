import { expect, test } from 'vitest';
import { MAX_RECORDS } from '../../contract/dns/records.ts';
import { DnsRecord, recordsOf, Zone, zoneChanged } from '../../table/entities/dns.ts';
import { Domain } from '../../table/entities/registrar.ts';
import { change, create } from '../../table/writes.ts';
import { simulatedDomain } from '../../test/simulation/domains.ts';
import {
  interruptEach,
  noFaults,
  seededRandom,
  simulation,
  withRandomDelays,
} from '../../test/simulation/simulation.ts';
import { concurrentUpdate, retryOnConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { addDnsRecord, deleteDnsRecord, replaceDnsRecord } from './records.ts';
import { assertNoConflict } from './rules.ts';

/** Concurrent changes of one domain's records, by this version and by an earlier one beside it. */

const OF = { accountId: 'acc', domainId: 'dom' };
const CALLER = { accountId: 'acc', keyId: '' };

async function world(options: Parameters<typeof simulation>[0] = {}) {
  const { steady, startProcess } = simulation(options);
  const { deps } = steady;
  await deps.table.transact([
    create(Domain, simulatedDomain({ id: 'dom', accountId: 'acc', name: 'shop.co.za' })),
    create(Zone, { ...OF, name: 'shop.co.za', version: 0, mirrored: 0, hostedZoneId: 'Z' }),
  ]);
  const all = () => deps.table.all(DnsRecord, recordsOf('dom'));
  return { deps, startProcess, all };
}

type Fields = Pick<DnsRecord, 'type' | 'name' | 'content'>;
const a = (name: string, number = 1): Fields => ({ type: 'A', name, content: `192.0.2.${number}` });
const cname = (name: string): Fields => ({ type: 'CNAME', name, content: 'x.example.net' });
const add = (deps: Deps, fields: Fields) => addDnsRecord(deps, CALLER, { id: 'dom', ttl: 60, ...fields });

/** Adds a record as release 0.2.0 does: on the condition of the zone's version alone, and without the fields that it does not know. */
const addInEarlierRelease = (deps: Deps, given: Fields) =>
  retryOnConflict(
    async () => {
      const zone = await deps.table.get(Zone, OF);
      const records = await deps.table.all(DnsRecord, recordsOf('dom'));
      const fields = { ...given, ttl: 60, prio: 0 };
      assertNoConflict(fields, records);
      const when = { version: { is: zone?.version ?? 0 } };
      const what = { set: zoneChanged(deps.now(), {}), add: { version: 1 }, when };
      const record = { ...fields, id: deps.newId('rec'), domainId: 'dom', createdAt: '' };
      await deps.table.transact([change(Zone, OF, what, concurrentUpdate), create(DnsRecord, record)]);
    },
    { attempts: 60 },
  );

/** Counts the attempts to commit. */
function counting(deps: Deps) {
  const counted = { attempts: 0 };
  const commit: Deps['commit'] = async (...given) => {
    counted.attempts += 1;
    return await deps.commit(...given);
  };
  return { counted, deps: { ...deps, commit } };
}

test('twenty concurrent additions with different names hardly compete', async () => {
  const { deps, all } = await world({ through: withRandomDelays });
  await add(deps, a('first'));
  const { counted, deps: own } = counting(deps);
  const names = ['www', 'mail', 'api', 'app', 'blog', 'shop', 'dev', 'docs', 'cdn', 'static', 'img', 'test'];
  names.push('staging', 'admin', 'ftp', 'vpn', 'git', 'status', 'help', 'm');
  await Promise.all(names.map((name) => add(own, a(name))));
  expect(await all()).toHaveLength(21);
  expect(await deps.table.get(Zone, OF)).toMatchObject({ version: 21 });
  // Names are counted in groups, so a few of them compete.
  expect(counted.attempts).toBeLessThan(30);
});

/** Other changes that make an addition of a CNAME of `www` invalid. */
const RIVALS: Record<string, (deps: Deps) => Promise<unknown>> = {
  'this version adds': (deps) => add(deps, a('www')),
  'an earlier release adds': (deps) => addInEarlierRelease(deps, a('www')),
  'an earlier release adds, and then this version elsewhere': async (deps) => {
    await addInEarlierRelease(deps, a('www'));
    await add(deps, a('blog'));
  },
  'this version replaces': async (deps) => {
    const records = await deps.table.all(DnsRecord, recordsOf('dom'));
    const recordId = records.find(({ name }) => name === 'old')?.id ?? '';
    await replaceDnsRecord(deps, CALLER, { id: 'dom', recordId, ttl: 60, ...a('www') });
  },
};

test.each(Object.keys(RIVALS))(
  'a CNAME is refused at whatever step another record of its name is stored: %s',
  async (rival) => {
    await interruptEach(async ({ by }) => {
      const { deps, startProcess, all } = await world();
      await add(deps, a('old'));
      const { deps: own } = startProcess({ faults: by(async () => await RIVALS[rival]?.(deps)) });
      const [result] = await Promise.allSettled([add(own, cname('www'))]);
      const stored = (await all()).filter(({ name }) => name === 'www');
      if (stored.some(({ type }) => type === 'A')) expect(result.status).toBe('rejected');
      expect(stored).toHaveLength(1);
    });
  },
);

test('an earlier release refuses a record beside a CNAME that this version stores at whatever step', async () => {
  await interruptEach(async ({ by }) => {
    const { deps, startProcess, all } = await world();
    await add(deps, a('old'));
    const { deps: own } = startProcess({ faults: by(async () => await add(deps, cname('www'))) });
    await Promise.allSettled([addInEarlierRelease(own, a('www'))]);
    expect((await all()).filter(({ name }) => name === 'www')).toHaveLength(1);
  });
});

test('concurrent additions, deletions and replacements by both versions keep the rules of a name', async () => {
  for (let seed = 1; seed <= 8; seed += 1) {
    const random = seededRandom(seed);
    const { deps, all } = await world({ through: withRandomDelays });
    const pick = <T>(values: readonly T[]) => values[Math.floor(random() * values.length)] as T;
    const fields = () => pick([cname, a, a])(pick(['www', 'blog', 'api']));
    const step = async () => {
      const kind = random();
      const [wanted, place] = [fields(), random()];
      if (kind < 0.5) return await add(deps, wanted);
      if (kind < 0.65) return await addInEarlierRelease(deps, wanted);
      const records = await all();
      const recordId = records[Math.floor(place * records.length)]?.id ?? '';
      if (kind < 0.85) return await deleteDnsRecord(deps, CALLER, { id: 'dom', recordId });
      return await replaceDnsRecord(deps, CALLER, { id: 'dom', recordId, ttl: 60, ...wanted });
    };
    const lanes = Array.from({ length: 6 }, async () => {
      for (let turn = 0; turn < 12; turn += 1) await Promise.allSettled([step()]);
    });
    await Promise.all(lanes);
    const records = await all();
    for (const record of records) {
      const others = records.filter(({ id }) => id !== record.id);
      expect(() => assertNoConflict(record, others)).not.toThrow();
    }
  }
});

test('of concurrent additions, as many succeed as the domain has room for', async () => {
  const { deps, startProcess, all } = await world({ through: withRandomDelays });
  for (let index = 0; index < MAX_RECORDS - 6; index += 1)
    await deps.table.transact([
      create(DnsRecord, { ...a(`h${index}`), ttl: 60, prio: 0, domainId: 'dom', createdAt: '', id: `rec_${index}` }),
    ]);
  await deps.table.write(Zone, change(Zone, OF, { set: { version: MAX_RECORDS - 6 } }));
  await add(deps, a('first'));
  await add(deps, a('second'));
  await deleteDnsRecord(deps, CALLER, { id: 'dom', recordId: 'rec_0' });
  const { deps: other } = startProcess({ faults: noFaults });
  const results = await Promise.allSettled(Array.from({ length: 20 }, (_, index) => add(other, a(`late${index}`))));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  expect(await all()).toHaveLength(MAX_RECORDS);
});
