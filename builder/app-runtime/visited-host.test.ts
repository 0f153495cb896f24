import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { restoreVisitedHost } from './visited-host.ts';

/** Sends a request and returns what a server's handler sees of its host. */
async function seenBy(port: number, headers: Record<string, string>): Promise<unknown> {
  const response = await new Promise<IncomingMessage>((done) => get({ host: '127.0.0.1', port, headers }, done));
  const text = (await response.toArray()).join('');
  return JSON.parse(text);
}

async function listening() {
  const server = createServer(({ headers, headersDistinct, rawHeaders }, response) => {
    const raw = rawHeaders.filter((_, index) => rawHeaders[index - 1]?.toLowerCase() === 'host');
    response.end(JSON.stringify([headers.host, headersDistinct.host, raw]));
  }).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const { port } = server.address() as AddressInfo;
  return { port, close: () => new Promise((done) => server.close(done)) };
}

test('the application’s Host is the visited host, and other servers receive the original Host', async () => {
  const [app, other] = [await listening(), await listening()];
  const end = restoreVisitedHost(app.port);
  const edge = { host: 'x.lambda-url.on.aws', 'x-forwarded-host': 'shop.example.com:8080' };
  const visited = 'shop.example.com:8080';
  expect(await seenBy(app.port, edge)).toEqual([visited, [visited], [visited]]);
  for (const direct of [{ host: 'direct' }, { host: 'direct', 'x-forwarded-host': '' }])
    expect(await seenBy(app.port, direct)).toEqual(['direct', ['direct'], ['direct']]);
  expect(await seenBy(other.port, edge)).toEqual([edge.host, [edge.host], [edge.host]]);
  end();
  expect(await seenBy(app.port, edge)).toEqual([edge.host, [edge.host], [edge.host]]);
  await Promise.all([app.close(), other.close()]);
});

type Redirect = (response: ServerResponse, location: string) => unknown;

test.each<[string, Redirect]>([
  ['set', (response, location) => response.setHeader('Location', location).writeHead(307)],
  ['set as a list, as Next.js does', (response, location) => response.setHeader('location', [location])],
  ['given by name', (response, location) => response.writeHead(307, { Location: location, 'x-a': 'b' })],
  ['given in a list', (response, location) => response.writeHead(307, 'To', ['x-a', 'b', 'location', location])],
])('redirects to the application’s listening address go to the visited host: %s', async (_how, redirect) => {
  let location = '';
  const server = createServer((_request, response) => {
    response.statusCode = 307;
    redirect(response, location);
    response.end();
  }).listen(0, '0.0.0.0');
  await new Promise((done) => server.once('listening', done));
  const { port } = server.address() as AddressInfo;
  const end = restoreVisitedHost(port);
  const from = async (to: string, headers: Record<string, string>) => {
    location = to;
    const response = await new Promise<IncomingMessage>((done) => get({ host: '127.0.0.1', port, headers }, done));
    response.resume();
    return response.headers.location;
  };
  const edge = { 'x-forwarded-host': 'shop.example.com', 'x-forwarded-proto': 'https' };
  const own = `http://0.0.0.0:${port}`;
  expect(await from(`${own}/welcome?a=b`, edge)).toBe('https://shop.example.com/welcome?a=b');
  expect(await from(own, edge)).toBe('https://shop.example.com');
  expect(await from(`https://[::]:${port}/`, edge)).toBe('https://shop.example.com/');
  expect(await from(`https://localhost:${port}/`, edge)).toBe('https://shop.example.com/');
  expect(await from('https://localhost:3000/welcome', edge)).toBe('https://shop.example.com/welcome');
  const others = [
    `${own}0/`,
    `/to?${own}`,
    `http://localhost:${port}/`,
    'http://localhost:3000/',
    `http://127.0.0.1:${port}/`,
    'http://0.0.0.0/',
  ];
  for (const other of others) expect(await from(other, edge)).toBe(other);
  expect(await from(own, {})).toBe(own);
  end();
  expect(await from(own, edge)).toBe(own);
  await new Promise((done) => server.close(done));
});
