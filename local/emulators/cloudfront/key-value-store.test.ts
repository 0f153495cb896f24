import '@aws-sdk/signature-v4a';
import dns from 'node:dns';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CloudFrontKeyValueStoreClient,
  DeleteKeyCommand,
  DescribeKeyValueStoreCommand,
  GetKeyCommand,
  ListKeysCommand,
  PutKeyCommand,
  UpdateKeysCommand,
} from '@aws-sdk/client-cloudfront-keyvaluestore';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { createRouteWriter } from '../../../domain/apps/route-writer.ts';
import { createRouteStore, StaleVersion } from '../../../providers/edge/host-routes.ts';
import type { RouteChange } from '../../../providers/edge/route-changes.ts';
import { Host } from '../../../table/entities/apps.ts';
import { create, remove } from '../../../table/writes.ts';
import { simulation } from '../../../test/simulation/simulation.ts';
import { resolveLocalhostNames } from '../localhost-names.ts';
import { type KeyValueStore, startKeyValueStore } from './key-value-store.ts';

const KvsARN = 'arn:aws:cloudfront::000000000000:key-value-store/routes';
const systemLookup = dns.lookup;
const dataDir = mkdtempSync(join(tmpdir(), 'kvs-'));
let store: KeyValueStore;
let client: CloudFrontKeyValueStoreClient;

beforeAll(async () => {
  resolveLocalhostNames();
  store = await startKeyValueStore({ dataDir, stores: [KvsARN] });
  // Only the endpoint differs from AWS: the SDK adds its own account prefix and signature.
  process.env.AWS_ENDPOINT_URL_CLOUDFRONT_KEYVALUESTORE = store.url;
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  client = new CloudFrontKeyValueStoreClient({ region: 'af-south-1', credentials, maxAttempts: 1 });
});
afterAll(async () => {
  delete process.env.AWS_ENDPOINT_URL_CLOUDFRONT_KEYVALUESTORE;
  client.destroy();
  await store.stop();
  dns.lookup = systemLookup;
  rmSync(dataDir, { recursive: true });
});

test('accepts writes of an unmodified SDK client with the ETag and refuses a stale one', async () => {
  const { ETag: first } = await client.send(new DescribeKeyValueStoreCommand({ KvsARN }));
  const put = await client.send(
    new PutKeyCommand({ KvsARN, IfMatch: first, Key: 'a.apps.localhost', Value: 'x.on.aws' }),
  );
  expect(put).toMatchObject({ ItemCount: 1, TotalSizeInBytes: 24 });
  expect(put.ETag).not.toBe(first);
  const stale = client.send(new PutKeyCommand({ KvsARN, IfMatch: first, Key: 'b', Value: 'y' }));
  await expect(stale).rejects.toMatchObject({ name: 'ValidationException', message: /Pre-Condition failed/ });
  expect(store.lookup(KvsARN, 'a.apps.localhost')).toBe('x.on.aws');
  expect(store.lookup(KvsARN, 'b')).toBeUndefined();
  const got = await client.send(new GetKeyCommand({ KvsARN, Key: 'a.apps.localhost' }));
  expect(got.Value).toBe('x.on.aws');
});

test('changes several keys at once, pages by token, and accepts the deletion of a missing key', async () => {
  const { ETag } = await client.send(new DescribeKeyValueStoreCommand({ KvsARN }));
  const Puts = ['b', 'c', 'd/e'].map((Key) => ({ Key, Value: Key }));
  const updated = await client.send(
    new UpdateKeysCommand({ KvsARN, IfMatch: ETag, Puts, Deletes: [{ Key: 'a.apps.localhost' }] }),
  );
  const one = await client.send(new ListKeysCommand({ KvsARN, MaxResults: 2 }));
  const two = await client.send(new ListKeysCommand({ KvsARN, MaxResults: 2, NextToken: one.NextToken }));
  expect([...(one.Items ?? []), ...(two.Items ?? [])].map(({ Key }) => Key)).toEqual(['b', 'c', 'd/e']);
  expect(two.NextToken).toBeUndefined();
  const same = await client.send(new DeleteKeyCommand({ KvsARN, IfMatch: updated.ETag, Key: 'absent' }));
  expect(same.ETag).toBe(updated.ETag);
});

/** Has clients find what a function of Lambda finds, until the test ends. */
function asFunction() {
  for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'local');
  onTestFinished(() => void vi.unstubAllEnvs());
}

/** The store as the platform's functions use it, and changes that nothing else comes between. */
function routes() {
  asFunction();
  const own = createRouteStore(KvsARN);
  const make = async (...changes: RouteChange[]) => await own.update(await own.version(), changes);
  return { own, make };
}

