import { connect, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { known, NASTY, type Receiver, receiver, secureReceiver } from '../../test/support/receivers.ts';
import { keptText } from './body.ts';
import { createWebhookSender } from './sender.ts';

// What is wrong with a certificate shows where its authority is trusted.
setDefaultCACertificates([...getCACertificates(), known.cert]);

const DEADLINE = 700;
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

test('the body and the headers arrive as they are, the answer is kept', async () => {
  const one = await started(receiver((_, response) => response.writeHead(201).end('thanks ✓')));
  const sent = await sender.send(one.url, { 'content-type': 'application/json', 'x-a': '1' }, '{"ü":1}');
  expect(sent).toMatchObject({ outcome: 'DELIVERED', status: 201, body: 'thanks ✓' });
  expect(one.received).toMatchObject([
    { path: '/hook', body: '{"ü":1}', headers: { 'x-a': '1', 'content-length': '8' } },
  ]);
});

test('a certificate for the address, by an authority that is trusted, is what it takes', async () => {
  const one = await started(secureReceiver());
  for (const url of [one.url, one.url.replace('127.0.0.1', 'localhost')]) {
    expect(await sender.send(url, {}, '{}')).toMatchObject({ outcome: 'DELIVERED', status: 200 });
  }
  expect(one.received).toHaveLength(2);
});

test.each<[keyof typeof NASTY, string]>([
  ['has a certificate for another name', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['has a certificate for another address', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['has a certificate that has expired', 'CERT_HAS_EXPIRED'],
  ['has a certificate that is not valid yet', 'CERT_NOT_YET_VALID'],
  ['has signed its certificate itself', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ['has a certificate by an authority that nobody knows', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
])('the receiver that %s fails by that and by nothing else', async (name, code) => {
  const { port } = new URL((await started(NASTY[name].make())).url);
  const socket = connect({ host: '127.0.0.1', port: Number(port) });
  const failed = await new Promise((resolve) => socket.once('error', resolve).once('secureConnect', resolve));
  socket.destroy();
  expect(failed).toMatchObject({ code });
});

describe('a receiver that', () => {
  test.each(Object.entries(NASTY))('%s', async (_, { make, outcome, status }) => {
    const one = await started(make());
    const before = process.memoryUsage().rss;
    const sent = await sender.send(one.url, {}, '{}');
    expect(sent).toMatchObject({ outcome, status });
    expect(Buffer.byteLength(sent.body)).toBeLessThanOrEqual(8192);
    expect(sent.durationMs).toBeLessThan(DEADLINE + 250);
    expect(process.memoryUsage().rss - before).toBeLessThan(250_000_000);
    // A redirect is not followed, nothing is sent twice.
    expect(one.received.length).toBeLessThanOrEqual(1);
  });

  test('is nasty hurts none of the others', async () => {
    const good = await started(receiver());
    const bad = await Promise.all(Object.values(NASTY).map(({ make }) => started(make())));
    const urls = bad.flatMap((one) => [one.url, good.url]);
    const all = await Promise.all(urls.map((url) => sender.send(url, {}, '{}')));
    const healthy = all.filter((_, index) => index % 2 === 1);
    for (const sent of healthy) expect(sent.outcome).toBe('DELIVERED');
  });
});

describe('connections', () => {
  test('those that follow each other closely share one', async () => {
    const ports = new Set<number | undefined>();
    const one = await started(receiver((request, response) => ports.add(request.socket.remotePort) && response.end()));
    for (let count = 0; count < 3; count += 1) {
      expect(await sender.send(one.url, {}, '{}')).toMatchObject({ outcome: 'DELIVERED' });
    }
    expect([one.received.length, ports.size]).toEqual([3, 1]);
  });

  test('one that the receiver has closed meanwhile is nobody’s failure', async () => {
    // It answers, says that the connection stays, and cuts it at the next request.
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
    'the literal %s is refused without a connection',
    async (url) => expect(await strict.send(url, {}, '{}')).toMatchObject({ outcome: 'BLOCKED_ADDRESS' }),
  );

  test.each([['127.0.0.1'], ['10.1.2.3'], ['169.254.169.254'], ['::ffff:10.0.0.1'], ['93.184.216.34', '192.168.1.1']])(
    'a name that resolves to %s is refused',
    async (...addresses) => {
      const sent = await resolving(...addresses).send('https://hook.example.com/', {}, '{}');
      expect(sent).toMatchObject({ outcome: 'BLOCKED_ADDRESS', status: null });
    },
  );

  test('localhost is a name like any other where local receivers are not allowed', async () => {
    expect(await strict.send('https://localhost/', {}, '{}')).toMatchObject({ status: null });
  });

  test('a name that was public when asked first and is private at connect', async () => {
    const one = await started(receiver());
    const answers = [['93.184.216.34'], ['127.0.0.1']];
    let asked = 0;
    const rebinding = createWebhookSender({
      allowLocal: false,
      deadline: DEADLINE,
      resolve: async () => answers[asked++] ?? [],
    });
    const url = one.url.replace('127.0.0.1', 'rebind.example.com').replace('http:', 'https:');
    // The first time it connects to the public address that was checked, and to no other, whatever the name says now.
    const first = await rebinding.send(url, {}, '{}');
    const second = await rebinding.send(url, {}, '{}');
    expect(['TIMEOUT', 'UNREACHABLE', 'REFUSED', 'RESET']).toContain(first.outcome);
    expect(second.outcome).toBe('BLOCKED_ADDRESS');
    expect([asked, one.received.length]).toEqual([2, 0]);
  });

  test('local receivers are this machine only, and plain http goes nowhere else', async () => {
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

  test('a name server that does not answer is a timeout, one that knows nothing is DNS', async () => {
    const silent = createWebhookSender({
      allowLocal: false,
      deadline: 100,
      resolve: () => new Promise(() => undefined),
    });
    expect(await silent.send('https://slow.example.com/', {}, '{}')).toMatchObject({ outcome: 'TIMEOUT' });
    expect(await resolving().send('https://none.example.com/', {}, '{}')).toMatchObject({ outcome: 'DNS' });
  });
});

test('what is kept of a body is whole characters, and at most 8 KiB of them', () => {
  const kept = keptText(Buffer.from('✓'.repeat(5000)));
  expect(kept).toBe('✓'.repeat(2730));
  expect(Buffer.byteLength(keptText(Buffer.alloc(70_000, 0xff)))).toBeLessThanOrEqual(8192);
  expect(keptText(Buffer.from('short'))).toBe('short');
});
