import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, expect, test, vi } from 'vitest';
import type { FailureKind } from './failures.ts';
import { CallerDisconnected, createTransport, type Timeouts } from './transport.ts';

const LIMITS: Timeouts = { connect: 300, firstByte: 300, silence: 150, call: 2_000 };
/** For an upstream that answers, on a busy machine too. */
const PATIENT: Timeouts = { connect: 30_000, firstByte: 30_000, silence: 30_000, call: 60_000 };
const open: (() => void)[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const close of open.splice(0)) close();
});

async function upstream(act: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(act).listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return typeof address === 'object' && address ? `http://127.0.0.1:${address.port}` : '';
}

const ask = (url: string, signal = new AbortController().signal, limits = PATIENT) =>
  createTransport(limits)({ url, headers: { authorization: 'Bearer secret' }, body: '{}', signal });

const wholeOf = async (url: string, limits = PATIENT) => (await (await ask(url, undefined, limits)).whole()).toString();

const FAULTS: [what: string, act: (response: ServerResponse) => void, kind: FailureKind][] = [
  ['hangs before the headers', () => {}, 'timeout'],
  ['hangs after them', (response: ServerResponse) => void response.writeHead(200).flushHeaders(), 'timeout'],
  ['hangs in the middle', (response: ServerResponse) => void response.write('a'), 'timeout'],
  [
    'switches protocols',
    (response: ServerResponse) =>
      void response.socket?.write('HTTP/1.1 101 Ha\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
    'unreachable',
  ],
  ['closes at once', (response: ServerResponse) => void response.destroy(), 'unreachable'],
  [
    'closes in the middle',
    (response: ServerResponse) => {
      response.write('a');
      setTimeout(() => response.destroy(), 20);
    },
    'broken',
  ],
  [
    'promises more than it sends',
    (response: ServerResponse) => {
      response.writeHead(200, { 'content-length': 10 });
      response.write('abc');
      setTimeout(() => response.destroy(), 20);
    },
    'broken',
  ],
  [
    'sends what is no gzip',
    (response: ServerResponse) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('plain'),
    'broken',
  ],
  [
    'uses an unknown compression',
    (response: ServerResponse) => void response.writeHead(200, { 'content-encoding': 'zzz' }).end('plain'),
    'broken',
  ],
  [
    'uses a compression with the name of a member of every object',
    (response: ServerResponse) => void response.writeHead(200, { 'content-encoding': 'constructor' }).end('plain'),
    'broken',
  ],
  ['talks without end', (response: ServerResponse) => void setInterval(() => response.write('x'), 50), 'timeout'],
];
test.each(FAULTS)('an upstream that %s', async (_what, act, kind) => {
  const url = await upstream((_request, response) => act(response));
  const limits = kind === 'timeout' ? LIMITS : PATIENT;
  await expect(wholeOf(url, limits)).rejects.toMatchObject({ name: 'ProviderFailure', kind });
});

test.each<[string, (text: string) => Buffer | string]>([
  ['gzip', gzipSync],
  ['GZIP', gzipSync],
  ['x-gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
  ['identity', (text) => text],
])('decodes unrequested %s', async (encoding, encode) => {
  const url = await upstream((request, response) => {
    expect(request.headers['accept-encoding']).toBe('identity');
    response.writeHead(200, { 'content-encoding': encoding }).end(encode('unpacked'));
  });
  expect(await wholeOf(url)).toBe('unpacked');
});

test.each(['zzz', 'gzip'])('cuts the connection of an answer in %s that it cannot decode', async (encoding) => {
  let closed = false;
  const url = await upstream((_request, response) => {
    response.on('close', () => {
      closed = true;
    });
    response.writeHead(200, { 'content-encoding': encoding }).write('plain');
  });
  const limits = { connect: 600_000, firstByte: 600_000, silence: 600_000, call: 600_000 };
  await expect(wholeOf(url, limits)).rejects.toMatchObject({ kind: 'broken' });
  await expect.poll(() => closed, { timeout: 60_000 }).toBe(true);
});

test.each([
  [400, { status: 400 }],
  [200, { kind: 'broken' }],
])('an answer with status %s that never ends is not awaited', async (status, failure) => {
  let closed = false;
  const url = await upstream((_request, response) => {
    response.on('close', () => {
      closed = true;
    });
    const more = () => {
      while (!closed && response.write(Buffer.alloc(65_536)));
    };
    response.writeHead(status).on('drain', more);
    more();
  });
  await expect(wholeOf(url)).rejects.toMatchObject(failure);
  await expect.poll(() => closed, { timeout: 60_000 }).toBe(true);
});

test('an error thrown while handling a piece reaches the caller and ends the upstream call', async () => {
  let closed = false;
  const url = await upstream((_request, response) => {
    response.on('close', () => {
      closed = true;
    });
    response.write('x');
  });
  const incoming = await ask(url);
  const read = incoming.each(() => {
    throw new TypeError('a fault of ours');
  });
  await expect(read).rejects.toThrow('a fault of ours');
  await expect.poll(() => closed, { timeout: 60_000 }).toBe(true);
});

test('measures silence from the last byte, not from the first', async () => {
  let upstreamResponse: ServerResponse | undefined;
  const url = await upstream((_request, response) => {
    upstreamResponse = response;
    response.write('x');
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const incoming = await ask(url, undefined, LIMITS);
  let pieces = 0;
  const done = incoming.each(() => {
    pieces += 1;
    vi.advanceTimersByTime(LIMITS.silence * 0.6);
    if (pieces < 5) upstreamResponse?.write('x');
    else upstreamResponse?.end();
    return undefined;
  });
  await done;
  expect(pieces).toBe(5);
});

test.each([
  [true, 'late'],
  [false, 'timeout'],
])(
  'waits for the first byte of an answer as long again as for its status if the caller is kept: %s',
  async (isKeptAlive, end) => {
    let late: ServerResponse | undefined;
    const url = await upstream((_request, response) => {
      vi.advanceTimersByTime(LIMITS.firstByte * 0.8);
      response.writeHead(200).flushHeaders();
      late = response;
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const outgoing = { url, headers: {}, body: '{}', signal: new AbortController().signal, isKeptAlive };
    const incoming = await createTransport(LIMITS)(outgoing);
    const answered = incoming.whole().then(String, ({ kind }) => kind);
    vi.advanceTimersByTime(LIMITS.firstByte * 0.8);
    late?.end('late');
    expect(await answered).toBe(end);
  },
);

test('retries a refused connection once, and no other failure', async () => {
  let attempts = 0;
  const url = await upstream((_request, response) => {
    attempts += 1;
    response.destroy();
  });
  await expect(wholeOf(url)).rejects.toMatchObject({ kind: 'unreachable' });
  expect(attempts).toBe(1);

  // Refused once: the server starts after the first attempt.
  const probe = createTcpServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  probe.close();
  await once(probe, 'close');
  await expect(wholeOf(`http://127.0.0.1:${port}`)).rejects.toMatchObject({ kind: 'unreachable' });
});

test('a caller that disconnects ends the upstream call: before the headers, and within a body', async () => {
  for (const begun of [false, true]) {
    let closed = false;
    const url = await upstream((_request, response) => {
      response.on('close', () => {
        closed = true;
      });
      if (begun) response.write('x');
    });
    const leaving = new AbortController();
    setTimeout(() => leaving.abort(), 50);
    const read = ask(url, leaving.signal).then((incoming) => incoming.whole());
    await expect(read).rejects.toBeInstanceOf(CallerDisconnected);
    await expect.poll(() => closed, { timeout: 60_000 }).toBe(true);
  }
});

test('keeps connections alive: a hundred consecutive calls use one', async () => {
  const sockets = new Set<unknown>();
  const url = await upstream((request, response) => {
    sockets.add(request.socket);
    response.end('ok');
  });
  const transport = createTransport(PATIENT);
  for (let count = 0; count < 100; count += 1) {
    await (await transport({ url, headers: {}, body: '{}', signal: new AbortController().signal })).whole();
  }
  expect(sockets.size).toBe(1);
});

test('a slow reader slows the provider down without causing a timeout', async () => {
  let written = 0;
  let ended = false;
  const url = await upstream((_request, response) => {
    const piece = Buffer.alloc(64 * 1024);
    const more = () => {
      while (written < 400 * piece.length) {
        written += piece.length;
        if (!response.write(piece)) {
          response.once('drain', more);
          return;
        }
      }
      response.end(() => {
        ended = true;
      });
    };
    more();
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const incoming = await ask(url, undefined, { ...LIMITS, call: 60_000 });
  let read = 0;
  let release: (() => void) | undefined;
  const done = incoming.each((piece) => {
    read += piece.length;
    if (release) return undefined;
    return new Promise<void>((resolve) => {
      release = resolve;
    });
  });
  await expect.poll(() => release, { timeout: 60_000 }).toBeDefined();
  // The buffers between the two fill up; then the reader waits for longer than the provider may be silent.
  for (let before = -1; before < written; ) {
    before = written;
    for (let turn = 0; turn < 1000; turn += 1) await new Promise(setImmediate);
  }
  vi.advanceTimersByTime(LIMITS.silence * 10);
  expect(read).toBeLessThan(200_000);
  expect(ended).toBe(false);
  release?.();
  await done;
  expect(read).toBe(400 * 64 * 1024);
});
