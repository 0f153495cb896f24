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
  // Only the endpoint differs from what runs on AWS: the SDK's own account prefix and signature.
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

test('an unmodified SDK client writes with the ETag, and a stale one is refused', async () => {
  const { ETag: first } = await client.send(new DescribeKeyValueStoreCommand({ KvsARN }));
  const put = await client.send(
    new PutKeyCommand({ KvsARN, IfMatch: first, Key: 'a.apps.localhost', Value: 'x.on.aws' }),
  );
  expect(put).toMatchObject({ ItemCount: 1, TotalSizeInBytes: 24 });
  expect(put.ETag).not.toBe(first);
  const stale = client.send(new PutKeyCommand({ KvsARN, IfMatch: first, Key: 'b', Value: 'y' }));
  await expect(stale).rejects.toMatchObject({ name: 'ValidationException', message: /Pre-Condition failed/ });
  expect(store.lookup('a.apps.localhost')).toBe('x.on.aws');
  expect(store.lookup('b')).toBeUndefined();
  const got = await client.send(new GetKeyCommand({ KvsARN, Key: 'a.apps.localhost' }));
  expect(got.Value).toBe('x.on.aws');
});

test('several keys change at once; pages follow the token; deleting what is not there succeeds', async () => {
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

test('of many who write at once all get through, each with its own', async () => {
  const { createHostRoutes } = await import('../../../providers/edge/host-routes.ts');
  for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'local');
  const hosts = Array.from({ length: 40 }, (_, index) => `app-${index}.apps.localhost`);
  // Each is a function of its own on AWS: no two share a client.
  await Promise.all(hosts.map((host) => createHostRoutes(KvsARN).point([host], `to ${host}`)));
  expect(hosts.map((host) => store.lookup(host))).toEqual(hosts.map((host) => `to ${host}`));
  await Promise.all(hosts.map((host) => createHostRoutes(KvsARN).remove([host])));
  expect(hosts.map((host) => store.lookup(host))).toEqual(hosts.map(() => undefined));
  vi.unstubAllEnvs();
}, 90_000);

test('a route that leads somewhere is not opened over, and a repeat changes nothing', async () => {
  const { createHostRoutes } = await import('../../../providers/edge/host-routes.ts');
  for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'local');
  const routes = createHostRoutes(KvsARN);
  await routes.open(['new.apps.localhost'], 'placeholder');
  expect(store.lookup('new.apps.localhost')).toBe('placeholder');
  // The first release, and the opening told again, whichever of them is faster.
  await Promise.all([
    routes.point(['new.apps.localhost'], 'release'),
    ...[1, 2, 3].map(() => routes.open(['new.apps.localhost', 'other.apps.localhost'], 'placeholder')),
  ]);
  expect(store.lookup('new.apps.localhost')).toBe('release');
  expect(store.lookup('other.apps.localhost')).toBe('placeholder');
  vi.unstubAllEnvs();
});

test('an absent key or store is not found; a restart keeps what was written', async () => {
  await expect(client.send(new GetKeyCommand({ KvsARN, Key: 'absent' }))).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  });
  const other = client.send(new DescribeKeyValueStoreCommand({ KvsARN: `${KvsARN}2` }));
  await expect(other).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  const again = await startKeyValueStore({ dataDir, stores: [KvsARN] });
  expect(again.lookup('d/e')).toBe('d/e');
  await again.stop();
});
