import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test, vi } from 'vitest';
import { answerWithFetch, type Fetch, handlerOf } from './fetch-handler.ts';
import type { Handler } from './site.ts';

const servers: Server[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const server of servers.splice(0)) server.close();
});

/** Serves a handler, and returns a function that sends a request and returns the response, whose body is unread. */
const serve = (handler: Fetch) => serveHandler(answerWithFetch.bind(undefined, handler));

async function serveHandler(handler: Handler) {
  const server = createServer((message, response) => {
    handler(message, response).catch(() => response.writeHead(500).end());
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return (path: string, method = 'GET', headers: Record<string, string> = {}, body = '') =>
    new Promise<IncomingMessage>((done, fail) =>
      request({ host: '127.0.0.1', port, path, method, headers, agent: false }, done).once('error', fail).end(body),
    );
}

const withFetch = {
  word: 'own',
  fetch: async function (this: { word: string }) {
    return new Response(this.word);
  },
};

test.each<[string, unknown]>([
  ['an object with fetch', withFetch],
  ['a function of web standards', () => new Response('own')],
  ['a function of Node, as Express exports', (_: IncomingMessage, response: ServerResponse) => response.end('own')],
  ['what TypeScript compiles to CommonJS', { __esModule: true, default: withFetch }],
])('takes the default export of a module: %s', async (_what, exported) => {
  const send = await serveHandler(handlerOf({ default: exported }) as Handler);
  expect(await text(await send('/'))).toBe('own');
});

test('takes nothing else that a module exports', () => {
  for (const other of [{}, { default: undefined }, { default: null }, { default: 'a' }, { default: { fetch: 1 } }])
    expect(handlerOf(other)).toBeUndefined();
});

test('passes on the address that the visitor requested, the headers and the body', async () => {
  const send = await serve(async (received) =>
    Response.json([received.method, received.url, received.headers.get('x-a'), await received.text()]),
  );
  const headers = { host: 'shop.example.com', 'x-forwarded-proto': 'https', 'x-a': '1' };
  const seen = async (...sent: Parameters<typeof send>) => JSON.parse(await text(await send(...sent)));
  expect(await seen('/form?a=b', 'POST', headers, 'name=Thandi')).toEqual([
    'POST',
    'https://shop.example.com/form?a=b',
    '1',
    'name=Thandi',
  ]);
  // A path that looks like the address of another host.
  expect((await seen('//evil.example/a', 'GET', headers))[1]).toBe('https://shop.example.com//evil.example/a');
  expect((await send('/', 'GET', { host: 'a b' })).statusCode).toBe(400);
});

test('sends status, redirects and every cookie', async () => {
  const headers: [string, string][] = [
    ['location', '/welcome'],
    ['set-cookie', 'a=1'],
    ['set-cookie', 'b=2'],
  ];
  const send = await serve(() => new Response(null, { status: 303, headers }));
  const { statusCode, headers: sent } = await send('/');
  expect([statusCode, sent.location, sent['set-cookie']]).toEqual([303, '/welcome', ['a=1', 'b=2']]);
});

test('answers HEAD without a body, and lets the handler stop', async () => {
  let stopped = false;
  const cancel = () => {
    stopped = true;
  };
  const send = await serve(() => new Response(new ReadableStream({ cancel }), { headers: { 'x-a': '1' } }));
  const response = await send('/', 'HEAD');
  expect([response.headers['x-a'], await text(response), stopped]).toEqual(['1', '', true]);
});

test('streams a body as it is written, and stops when the visitor leaves', async () => {
  vi.spyOn(console, 'error');
  let stop: (reason: unknown) => void = () => undefined;
  const stopped = new Promise((done) => {
    stop = done;
  });
  let aborted = false;
  const send = await serve(({ signal }) => {
    signal.addEventListener('abort', () => {
      aborted = true;
    });
    const start = (stream: ReadableStreamDefaultController) => stream.enqueue(Buffer.from('first'));
    return new Response(new ReadableStream({ start, cancel: stop }));
  });
  const response = await send('/');
  const [chunk] = await once(response, 'data');
  expect(String(chunk)).toBe('first');
  response.destroy();
  await stopped;
  expect(aborted).toBe(true);
  expect(console.error).not.toHaveBeenCalled();
});

test('a handler that fails before its answer rejects', async () => {
  const send = await serve(() => {
    throw new Error('broken');
  });
  expect((await send('/')).statusCode).toBe(500);
});
