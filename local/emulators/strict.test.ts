import '@aws-sdk/signature-v4a';
import dns from 'node:dns';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CloudFrontKeyValueStoreClient,
  DescribeKeyValueStoreCommand,
  UpdateKeysCommand,
} from '@aws-sdk/client-cloudfront-keyvaluestore';
import { GetHostedZoneCommand, Route53Client } from '@aws-sdk/client-route-53';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { AWS_LIMITS } from '../../contract/limits/aws-limits.ts';
import { createDns } from '../../providers/dns/dns.ts';
import { startKeyValueStore } from './cloudfront/key-value-store.ts';
import { startCloudWatchLogs } from './cloudwatch-logs/cloudwatch-logs.ts';
import { resolveLocalhostNames } from './localhost-names.ts';
import { startRoute53 } from './route53/route53.ts';
import { createThrottle } from './strict.ts';
import { type Emulator, ServiceError } from './wire.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'strict-'));
const access = { region: 'us-east-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' }, maxAttempts: 1 };
const systemLookup = dns.lookup;
let emulator: Emulator | undefined;

beforeAll(resolveLocalhostNames);
afterEach(async () => {
  await emulator?.stop();
  emulator = undefined;
});
afterAll(() => {
  dns.lookup = systemLookup;
  rmSync(dataDir, { recursive: true });
});
const errorsOf = (results: PromiseSettledResult<unknown>[]) =>
  results.flatMap((result) => (result.status === 'rejected' ? [result.reason.name as string] : []));

test('a rate is a token bucket: a burst, then so many a second, and a refusal takes nothing', () => {
  let now = 0;
  const throttle = createThrottle(
    true,
    () => new ServiceError('Throttling', 'Rate exceeded'),
    () => now,
  );
  const accepted = (times: number): number => {
    let count = 0;
    for (let index = 0; index < times; index += 1) {
      try {
        throttle('route53Rate');
        count += 1;
      } catch (error) {
        expect(error).toMatchObject({ name: 'Throttling' });
      }
    }
    return count;
  };
  const { burst, value } = AWS_LIMITS.route53Rate;
  expect(accepted(burst + 20)).toBe(burst);
  now += 1000;
  expect(accepted(burst)).toBe(value);
  now += 3_600_000;
  expect(accepted(burst + 20)).toBe(burst);
});

test('Route 53 answers Throttling beyond its rate, which the SDK repeats', async () => {
  emulator = await startRoute53({ dataDir, strict: true });
  const client = new Route53Client({ ...access, endpoint: emulator.url });
  const asked = Array.from({ length: 4 * AWS_LIMITS.route53Rate.burst }, () =>
    client.send(new GetHostedZoneCommand({ Id: 'Z0' })),
  );
  const names = errorsOf(await Promise.allSettled(asked));
  expect(new Set(names)).toEqual(new Set(['NoSuchHostedZone', 'Throttling']));
  const patient = new Route53Client({ ...access, endpoint: emulator.url, maxAttempts: 8 });
  await expect(patient.send(new GetHostedZoneCommand({ Id: 'Z0' }))).rejects.toMatchObject({
    name: 'NoSuchHostedZone',
  });
  // Its tokens are spent: the platform's provider says that the next request is not to blame.
  const dns = createDns(new Route53Client({ ...access, endpoint: emulator.url, maxAttempts: 1 }));
  const busy = await Promise.allSettled(Array.from({ length: 40 }, () => dns.recordSets('Z0', 'shop.co.za')));
  expect(errorsOf(busy)).toContain('NameServersBusy');
});

test('CloudWatch Logs refuses reads of a log beyond its rate', async () => {
  emulator = await startCloudWatchLogs({ dataDir, strict: true });
  const { url } = emulator;
  const read = async () => {
    const headers = { 'x-amz-target': 'Logs_20140328.FilterLogEvents' };
    const body = JSON.stringify({ logGroupName: 'absent' });
    return (await fetch(url, { method: 'POST', headers, body })).headers.get('x-amzn-errortype');
  };
  const answers = await Promise.all(Array.from({ length: 10 * AWS_LIMITS.logsFilterRate.value }, read));
  expect(new Set(answers)).toEqual(new Set(['ResourceNotFoundException', 'ThrottlingException']));
});

test('of writers of a key value store with one ETag, one gets through; sizes are CloudFront’s', async () => {
  const KvsARN = 'arn:aws:cloudfront::000000000000:key-value-store/routes';
  emulator = await startKeyValueStore({ dataDir, stores: [KvsARN], strict: true });
  const client = new CloudFrontKeyValueStoreClient({ ...access, endpoint: emulator.url });
  const tag = async () => (await client.send(new DescribeKeyValueStoreCommand({ KvsARN }))).ETag;
  const write = (IfMatch: string | undefined, Puts: { Key: string; Value: string }[]) =>
    client.send(new UpdateKeysCommand({ KvsARN, IfMatch, Puts }));
  const first = await tag();
  const racing = ['a', 'b', 'c'].map((Key) => write(first, [{ Key, Value: 'x' }]));
  expect(errorsOf(await Promise.allSettled(racing))).toEqual(['ValidationException', 'ValidationException']);

  const { keyValueStoreKeyBytes, keyValueStoreValueBytes, keyValueStoreUpdateKeys } = AWS_LIMITS;
  const many = Array.from({ length: keyValueStoreUpdateKeys.value + 1 }, (_, index) => ({
    Key: `k${index}`,
    Value: '',
  }));
  for (const Puts of [
    [{ Key: 'k'.repeat(keyValueStoreKeyBytes.value + 1), Value: '' }],
    [{ Key: 'k', Value: 'v'.repeat(keyValueStoreValueBytes.value + 1) }],
    many,
  ])
    await expect(write(await tag(), Puts)).rejects.toMatchObject({ name: 'ValidationException' });
  await write(await tag(), many.slice(1));
});
