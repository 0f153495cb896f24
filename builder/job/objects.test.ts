import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, expect, test, vi } from 'vitest';
import { createCache } from '../install/cache.ts';
import { openObject, readObject } from './objects.ts';

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

/** Starts a store of one object, and returns the request that reads it. */
async function storing(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(async () => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { method: 'GET', url: `http://127.0.0.1:${port}/object`, headers: {} } as const;
}

test('an object is opened as soon as its answer begins, after a temporary failure too', async () => {
  let attempts = 0;
  let end = (): void => {};
  const request = await storing((_, response) => {
    attempts += 1;
    if (attempts === 1) return response.writeHead(503).end('slow down');
    response.writeHead(200, { 'content-length': 10 }).write('begin');
    end = () => response.end('ended');
  });
  const content = (await openObject(request)) ?? expect.unreachable();
  end();
  expect((await buffer(content)).toString()).toBe('beginended');
  expect(attempts).toBe(2);
});

test('an object that does not exist is undefined', async () => {
  const request = await storing((_, response) => void response.writeHead(403).end('denied'));
  expect(await openObject(request)).toBeUndefined();
  expect(await readObject(request)).toBeUndefined();
});

test('a connection that breaks within an object fails its reader and not the build', async () => {
  const complaint = vi.spyOn(console, 'error').mockReturnValue();
  const request = await storing((_, response) => {
    response.writeHead(200, { 'content-length': 1000 });
    response.write('a'.repeat(64), () => response.destroy());
  });
  const cache = createCache({
    directory: '/nowhere',
    user: undefined,
    get: () => openObject(request),
    put: async () => {},
  });
  cache.expect('build');
  cache.expect('dependencies');
  expect(await cache.restore('dependencies', 'b'.repeat(64))).toBe(false);
  expect(await cache.restore('dependencies', 'a'.repeat(64))).toBe(false);
  expect(complaint).toHaveBeenCalledTimes(1);
});
