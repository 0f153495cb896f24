import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type ListenOptions } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { explainReleaseFailure } from '../../domain/deployments/release-failure.ts';
import { replaceFixedPort } from './fixed-port.ts';

const open: { close: () => unknown }[] = [];
let [port, fixed, other]: number[] = [];
let [lines, exits]: [string[], number] = [[], 0];
let end: () => void;

beforeEach(async () => {
  [port, fixed, other] = await freePorts(3);
  [lines, exits] = [[], 0];
  const exit = () => {
    exits += 1;
  };
  end = replaceFixedPort(port ?? 0, { write: (line) => void lines.push(line), exit });
});
afterEach(() => {
  end();
  for (const server of open.splice(0)) server.close();
});

/** Returns ports on which nothing listens. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createTcpServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports;
}

/** Starts a server that answers with its name. */
async function serve(name: string, ...options: [ListenOptions] | [number | undefined, string?]): Promise<Server> {
  const server = createServer((_request, response) => void response.end(name));
  open.push(server);
  server.listen(...(options as [number]));
  await once(server, 'listening');
  return server;
}

async function answer(at = port): Promise<string> {
  const response = await new Promise<IncomingMessage>((done, fail) =>
    get({ host: '127.0.0.1', port: at, agent: false }, done).once('error', fail),
  );
  return (await response.toArray()).join('');
}

test.each<[string, () => [ListenOptions] | [number | undefined, string?]]>([
  ['listen(3000)', () => [fixed]],
  ["listen(3000, 'localhost')", () => [fixed, 'localhost']],
  ['listen({ port: 3000 })', () => [{ port: fixed ?? 0 }]],
  ["listen({ port: 3000, host: '::1' })", () => [{ port: fixed ?? 0, host: '::1' }]],
])('a server with a fixed port receives the requests of the assigned one: %s', async (_how, options) => {
  await serve('app', ...options());
  expect(await answer()).toBe('app');
  await expect(answer(fixed)).rejects.toThrow('ECONNREFUSED');
  expect(lines).toEqual([
    `Requests go to the first server, whose fixed port ${fixed} is replaced by PORT: use process.env.PORT.\n`,
  ]);
});

test('a server that listens again keeps the assigned port', async () => {
  const server = await serve('first', fixed);
  await new Promise((done) => server.close(done));
  await serve('second', fixed);
  expect([await answer(), lines.length]).toEqual(['second', 1]);
});

test('an application with two fixed ports ends, because the first one may be private', async () => {
  await serve('figures', fixed);
  await serve('app', other);
  expect([lines[1], exits]).toEqual([
    `Error: The application has servers on the fixed ports ${fixed} and ${other}: let the one for its visitors listen on process.env.PORT.\n`,
    1,
  ]);
});

test('a server of a package that reads the assigned port takes it back', async () => {
  await serve('figures', fixed);
  await serve('app', port);
  expect([await answer(), exits]).toEqual(['app', 0]);
});

test('servers that follow that of a package keep their ports', async () => {
  await serve('app', port);
  await serve('figures', fixed);
  await serve('administration', other);
  expect([await answer(), await answer(fixed), await answer(other)]).toEqual(['app', 'figures', 'administration']);
  expect([lines, exits]).toEqual([[], 0]);
});

test('leaves other servers alone: TCP, and ports that are free', async () => {
  const server = createTcpServer().listen(fixed, '127.0.0.1');
  open.push(server);
  await once(server, 'listening');
  const { port: chosen } = (await serve('chosen', 0)).address() as AddressInfo;
  expect([(server.address() as AddressInfo).port, await answer(chosen), lines]).toEqual([fixed, 'chosen', []]);
});

test('a failure of such a release does not name the port as the cause', () => {
  const printed = [
    'Server listening on port 3000',
    'Requests go to the first server, whose fixed port 3000 is replaced by PORT',
  ];
  expect(explainReleaseFailure({ status: undefined, error: 'Task timed out after 30 s' }, '/', printed)).toContain(
    'or the response to / does not end',
  );
});
