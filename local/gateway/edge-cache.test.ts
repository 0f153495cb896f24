import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { createEdgeCache, type Forward } from './edge-cache.ts';

const opened: Server[] = [];
afterEach(() => {
  for (const server of opened.splice(0)) server.close();
});
const listen = async (server: Server) => {
  opened.push(server);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};

/** Sends a request and reads the response. */
const ask = (port: number, path: string, headers: Record<string, string> = {}, method = 'GET') =>
  new Promise<{ status: number | undefined; headers: IncomingMessage['headers']; body: string }>((resolve, reject) =>
    request({ port, host: '127.0.0.1', path, headers, method, agent: false }, async (answer) => {
      resolve({ status: answer.statusCode, headers: answer.headers, body: await text(answer) });
    })
      .on('error', reject)
      .end(),
  );

const POLICY = {
  MinTTL: 0 as const,
  DefaultTTL: 0,
  MaxTTL: 3600,
  ParametersInCacheKeyAndForwardedToOrigin: {
    HeadersConfig: { HeaderBehavior: 'whitelist' as const, Headers: ['x-forwarded-host', 'x-app-release'] },
    QueryStringsConfig: { QueryStringBehavior: 'all' as const },
    CookiesConfig: { CookieBehavior: 'none' as const },
    EnableAcceptEncodingBrotli: true as const,
    EnableAcceptEncodingGzip: true as const,
  },
};

/** Starts an edge before an application that answers with what the path says and counts its requests. */
async function edge(maxBytes?: number) {
  let count = 0;
  let now = Date.UTC(2026, 0, 1);
  const application = await listen(
    createServer((asked, response) => {
      count += 1;
      const { searchParams } = new URL(asked.url ?? '', 'http://app');
      const bytes = Number(searchParams.get('bytes') ?? 10);
      response.setHeader('cache-control', searchParams.get('cc') ?? 'max-age=60').setHeader('etag', '"tag"');
      response.end(String(count).padStart(bytes, '.'));
    }),
  );
  const forward: Forward = (_, asked, response, onAnswer) =>
    new Promise((resolve, reject) => {
      request({ port: application, path: asked.url, method: asked.method, agent: false }, (answer) => {
        onAnswer?.(answer);
        response.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(response).once('close', resolve);
      })
        .on('error', reject)
        .end();
    });
  const serve = createEdgeCache(POLICY, forward, () => now, maxBytes);
  const port = await listen(
    createServer((asked, response) => {
      const { 'x-release': release = '1-a', host = '' } = asked.headers;
      const headers = { 'x-forwarded-host': host, 'x-app-release': String(release) };
      serve({ forwardTo: 'app', headers }, asked, response).catch((error: Error) => response.destroy(error));
    }),
  );
  return {
    ask: (path: string, headers?: Record<string, string>, method?: string) => ask(port, path, headers, method),
    count: () => count,
    wait: (seconds: number) => {
      now += seconds * 1000;
    },
  };
}

test('a file is answered from the cache until its lifetime ends, with its age', async () => {
  const { ask, wait } = await edge();
  expect((await ask('/a.js')).headers).toMatchObject({ 'x-cache': 'Miss from cloudfront' });
  wait(59);
  const hit = await ask('/a.js');
  expect([hit.headers['x-cache'], hit.headers.age, hit.body.at(-1)]).toEqual(['Hit from cloudfront', '59', '1']);
  wait(1);
  expect((await ask('/a.js')).body.at(-1)).toBe('2');
});

test('the query, the release, the host and the encoding make files of their own, other headers do not', async () => {
  const { ask, count } = await edge();
  await ask('/a.js', { host: 'one' });
  await ask('/a.js', { host: 'one', cookie: 'a=1', 'accept-encoding': 'identity' });
  expect(count()).toBe(1);
  await ask('/a.js?v=2', { host: 'one' });
  await ask('/a.js', { host: 'two' });
  await ask('/a.js', { host: 'one', 'x-release': '2-b' });
  await ask('/a.js', { host: 'one', 'accept-encoding': 'gzip, deflate, br' });
  expect(count()).toBe(5);
  await ask('/a.js', { host: 'one', 'accept-encoding': 'br;q=1, gzip' });
  expect(count()).toBe(5);
});

test.each(['private, max-age=60', 'no-store', 'no-cache, max-age=60', 'max-age=60, s-maxage=0', 'public'])(
  'a response with Cache-Control %s is not kept',
  async (cc) => {
    const { ask, count } = await edge();
    for (const turn of [1, 2]) {
      await ask(`/a.js?cc=${encodeURIComponent(cc)}`);
      expect(count()).toBe(turn);
    }
  },
);

test('HEAD, conditions and ranges are answered from the file; POST goes to the application', async () => {
  const { ask, count } = await edge();
  await ask('/a.js');
  expect(await ask('/a.js', {}, 'HEAD')).toMatchObject({ status: 200, headers: { 'content-length': '10' }, body: '' });
  expect(await ask('/a.js', { 'if-none-match': 'W/"tag"' })).toMatchObject({ status: 304, body: '' });
  const part = (range: string) => ask('/a.js', { range: `bytes=${range}` });
  expect(await part('8-')).toMatchObject({ status: 206, headers: { 'content-range': 'bytes 8-9/10' }, body: '.1' });
  expect(await part('-1')).toMatchObject({ status: 206, headers: { 'content-range': 'bytes 9-9/10' }, body: '1' });
  expect(await part('10-')).toMatchObject({ status: 416, headers: { 'content-range': 'bytes */10' } });
  expect(count()).toBe(1);
  await ask('/a.js', {}, 'POST');
  expect(count()).toBe(2);
});

test('the cache is bounded: the file that was used least recently goes first, and a very large one is not kept', async () => {
  const { ask, count } = await edge();
  const large = (name: string) => ask(`/${name}?bytes=${7 * 1024 * 1024}`);
  for (const name of ['a', 'b', 'c', 'd', 'a', 'e']) await large(name);
  expect(count()).toBe(5);
  await large('a');
  expect(count()).toBe(5);
  await large('b');
  expect(count()).toBe(6);
  for (const turn of [7, 8]) {
    await ask(`/huge?bytes=${9 * 1024 * 1024}`);
    expect(count()).toBe(turn);
  }
});

test('answers without a body count too: they are mostly key and headers', async () => {
  const { ask, count } = await edge(20_000);
  for (let name = 1; name <= 50; name++) await ask(`/${name}?bytes=0`);
  await ask('/50?bytes=0');
  expect(count()).toBe(50);
  await ask('/1?bytes=0');
  expect(count()).toBe(51);
});
