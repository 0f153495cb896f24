import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ChangeResourceRecordSetsCommand,
  ListResourceRecordSetsCommand,
  Route53Client,
} from '@aws-sdk/client-route-53';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDns, type Dns, type RecordSet } from '../../../providers/dns/dns.ts';
import { type Route53, startRoute53 } from './route53.ts';

/** Tests the emulator with Amazon's own client, through the platform's provider. */
let dataDir: string;
let route53: Route53;
let dns: Dns;

async function start(): Promise<void> {
  route53 = await startRoute53({ dataDir });
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  dns = createDns(new Route53Client({ region: 'us-east-1', endpoint: route53.url, credentials, maxAttempts: 1 }));
}
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'route53-'));
  await start();
});
afterEach(async () => {
  await route53.stop();
  rmSync(dataDir, { recursive: true });
});

const a = (name: string, ...values: string[]): RecordSet => ({ name, type: 'A', ttl: 300, values });
const upsert = (set: RecordSet) => ({ action: 'UPSERT' as const, set });
const remove = (set: RecordSet) => ({ action: 'DELETE' as const, set });

test('creates a zone once, finds it by name and keeps it over a restart', async () => {
  const zone = await dns.ensureZone('shop.co.za', 'one', []);
  expect(zone.nameservers).toHaveLength(4);
  await dns.ensureZone('op.co.za', 'two', []);
  expect(await dns.ensureZone('shop.co.za', 'three', [])).toEqual(zone);
  await dns.change(zone.id, [upsert(a('*.shop.co.za', '192.0.2.1'))]);
  await route53.stop();
  await start();
  expect(await dns.ensureZone('shop.co.za', 'four', [])).toEqual(zone);
  expect(await dns.recordSets(zone.id, 'shop.co.za')).toEqual([a('*.shop.co.za', '192.0.2.1')]);
  expect(route53.zoneOf('x.shop.co.za')?.name).toBe('shop.co.za');
  expect(route53.zoneOf('myshop.co.za')).toBeUndefined();
});

test('writes 700 record sets in batches and returns them in pages, with all characters of texts', async () => {
  const { id } = await dns.ensureZone('shop.co.za', 'one', []);
  const sets = Array.from({ length: 700 }, (_, index) => a(`n${index}.shop.co.za`, `192.0.2.${index % 250}`));
  const text = { name: 'shop.co.za', type: 'TXT', ttl: 60, values: ['"a&b <c> \\"d\\" \\\\" "\\342\\230\\200"'] };
  await dns.change(id, [...sets, text].map(upsert));
  const found = await dns.recordSets(id, 'shop.co.za');
  const byName = (one: RecordSet, other: RecordSet) => (one.name < other.name ? -1 : 1);
  expect(found.sort(byName)).toEqual([...sets, text].sort(byName));
});

test('deletes only exact matches and applies a batch as a whole', async () => {
  const { id } = await dns.ensureZone('shop.co.za', 'one', []);
  const www = a('www.shop.co.za', '192.0.2.1', '192.0.2.2');
  await dns.change(id, [upsert(www)]);
  const other = a('other.shop.co.za', '192.0.2.3');
  for (const wrong of [{ ...www, ttl: 60 }, { ...www, values: ['192.0.2.1'] }, other]) {
    const batch = dns.change(id, [upsert(other), remove(wrong), ...(wrong === other ? [remove(other)] : [])]);
    await expect(batch).rejects.toMatchObject({ name: 'InvalidChangeBatch' });
  }
  expect(await dns.recordSets(id, 'shop.co.za')).toEqual([www]);
  const alias = { name: 'www.shop.co.za', type: 'CNAME', ttl: 60, values: ['example.net.'] };
  await expect(dns.change(id, [upsert(alias)])).rejects.toMatchObject({ name: 'InvalidChangeBatch' });
  await dns.change(id, [remove(www), upsert(alias)]);
  expect(await dns.recordSets(id, 'shop.co.za')).toEqual([alias]);
});

