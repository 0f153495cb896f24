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
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
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

test('applies all of many concurrent writes', async () => {
  const { createHostRoutes } = await import('../../../providers/edge/host-routes.ts');
  for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'local');
  const hosts = Array.from({ length: 40 }, (_, index) => `app-${index}.apps.localhost`);
  // Each writer is a separate function on AWS, so no two share a client.
  await Promise.all(hosts.map((host) => createHostRoutes(KvsARN).point([host], `to ${host}`)));
  expect(hosts.map((host) => store.lookup(KvsARN, host))).toEqual(hosts.map((host) => `to ${host}`));
  await Promise.all(hosts.map((host) => createHostRoutes(KvsARN).remove([host])));
  expect(hosts.map((host) => store.lookup(KvsARN, host))).toEqual(hosts.map(() => undefined));
  vi.unstubAllEnvs();
}, 90_000);

test('one process writes many routes in few updates, and none that is there already', async () => {
  const { createHostRoutes } = await import('../../../providers/edge/host-routes.ts');
  for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'local');
  const tag = async () => (await client.send(new DescribeKeyValueStoreCommand({ KvsARN }))).ETag;
  const updates = vi.spyOn(CloudFrontKeyValueStoreClient.prototype, 'send');
  const countUpdates = () => updates.mock.calls.filter(([command]) => command instanceof UpdateKeysCommand).length;
  const routes = createHostRoutes(KvsARN);
  const hosts = Array.from({ length: 60 }, (_, index) => `batch-${index}.apps.localhost`);
  await Promise.all(hosts.map((host) => routes.point([host], 'one')));
  expect(hosts.map((host) => store.lookup(KvsARN, host))).toEqual(hosts.map(() => 'one'));
  // At most 50 keys in each.
  expect(countUpdates()).toBe(2);
  const before = await tag();
  await Promise.all([routes.point(hosts.slice(0, 10), 'one'), routes.resume(hosts.slice(0, 10))]);
  expect([await tag(), countUpdates()]).toEqual([before, 2]);
  // In the order in which they were asked for.
  await Promise.all([routes.remove(hosts.slice(0, 20)), routes.pointIfUnset(hosts.slice(0, 1), 'placeholder')]);
  expect(hosts.slice(0, 2).map((host) => store.lookup(KvsARN, host))).toEqual(['placeholder', undefined]);
  updates.mockRestore();
  vi.unstubAllEnvs();
});

test('does not overwrite an existing route with the placeholder, and a repetition changes nothing', async () => {
  const { createHostRoutes } = await import('../../../providers/edge/host-routes.ts');
  for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'local');
  const routes = createHostRoutes(KvsARN);
  await routes.pointIfUnset(['new.apps.localhost'], 'placeholder');
  expect(store.lookup(KvsARN, 'new.apps.localhost')).toBe('placeholder');
  // The first release and a redelivered creation of the placeholder, in either order.
  await Promise.all([
    routes.point(['new.apps.localhost'], 'release'),
    ...[1, 2, 3].map(() => routes.pointIfUnset(['new.apps.localhost', 'other.apps.localhost'], 'placeholder')),
  ]);
  expect(store.lookup(KvsARN, 'new.apps.localhost')).toBe('release');
  expect(store.lookup(KvsARN, 'other.apps.localhost')).toBe('placeholder');
  vi.unstubAllEnvs();
});

test('a suspension is kept beside the route, and ends with the route', async () => {
  const { createHostRoutes } = await import('../../../providers/edge/host-routes.ts');
  for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'local');
  const routes = createHostRoutes(KvsARN);
  const host = 'held.apps.localhost';
  const seen = () => [store.lookup(KvsARN, host), store.lookup(KvsARN, `suspended:${host}`)];
  await routes.point([host], 'one');
  await routes.suspend([host]);
  await routes.point([host], 'two');
  expect(seen()).toEqual(['two', 'true']);
  await routes.resume([host]);
  await routes.resume([host]);
  expect(seen()).toEqual(['two', undefined]);
  await routes.suspend([host]);
  await routes.remove([host]);
  expect(seen()).toEqual([undefined, undefined]);
  vi.unstubAllEnvs();
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
