import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import * as z from 'zod';
import { openState } from '../state.ts';
import { type Emulator, type EmulatorOptions, listen } from '../wire.ts';
import { controlPanel } from './page.ts';
import { Account, CommandRefused, MIB, runCommand, type WhmCall } from './whm.ts';

const Servers = z.record(z.string(), z.record(z.string(), Account));

/** Path of the control panels on the public address. */
export const PANEL_PATH = '/cpanel';
/** Validity of a session: cPanel's timeout of an unused session. */
const SESSION_MS = 15 * 60_000;

/** The server that accepts connections and never answers. */
export const DEAD_SERVER = 'web-dead';

/** A session of an account, which needs no password. Times in milliseconds since the epoch. */
interface Session {
  server: string;
  name: string;
  expiresAt: number;
}

/** Faults of existing accounts, by the prefix of their domain. */
const FAULTS: readonly [prefix: string, respond: (response: ServerResponse) => void][] = [
  ['silent-', () => undefined],
  ['down-', (response) => response.destroy()],
  ['nonsense-', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Login</h1>')],
  [
    'odd-',
    (response) => sendJson(response, { metadata: { result: 1, reason: 'OK' }, data: { acct: 'none', uapi: 7 } }),
  ],
  ['broken-', (response) => response.writeHead(503).end('Service Unavailable')],
  [
    'half-',
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
      response.write('{"metadata":{"result":1,"reason":"OK","command":"accountsummary"},"da', () => response.destroy());
    },
  ],
];

async function bodyText(request: IncomingMessage): Promise<string> {
  const body: Buffer[] = [];
  for await (const chunk of request) body.push(chunk);
  return Buffer.concat(body).toString();
}

function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Adds a mailbox if its name is valid and not in use. */
function addMailbox({ mailboxes, domain }: Account, name: string): void {
  const address = `${name}@${domain}`;
  if (!/^[a-z0-9._-]{1,64}$/.test(name) || mailboxes.some(({ email }) => email === address)) return;
  mailboxes.push({ email: address, quotaBytes: 1024 * MIB, usedBytes: 0 });
}

export interface PanelEmulator extends Emulator {
  /** Serves the control panels below {@link PANEL_PATH}. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/**
 * Starts an emulator of hosting servers with cPanel, limited to the calls of WHM API 1 and UAPI that the platform uses.
 * Each server has its own path, `/<server>`, instead of its own host.
 */
export async function startPanel({
  dataDir,
  port,
  baseUrl,
}: EmulatorOptions & { baseUrl: string }): Promise<PanelEmulator> {
  const state = openState(join(dataDir, 'panel.json'), Servers, {});
  const sessions = new Map<string, Session>();

  function openSession(server: string, name: string): object {
    const token = randomBytes(16).toString('hex');
    const expiresAt = Date.now() + SESSION_MS;
    sessions.set(token, { server, name, expiresAt });
    const url = `${baseUrl}${PANEL_PATH}/${token}`;
    return { url, expires: Math.floor(expiresAt / 1000), session: `${name}:${token}`, service: 'cpaneld' };
  }

  /** Runs a command, saves its changes, and returns WHM's response. */
  function answerCall(command: string, call: WhmCall, isWrite: boolean): object {
    try {
      const data = runCommand(command, call);
      if (isWrite) state.save();
      return { data, metadata: { command, version: 1, result: 1, reason: 'OK' } };
    } catch (error) {
      if (!(error instanceof CommandRefused)) throw error;
      return { data: {}, metadata: { command, version: 1, result: 0, reason: error.message } };
    }
  }

  async function handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const [, server = '', , command = ''] = url.pathname.split('/');
    if (server === DEAD_SERVER) return;
    if (!/^whm \w+:\S+$/i.test(request.headers.authorization ?? '')) {
      response.writeHead(403).end('{"cpanelresult":{"error":"Access denied"}}');
      return;
    }
    const body = await bodyText(request);
    const parameters = request.method === 'POST' ? new URLSearchParams(body) : url.searchParams;
    state.value[server] ??= {};
    const accounts = state.value[server];
    const account = accounts[parameters.get('user') ?? parameters.get('cpanel.user') ?? ''];
    const [, respondWithFault] = FAULTS.find(([prefix]) => account?.domain.startsWith(prefix)) ?? [];
    if (respondWithFault) return respondWithFault(response);
    const name = parameters.get('user') ?? parameters.get('username') ?? parameters.get('cpanel.user') ?? '';
    const call = { accounts, name, parameters, openSession: () => openSession(server, name) };
    sendJson(response, answerCall(command, call, request.method === 'POST'));
  }

  return {
    ...(await listen(handleRequest, port)),
    async handle(request, response) {
      const [, , token = ''] = new URL(request.url ?? '/', baseUrl).pathname.split('/');
      const session = sessions.get(token);
      const account = session && session.expiresAt > Date.now() && state.value[session.server]?.[session.name];
      if (!account) {
        request.resume();
        response.writeHead(401, { 'content-type': 'text/plain' }).end('The session has ended. Sign in again.');
        return;
      }
      if (request.method === 'POST') {
        addMailbox(account, new URLSearchParams(await bodyText(request)).get('name') ?? '');
        state.save();
        response.writeHead(303, { location: request.url }).end();
        return;
      }
      request.resume();
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(controlPanel(account));
    },
  };
}
