import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { createConnectionPool } from './connections.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const close of closing.splice(0)) close();
});

/** Starts a server that counts its connections. */
async function countingServer() {
  let connections = 0;
  const server = createServer((_, response) => response.end()).on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close().closeAllConnections());
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

test('a connection that was idle for 20 s is not reused, even if others were in use', async () => {
  const [often, seldom] = [await countingServer(), await countingServer()];
  const connect = createConnectionPool();
  const call = async (port: number) => {
    const { request, agent } = await connect('http:');
    await new Promise<void>((resolve, reject) => {
      request({ port, host: '127.0.0.1', agent }, (response) => response.on('end', resolve).resume())
        .on('error', reject)
        .end();
    });
    // The agent takes a connection back after the end of its response.
    await new Promise(setImmediate);
  };
  vi.useFakeTimers({ toFake: ['Date'] });
  await call(seldom.port);
  for (let turn = 0; turn < 3; turn += 1) {
    vi.setSystemTime(Date.now() + 10_000);
    await call(often.port);
  }
  await call(seldom.port);
  expect([often.connections(), seldom.connections()]).toEqual([1, 2]);
});
