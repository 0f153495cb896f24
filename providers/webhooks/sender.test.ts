import { connect, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import {
  FAILING_RECEIVERS,
  type Receiver,
  receiver,
  secureReceiver,
  trustedAuthority,
} from '../../test/support/receivers.ts';
import { truncateText } from './body.ts';
import { formatHeaders, MAX_KEPT_HEADERS } from './exchange-record.ts';
import { createWebhookSender } from './sender.ts';

// The intended defect of a certificate shows only if its authority is trusted.
setDefaultCACertificates([...getCACertificates(), trustedAuthority.cert]);

const DEADLINE = 1500;
const sender = createWebhookSender({ allowLocal: true, deadline: DEADLINE });
const running: Receiver[] = [];
const started = async (made: Promise<Receiver>) => {
  const one = await made;
  running.push(one);
  return one;
};
afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.stop()));
});

test('sends the body and the headers unchanged and keeps the response', async () => {
  const one = await started(receiver((_, response) => response.writeHead(201).end('thanks ✓')));
  const sent = await sender.send(one.url, { 'content-type': 'application/json', 'x-a': '1' }, '{"ü":1}');
  expect(sent).toMatchObject({ outcome: 'DELIVERED', status: 201, body: 'thanks ✓' });
  expect(one.received).toMatchObject([
    { path: '/hook', body: '{"ü":1}', headers: { 'x-a': '1', 'content-length': '8' } },
  ]);
});

test.each([
  [204, 'gzip'],
  [204, 'br'],
  [200, 'gzip'],
  [200, 'deflate'],
  [200, 'zstd'],
])('%i without a body is a success with any content coding: %s', async (status, coding) => {
  const headers = { 'content-encoding': coding, ...(status === 200 ? { 'content-length': 0 } : {}) };
  const one = await started(receiver((_, response) => response.writeHead(status, headers).end()));
  expect(await sender.send(one.url, {}, '{}')).toMatchObject({ outcome: 'DELIVERED', status, body: '' });
});

test('ignores an unknown content coding', async () => {
  const one = await started(
    receiver(({ headers }, response) =>
      response.writeHead(200, { 'content-encoding': String(headers['x-coding']) }).end('thanks'),
    ),
  );
  for (const coding of [...Object.getOwnPropertyNames(Object.prototype), 'unknown'])
    expect(await sender.send(one.url, { 'x-coding': coding }, '{}')).toMatchObject({ status: 200, body: 'thanks' });
});

test('keeps the headers of the response without secrets, and the time of each part', async () => {
  const headers = { 'Content-Type': 'text/plain', 'Set-Cookie': ['a=1', 'b=2'], 'X-Token': 'hush', 'X-Id': '7' };
  const one = await started(receiver((_, response) => response.writeHead(500, headers).end('no')));
  const sent = await sender.send(one.url, {}, '{}');
  expect(sent.timing).toMatchObject({ dnsMs: null, tlsMs: null });
  const lines = sent.headers.split('\n');
  expect(lines).toEqual(expect.arrayContaining(['Content-Type: text/plain', 'X-Id: 7', 'X-Token: [redacted]']));
  expect(lines.filter((line) => line === 'Set-Cookie: [redacted]')).toHaveLength(2);
  expect(sent.headers).not.toMatch(/a=1|b=2|hush/);
  const url = (await started(secureReceiver())).url.replace('127.0.0.1', 'localhost');
  const { dnsMs, connectMs, tlsMs, firstByteMs } = (await sender.send(url, {}, '{}')).timing;
  for (const part of [dnsMs, connectMs, tlsMs, firstByteMs]) expect(part).toBeGreaterThanOrEqual(0);
  const again = await sender.send(url, {}, '{}');
  expect(again.timing).toMatchObject({ connectMs: null, tlsMs: null, firstByteMs: expect.any(Number) });
});

test('keeps at most 1 KB of headers, and only whole headers', async () => {
  const raw = Array.from({ length: 100 }, (_, at) => [`X-Header-${at}`, 'v'.repeat(40)]).flat();
  const kept = formatHeaders(raw);
  expect(kept.length).toBeLessThanOrEqual(MAX_KEPT_HEADERS);
  expect(kept.split('\n').every((line) => /^X-Header-\d+: v{40}$/.test(line))).toBe(true);
  expect(formatHeaders([])).toBe('');
});

test('requires a certificate for the host from a trusted authority', async () => {
  const one = await started(secureReceiver());
  for (const url of [one.url, one.url.replace('127.0.0.1', 'localhost')]) {
    expect(await sender.send(url, {}, '{}')).toMatchObject({ outcome: 'DELIVERED', status: 200 });
  }
  expect(one.received).toHaveLength(2);
});

