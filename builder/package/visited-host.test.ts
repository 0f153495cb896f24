import { createServer, get, type IncomingMessage } from 'node:http';
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

test('the application sees the visited host as its own, and other servers what they were asked for', async () => {
  const [app, other] = [await listening(), await listening()];
  const end = restoreVisitedHost(app.port);
  const edge = { host: 'x.lambda-url.on.aws', 'x-forwarded-host': 'shop.example.com:8080' };
  const visited = 'shop.example.com:8080';
  expect(await seenBy(app.port, edge)).toEqual([visited, [visited], [visited]]);
  expect(await seenBy(app.port, { host: 'direct' })).toEqual(['direct', ['direct'], ['direct']]);
  expect(await seenBy(other.port, edge)).toEqual([edge.host, [edge.host], [edge.host]]);
  end();
  expect(await seenBy(app.port, edge)).toEqual([edge.host, [edge.host], [edge.host]]);
  await Promise.all([app.close(), other.close()]);
});