test('makes all changes of many processes at once, in few updates', async () => {
  asFunction();
  const sent = vi.spyOn(CloudFrontKeyValueStoreClient.prototype, 'send');
  const { steady } = simulation();
  const deps = { ...steady.deps, now: () => new Date() };
  const hosts = Array.from({ length: 40 }, (_, index) => `app-${index}.apps.localhost`);
  // Each writer is a separate function on AWS, so no two share a client.
  const writer = () => createRouteWriter(deps, 'home', createRouteStore(KvsARN));
  const owner = { accountId: 'acc_1', applicationId: 'app_1' };
  await deps.table.transact(hosts.map((host) => create(Host, { host, ...owner })));
  await Promise.all(hosts.map((host) => writer().point([host], `to ${host}`, 'app_1')));
  expect(hosts.map((host) => store.lookup(KvsARN, host))).toEqual(hosts.map((host) => `to ${host}`));
  await deps.table.transact(hosts.map((host) => remove(Host, { host })));
  await Promise.all(hosts.map((host) => writer().remove([host], 'app_1')));
  expect(hosts.map((host) => store.lookup(KvsARN, host))).toEqual(hosts.map(() => undefined));
  const updates = sent.mock.calls.filter(([command]) => command instanceof UpdateKeysCommand);
  expect(updates.length).toBeLessThan(20);
  sent.mockRestore();
});

test('an update has as many changes as fit into it, and none that is there already', async () => {
  const { own, make } = routes();
  const point = (host: string): RouteChange => ({ kind: 'point', hosts: [host], target: 'one' });
  const hosts = Array.from({ length: 60 }, (_, index) => `batch-${index}.apps.localhost`);
  // At most 50 keys in each, the mark among them.
  expect(await make(...hosts.map(point))).toBe(50);
  expect(await own.update(await own.version(), hosts.slice(11).map(point), 'mark')).toBe(49);
  expect(hosts.map((host) => store.lookup(KvsARN, host))).toEqual(hosts.map(() => 'one'));
  const before = await own.version();
  expect(await make(...hosts.slice(0, 10).map(point), { kind: 'resume', hosts: hosts.slice(0, 10) })).toBe(11);
  expect(await own.version()).toBe(before);
  // In the order in which they were asked for.
  const first = hosts.slice(0, 1);
  await make(
    { kind: 'remove', hosts: hosts.slice(0, 20) },
    { kind: 'pointIfUnset', hosts: first, target: 'placeholder' },
  );
  expect(hosts.slice(0, 2).map((host) => store.lookup(KvsARN, host))).toEqual(['placeholder', undefined]);
});

test('an update of an earlier version is refused, and a mark makes a new version where no route changes', async () => {
  const { own, make } = routes();
  const point = (target: string): RouteChange => ({ kind: 'point', hosts: ['late.apps.localhost'], target });
  await make(point('one'));
  const version = await own.version();
  expect(await own.update(version, [point('one')], 'rch_2')).toBe(1);
  expect(await own.version()).not.toBe(version);
  await expect(own.update(version, [point('two')])).rejects.toThrow(StaleVersion);
  expect(store.lookup(KvsARN, 'late.apps.localhost')).toBe('one');
});

test('does not overwrite an existing route with the placeholder, and a repetition changes nothing', async () => {
  const { make } = routes();
  const host = 'new.apps.localhost';
  const open: RouteChange = { kind: 'pointIfUnset', hosts: [host, 'other.apps.localhost'], target: 'placeholder' };
  await make({ ...open, hosts: [host] });
  expect(store.lookup(KvsARN, host)).toBe('placeholder');
  // The first release and a redelivered creation of the placeholder, in either order.
  await make(open, { kind: 'point', hosts: [host], target: 'release' }, open);
  expect(store.lookup(KvsARN, host)).toBe('release');
  expect(store.lookup(KvsARN, 'other.apps.localhost')).toBe('placeholder');
});

test('a suspension is kept beside the route, and ends with the route', async () => {
  const { make } = routes();
  const hosts = ['held.apps.localhost'];
  const seen = () => [
    store.lookup(KvsARN, 'held.apps.localhost'),
    store.lookup(KvsARN, 'suspended:held.apps.localhost'),
  ];
  await make({ kind: 'point', hosts, target: 'one' });
  await make({ kind: 'suspend', hosts });
  await make({ kind: 'point', hosts, target: 'two' });
  expect(seen()).toEqual(['two', 'true']);
  await make({ kind: 'resume', hosts });
  await make({ kind: 'resume', hosts });
  expect(seen()).toEqual(['two', undefined]);
  await make({ kind: 'suspend', hosts });
  await make({ kind: 'remove', hosts });
  expect(seen()).toEqual([undefined, undefined]);
});

test('answers not found for a missing key or store, and keeps its content over a restart', async () => {
  await expect(client.send(new GetKeyCommand({ KvsARN, Key: 'absent' }))).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  });
  const other = client.send(new DescribeKeyValueStoreCommand({ KvsARN: `${KvsARN}2` }));
  await expect(other).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  const again = await startKeyValueStore({ dataDir, stores: [KvsARN] });
  expect(again.lookup(KvsARN, 'd/e')).toBe('d/e');
  await again.stop();
});