test('accepts an alias in place of values, also at the zone apex, but not beside a CNAME', async () => {
  const { id } = await dns.ensureZone('shop.co.za', 'dom_1', []);
  const alias = (type: string, name = 'shop.co.za'): RecordSet => ({
    name,
    type,
    ttl: 0,
    values: [],
    alias: 'd111.cloudfront.net',
  });
  await dns.change(id, [upsert(alias('A')), upsert(alias('AAAA'))]);
  expect(await dns.recordSets(id, 'shop.co.za')).toEqual([alias('A'), alias('AAAA')]);
  await expect(dns.change(id, [upsert({ ...alias('TXT') })])).rejects.toMatchObject({ name: 'InvalidChangeBatch' });
  await expect(dns.change(id, [remove({ ...alias('A'), alias: 'd2.cloudfront.net' })])).rejects.toMatchObject({
    name: 'InvalidChangeBatch',
  });
  await dns.change(id, [remove(alias('A')), upsert(a('shop.co.za', '192.0.2.1'))]);
  expect(await dns.recordSets(id, 'shop.co.za')).toEqual([a('shop.co.za', '192.0.2.1'), alias('AAAA')]);
});

test('refuses what Route 53 refuses: long values, large sets and large requests', async () => {
  const { id } = await dns.ensureZone('shop.co.za', 'one', []);
  const text = (name: string, ...values: string[]): RecordSet => ({ name, type: 'TXT', ttl: 60, values });
  const long = text('shop.co.za', `${'"x" '.repeat(1000)}"x"`);
  await expect(dns.change(id, [upsert(long)])).rejects.toMatchObject({ name: 'InvalidInput' });
  const string = (length: number) => upsert(text('shop.co.za', `"${'x'.repeat(length)}\\303"`));
  await expect(dns.change(id, [string(255)])).rejects.toMatchObject({ name: 'InvalidChangeBatch' });
  const many = a('www.shop.co.za', ...Array.from({ length: 401 }, (_, index) => `192.0.${index >> 8}.${index & 255}`));
  await expect(dns.change(id, [upsert(many)])).rejects.toMatchObject({ name: 'InvalidChangeBatch' });
  const large = text(
    'shop.co.za',
    ...Array.from({ length: 10 }, (_, index) => `"${index}" "${'x'.repeat(250)}" `.repeat(7).trim()),
  );
  await expect(dns.change(id, [upsert(large)])).rejects.toMatchObject({ name: 'InvalidChangeBatch' });
  expect(await dns.recordSets(id, 'shop.co.za')).toEqual([]);
  await dns.change(id, [string(254)]);
});

test('keeps the records of the zone itself', async () => {
  const client = new Route53Client({
    region: 'us-east-1',
    endpoint: route53.url,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  const { id } = await dns.ensureZone('shop.co.za', 'one', []);
  const { ResourceRecordSets = [] } = await client.send(new ListResourceRecordSetsCommand({ HostedZoneId: id }));
  expect(ResourceRecordSets.map(({ Type }) => Type)).toEqual(['NS', 'SOA']);
  for (const ResourceRecordSet of ResourceRecordSets) {
    const ChangeBatch = { Changes: [{ Action: 'DELETE' as const, ResourceRecordSet }] };
    const deletion = new ChangeResourceRecordSetsCommand({ HostedZoneId: id, ChangeBatch });
    await expect(client.send(deletion)).rejects.toMatchObject({ name: 'InvalidChangeBatch' });
  }
});

test('splits changes by their values: 40 sets of 100 addresses need several requests', async () => {
  const { id } = await dns.ensureZone('shop.co.za', 'one', []);
  const sets = Array.from({ length: 40 }, (_, set) =>
    a(`n${set}.shop.co.za`, ...Array.from({ length: 100 }, (_, index) => `192.0.${set}.${index}`)),
  );
  await dns.change(id, sets.map(upsert));
  expect(await dns.recordSets(id, 'shop.co.za')).toHaveLength(40);
});