test.each<[keyof typeof FAILING_RECEIVERS, string]>([
  ['has a certificate for another name', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['has a certificate for another address', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['has a certificate that has expired', 'CERT_HAS_EXPIRED'],
  ['has a certificate that is not valid yet', 'CERT_NOT_YET_VALID'],
  ['has signed its certificate itself', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ['has a certificate by an unknown authority', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
])('reports the receiver that %s with that outcome', async (name, code) => {
  const { port } = new URL((await started(FAILING_RECEIVERS[name].make())).url);
  const socket = connect({ host: '127.0.0.1', port: Number(port) });
  const failed = await new Promise((resolve) => socket.once('error', resolve).once('secureConnect', resolve));
  socket.destroy();
  expect(failed).toMatchObject({ code });
});

describe('a failing receiver', () => {
  const failing: Receiver[] = [];
  afterAll(() => Promise.all(failing.map((one) => one.stop())));

  test.each(Object.entries(FAILING_RECEIVERS))('%s', async (_, { make, outcome, status }) => {
    const one = await make();
    failing.push(one);
    const before = process.memoryUsage().rss;
    const sent = await sender.send(one.url, {}, '{}');
    expect(sent).toMatchObject({ outcome, status });
    expect(Buffer.byteLength(sent.body)).toBeLessThanOrEqual(8192);
    expect(sent.durationMs).toBeLessThan(5 * DEADLINE);
    expect(process.memoryUsage().rss - before).toBeLessThan(250_000_000);
    // Redirects are not followed, and no request is repeated.
    expect(one.received.length).toBeLessThanOrEqual(1);
  });

  test('keeps no connection', async () => {
    expect(failing.length).toBe(Object.keys(FAILING_RECEIVERS).length);
    // Those that are kept for the next attempt end after a second.
    for (const one of failing) await expect.poll(() => one.connections(), { timeout: 60_000 }).toBe(0);
  });

  test('does not affect others', async () => {
    const good = await started(receiver());
    const bad = await Promise.all(Object.values(FAILING_RECEIVERS).map(({ make }) => started(make())));
    // Forty requests at once take a busy machine longer than one.
    const lenient = createWebhookSender({ allowLocal: true, deadline: 10 * DEADLINE });
    const ended: string[] = [];
    const send = async (url: string) => {
      const { outcome } = await lenient.send(url, {}, '{}');
      ended.push(outcome);
      return outcome;
    };
    const all = bad.flatMap(({ url }) => [send(url), send(good.url)]);
    const healthy = all.filter((_, index) => index % 2 === 1);
    for (const outcome of await Promise.all(healthy)) expect(outcome).toBe('DELIVERED');
    // They have not waited for those that take all of their time.
    expect(ended).not.toContain('TIMEOUT');
    expect(ended.length).toBeLessThan(all.length);
    await Promise.all(running.splice(0).map((one) => one.stop()));
    await Promise.all(all);
  });
});

test.each(['EMFILE', 'ENFILE', 'ENOMEM', 'ENOBUFS'])('throws %s, which is not the receiver’s fault', async (code) => {
  const fault = Object.assign(new Error('connect'), { code });
  const resolve = () => Promise.reject(fault);
  const lacking = createWebhookSender({ allowLocal: false, deadline: DEADLINE, resolve });
  await expect(lacking.send('https://hook.example.com/', {}, '{}')).rejects.toBe(fault);
});

describe('connections', () => {
  test('are shared by consecutive deliveries', async () => {
    const ports = new Set<number | undefined>();
    const one = await started(receiver((request, response) => ports.add(request.socket.remotePort) && response.end()));
    for (let count = 0; count < 3; count += 1) {
      expect(await sender.send(one.url, {}, '{}')).toMatchObject({ outcome: 'DELIVERED' });
    }
    expect([one.received.length, ports.size]).toEqual([3, 1]);
  });

  test('are not shared with a neighbor that closes each without an answer: it gets every attempt once', async () => {
    const one = await started(
      receiver(({ url, socket }, response) => (url === '/resets' ? socket.destroy() : response.end())),
    );
    const resets = new URL('/resets', one.url).href;
    for (let count = 0; count < 3; count += 1) {
      expect(await sender.send(one.url, {}, '{}')).toMatchObject({ outcome: 'DELIVERED' });
      expect(await sender.send(resets, {}, '{}')).toMatchObject({ outcome: 'RESET' });
    }
    expect(one.received).toHaveLength(6);
  });

  test('closed by the receiver in the meantime do not count as failures', async () => {
    // The receiver promises keep-alive and closes the connection at the next request.
    const sockets = new Set<unknown>();
    const one = await started(
      receiver(({ socket }, response) => {
        if (sockets.has(socket)) socket.destroy();
        else response.end('ok');
        sockets.add(socket);
      }),
    );
    for (let count = 0; count < 3; count += 1) {
      expect(await sender.send(one.url, {}, '{}')).toMatchObject({ outcome: 'DELIVERED', body: 'ok' });
    }
  });
});

describe('addresses', () => {
  const strict = createWebhookSender({ allowLocal: false, deadline: DEADLINE });
  const resolving = (...addresses: string[]) =>
    createWebhookSender({ allowLocal: false, deadline: DEADLINE, resolve: async () => addresses });

  test.each(['https://127.0.0.1/', 'https://[::1]/', 'https://10.0.0.1/', 'https://2130706433/', 'http://1.1.1.1/'])(
    'rejects the literal %s without a connection',
    async (url) => expect(await strict.send(url, {}, '{}')).toMatchObject({ outcome: 'BLOCKED_ADDRESS' }),
  );

  test.each([['127.0.0.1'], ['10.1.2.3'], ['169.254.169.254'], ['::ffff:10.0.0.1'], ['93.184.216.34', '192.168.1.1']])(
    'rejects a name that resolves to %s',
    async (...addresses) => {
      const sent = await resolving(...addresses).send('https://hook.example.com/', {}, '{}');
      expect(sent).toMatchObject({ outcome: 'BLOCKED_ADDRESS', status: null });
    },
  );

  test('treats localhost like any other name if local receivers are not allowed', async () => {
    expect(await strict.send('https://localhost/', {}, '{}')).toMatchObject({ status: null });
  });

  test('rejects a name that is public when checked and private when connected', async () => {
    const one = await started(receiver());
    const answers = [['93.184.216.34'], ['127.0.0.1']];
    let asked = 0;
    const rebinding = createWebhookSender({
      allowLocal: false,
      deadline: DEADLINE,
      resolve: async () => answers[asked++] ?? [],
    });
    const url = one.url.replace('127.0.0.1', 'rebind.example.com').replace('http:', 'https:');
    // The first attempt connects only to the verified public address, whatever the name resolves to now.
    const first = await rebinding.send(url, {}, '{}');
    const second = await rebinding.send(url, {}, '{}');
    expect(['TIMEOUT', 'UNREACHABLE', 'REFUSED', 'RESET']).toContain(first.outcome);
    expect(second.outcome).toBe('BLOCKED_ADDRESS');
    expect([asked, one.received.length]).toEqual([2, 0]);
  });

  test('allows plain http to this machine only, and only with local receivers allowed', async () => {
    const local = (...addresses: string[]) =>
      createWebhookSender({ allowLocal: true, deadline: DEADLINE, resolve: async () => addresses });
    const one = await started(receiver());
    const named = one.url.replace('127.0.0.1', 'localhost');
    expect(await local().send(named, {}, '{}')).toMatchObject({ outcome: 'DELIVERED' });
    expect(await local().send('http://10.0.0.1/', {}, '{}')).toMatchObject({ outcome: 'BLOCKED_ADDRESS' });
    expect(await local('8.8.8.8').send('http://hook.example.com/', {}, '{}')).toMatchObject({
      outcome: 'BLOCKED_ADDRESS',
    });
    expect(await local('10.0.0.1').send('https://a.example.com/', {}, '{}')).toMatchObject({
      outcome: 'BLOCKED_ADDRESS',
    });
  });

  test('a name server that does not respond is a timeout, an unknown name is DNS', async () => {
    const silent = createWebhookSender({
      allowLocal: false,
      deadline: 100,
      resolve: () => new Promise(() => undefined),
    });
    expect(await silent.send('https://slow.example.com/', {}, '{}')).toMatchObject({ outcome: 'TIMEOUT' });
    expect(await resolving().send('https://none.example.com/', {}, '{}')).toMatchObject({ outcome: 'DNS' });
  });
});

test('keeps at most 8 KiB of a body, in whole characters', () => {
  const kept = truncateText(Buffer.from('✓'.repeat(5000)));
  expect(kept).toBe('✓'.repeat(2730));
  expect(Buffer.byteLength(truncateText(Buffer.alloc(70_000, 0xff)))).toBeLessThanOrEqual(8192);
  expect(truncateText(Buffer.from('short'))).toBe('short');
});
