import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { explainReleaseFailure } from '../../domain/deployments/release-failure.ts';
import { reportOtherPort } from './other-port.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** Listens on a port, any by default. Returns it. */
async function listen(port = 0): Promise<number> {
  const server = createServer((socket) => void socket.end()).listen(port, '127.0.0.1');
  servers.push(server);
  await new Promise((done) => server.once('listening', done));
  return (server.address() as AddressInfo).port;
}

/** Returns a port on which nothing listens. */
async function freePort(): Promise<number> {
  const port = await listen();
  await new Promise((done) => servers.pop()?.close(done));
  return port;
}

test('reports the port on which an application listens instead of its assigned one, in the form that failures quote', async () => {
  const own = await freePort();
  const printed = new Promise<string>((done) => reportOtherPort(own, done, 0));
  const other = await listen();
  expect(await printed).toBe(`The application listens on port ${other}, and nothing listens on PORT (${own}).\n`);
  const line = 'The application listens on port 3000, and nothing listens on PORT (8080).';
  expect(explainReleaseFailure({ status: undefined, error: 'Task timed out after 30 s' }, '/', [line])).toContain(
    'Its log mentions port 3000: listen on process.env.PORT instead of a fixed port.',
  );
});

test('reports an address at which an application listens on its assigned port, but receives no requests', async () => {
  const own = await freePort();
  const printed = new Promise<string>((done) => reportOtherPort(own, done, 0));
  const server = createServer().listen(own, '::1');
  servers.push(server);
  expect(await printed).toBe(
    `The application listens on PORT (${own}) at ::1 alone, and nothing listens at 127.0.0.1.\n`,
  );
});

test('reports nothing about a second server in addition to the one on the application’s port', async () => {
  const own = await freePort();
  let visits = 0;
  const lines: string[] = [];
  const end = reportOtherPort(own, (line) => void lines.push(line), 0);
  const server = createServer(() => {
    visits += 1;
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(own, '127.0.0.1', done));
  await listen();
  // It has looked, and found the server.
  while (visits === 0) await new Promise((done) => setImmediate(done));
  end();
  expect(lines).toEqual([]);
});
