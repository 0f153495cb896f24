import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import * as z from 'zod';
import { openState } from '../state.ts';
import { type Emulator, type EmulatorOptions, listen } from '../wire.ts';
import { controlPanel } from './page.ts';

const Account = z.object({
  domain: z.string(),
  plan: z.string(),
  suspended: z.boolean(),
  /** Its mail routing: `local`, `remote`, `secondary` or `auto`. */
  mail: z.string().default('auto'),
  mailboxes: z.array(z.object({ email: z.string(), quotaBytes: z.number(), usedBytes: z.number() })),
});
type Account = z.output<typeof Account>;
const Servers = z.record(z.string(), z.record(z.string(), Account));

/** Path of the control panels on the public address. */
export const PANEL_PATH = '/cpanel';
/** Life of a session in milliseconds: cPanel's, where it is not used. */
const SESSION_MS = 15 * 60_000;

/** The server that accepts connections and never answers. */
export const DEAD_SERVER = 'web-dead';

const MIB = 1024 * 1024;

/** A login to an account without its password. Time in milliseconds since the epoch. */
interface Session {
  server: string;
  name: string;
  expiresAt: number;
}

/** A command that WHM refuses with HTTP 200 and a reason in the metadata. */
class CommandRefused extends Error {}
const refuse = (reason: string): never => {
  throw new CommandRefused(reason);
};

/** Returns the mailboxes that every new account has. */
const mailboxesOf = (domain: string): Account['mailboxes'] => [
  { email: `info@${domain}`, quotaBytes: 1024 * MIB, usedBytes: 12 * MIB },
  { email: `sales@${domain}`, quotaBytes: 0, usedBytes: 3 * MIB },
];

/** UAPI's functions, with cPanel's mixture of numbers and strings. */
const FUNCTIONS: Record<string, (account: Account, parameters: URLSearchParams) => unknown[]> = {
  'Email::set_always_accept': (account, parameters) => {
    account.mail = parameters.get('cpanel.mxcheck') ?? 'auto';
    return [];
  },
  'Email::list_mxs': ({ domain, mail }) => [{ domain, mxcheck: mail, alwaysaccept: mail === 'local' ? 1 : 0 }],
  'Email::list_pops_with_disk': ({ mailboxes }) =>
    mailboxes.map(({ email, quotaBytes, usedBytes }) => ({
      email,
      login: email,
      user: email.split('@')[0],
      domain: email.split('@')[1],
      _diskquota: quotaBytes === 0 ? 0 : String(quotaBytes),
      _diskused: usedBytes,
      diskquota: quotaBytes === 0 ? 'unlimited' : String(quotaBytes / MIB),
      diskused: String(usedBytes / MIB),
      suspended_login: 0,
    })),
  'ResourceUsage::get_usages': ({ mailboxes }) => [
    usage('disk_usage', 'Disk Usage', String(40 * MIB), 10_240 * MIB, 'format_bytes'),
    usage('bandwidth', 'Bandwidth', '734003200', null, 'format_bytes'),
    usage('email_accounts', 'Email Accounts', String(mailboxes.length), 100, null),
  ],
};
const usage = (id: string, description: string, used: string, maximum: number | null, formatter: string | null) => ({
  id,
  description,
  usage: used,
  maximum,
  formatter,
  error: null,
  url: null,
});

/** Faults of existing accounts by the prefix of their domain. */
const FAULTS: readonly [start: string, misbehave: (response: ServerResponse) => void][] = [
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

export interface PanelEmulator extends Emulator {
  /** Answers a request below {@link PANEL_PATH}: the control panel of an account. */
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

  function run(
    server: string,
    accounts: Record<string, Account>,
    command: string,
    parameters: URLSearchParams,
  ): unknown {
    const name = parameters.get('user') ?? parameters.get('username') ?? parameters.get('cpanel.user') ?? '';
    const findAccount = (): Account => accounts[name] ?? refuse(`The user “${name}” does not exist.`);
    switch (command) {
      case 'accountsummary': {
        const account = accounts[name] ?? refuse('Account does not exist.');
        const { domain, plan, suspended } = account;
        return {
          acct: [{ user: name, domain, plan, suspended: suspended ? 1 : 0, disklimit: '10240M', diskused: '40M' }],
        };
      }
      case 'createacct': {
        const domain = parameters.get('domain') ?? '';
        if (!/^[a-z][a-z0-9]{0,15}$/.test(name)) refuse(`Sorry, “${name}” is not a valid username.`);
        if ((parameters.get('password') ?? '').length < 8) refuse('Sorry, the password is too weak.');
        if (accounts[name]) refuse(`Sorry, a group for that username already exists.`);
        if (domain.startsWith('refused-') || Object.values(accounts).some((each) => each.domain === domain)) {
          refuse(`Sorry, the domain “${domain}” already exists on this server.`);
        }
        accounts[name] = {
          domain,
          plan: parameters.get('plan') ?? 'default',
          suspended: false,
          mail: parameters.get('mxcheck') ?? 'auto',
          mailboxes: mailboxesOf(domain),
        };
        return { ip: '127.0.0.1', package: parameters.get('plan') };
      }
      case 'changepackage':
        findAccount().plan = parameters.get('pkg') || refuse('“pkg” is a required parameter.');
        return {};
      case 'suspendacct':
      case 'unsuspendacct':
        findAccount().suspended = command === 'suspendacct';
        return {};
      case 'removeacct':
        findAccount();
        delete accounts[name];
        return {};
      case 'create_user_session': {
        findAccount();
        if (parameters.get('service') !== 'cpaneld') refuse('Invalid service.');
        const token = randomBytes(16).toString('hex');
        const expiresAt = Date.now() + SESSION_MS;
        sessions.set(token, { server, name, expiresAt });
        const url = `${baseUrl}${PANEL_PATH}/${token}`;
        return { url, expires: Math.floor(expiresAt / 1000), session: `${name}:${token}`, service: 'cpaneld' };
      }
      case 'uapi_cpanel': {
        const account = findAccount();
        if (account.suspended && account.domain.startsWith('locked-')) refuse(`The user “${name}” is suspended.`);
        const functionName = `${parameters.get('cpanel.module')}::${parameters.get('cpanel.function')}`;
        const act = FUNCTIONS[functionName];
        const errors = act ? null : [`The system could not find the function “${functionName}”.`];
        return {
          uapi: {
            status: act ? 1 : 0,
            errors,
            messages: null,
            warnings: null,
            data: act?.(account, parameters) ?? null,
          },
        };
      }
      default:
        return refuse(`Unknown app (“${command}”) requested for this version (1) of the API.`);
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
    const fault = FAULTS.find(([start]) => account?.domain.startsWith(start));
    if (fault) return fault[1](response);
    try {
      const data = run(server, accounts, command, parameters);
      if (request.method === 'POST') state.save();
      sendJson(response, { data, metadata: { command, version: 1, result: 1, reason: 'OK' } });
    } catch (error) {
      if (!(error instanceof CommandRefused)) throw error;
      sendJson(response, { data: {}, metadata: { command, version: 1, result: 0, reason: error.message } });
    }
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
        const name = new URLSearchParams(await bodyText(request)).get('name') ?? '';
        if (
          /^[a-z0-9._-]{1,64}$/.test(name) &&
          account.mailboxes.every(({ email }) => email !== `${name}@${account.domain}`)
        )
          account.mailboxes.push({ email: `${name}@${account.domain}`, quotaBytes: 1024 * MIB, usedBytes: 0 });
        state.save();
        response.writeHead(303, { location: request.url }).end();
        return;
      }
      request.resume();
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(controlPanel(account));
    },
  };
}
