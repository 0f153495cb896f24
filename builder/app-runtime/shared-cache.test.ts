import { createServer, type IncomingHttpHeaders, request, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { guardSharedCache } from './shared-cache.ts';

/** Writes the head of a response, as applications and their frameworks do. */
type Write = (response: ServerResponse) => unknown;
let write: Write = () => {};

// The tests share a process, so the guard gets a class of its own.
class Guarded extends ServerResponse {}
const server = createServer({ ServerResponse: Guarded }, (_, response) => {
  write(response);
  response.end();
});
beforeAll(() => {
  guardSharedCache('7', Guarded.prototype);
  return new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => void server.close());

/** Returns the headers that the edge receives for a file of the release that its route names. */
function receive(response: Write, release: string | undefined = '7-abcdefg'): Promise<IncomingHttpHeaders> {
  write = response;
  const { port } = server.address() as AddressInfo;
  const headers = release === '' ? {} : { 'x-app-release': release };
  return new Promise((resolve, reject) =>
    request({ port, host: '127.0.0.1', headers, agent: false }, (answer) => resolve(answer.resume().headers))
      .on('error', reject)
      .end(),
  );
}

const FOR_ALL = 'public, max-age=60, s-maxage=600, immutable';
const FOR_ONE = 'private, max-age=60, immutable';

test('a response that is the same for every visitor stays unchanged', async () => {
  for (const vary of ['', 'Accept-Encoding', 'accept-encoding, '])
    expect((await receive((to) => to.writeHead(200, { 'Cache-Control': FOR_ALL, vary })))['cache-control']).toBe(
      FOR_ALL,
    );
  expect(await receive((to) => to.writeHead(200, { 'set-cookie': 'a=1' }))).not.toHaveProperty('cache-control');
});

test.each<[string, Write]>([
  ['a cookie', (to) => to.setHeader('Set-Cookie', 'sid=1').writeHead(200, { 'Cache-Control': FOR_ALL })],
  ['cookies in a list', (to) => to.writeHead(200, { 'set-cookie': ['a=1', 'b=2'], 'cache-control': FOR_ALL })],
  [
    'a cookie in a raw list',
    (to) => to.writeHead(200, ['Cache-Control', FOR_ALL, 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2']),
  ],
  [
    'a cookie, with a reason',
    (to) => to.setHeader('cache-control', FOR_ALL).writeHead(200, 'Fine', { 'set-cookie': 'a=1' }),
  ],
  [
    'a cookie, the head left to Node',
    (to) =>
      to.setHeaders(
        new Map([
          ['cache-control', FOR_ALL],
          ['set-cookie', 'a=1'],
        ]),
      ),
  ],
  ['Vary by the visitor', (to) => to.writeHead(200, { vary: 'Accept-Encoding, Cookie', 'cache-control': FOR_ALL })],
  ['Vary by everything', (to) => to.writeHead(200, { vary: '*', 'cache-control': FOR_ALL })],
  ['an error', (to) => to.writeHead(404, { 'cache-control': FOR_ALL })],
])('a response with %s is cached only by the visitor’s browser, and is otherwise unchanged', async (what, response) => {
  const { 'cache-control': decided, ...others } = await receive(response);
  expect(decided).toBe(FOR_ONE);
  const { 'cache-control': own, ...same } = await receive(response, '');
  expect(own).toBe(FOR_ALL);
  const { date: _, ...rest } = others;
  expect(same).toMatchObject(rest);
  if (what.includes('raw')) expect(others['set-cookie']).toEqual(['a=1', 'b=2']);
});

test('a response with a cookie and Expires but no Cache-Control is not shared either', async () => {
  const expires = new Date(Date.now() + 60_000).toUTCString();
  expect(await receive((to) => to.writeHead(200, { expires, 'set-cookie': 'a=1' }))).toMatchObject({
    expires,
    'cache-control': 'private',
    'set-cookie': ['a=1'],
  });
});

test('a file of another release than the edge requested is not cached', async () => {
  const file: Write = (to) => to.writeHead(200, { 'cache-control': FOR_ALL });
  for (const other of ['8-abcdefg', '77-abcdefg']) expect((await receive(file, other))['cache-control']).toBe(FOR_ONE);
});

test('a response for a single visitor is not changed', async () => {
  const response: Write = (to) => to.writeHead(200, { 'cache-control': FOR_ALL, 'set-cookie': 'a=1' });
  expect((await receive(response, '-4TyzHTaYWb1GX1qTfsHhEqV6HUDd'))['cache-control']).toBe(FOR_ALL);
});
