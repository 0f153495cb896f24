import type * as z from 'zod/mini';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { formatUsage, Mailboxes, Outcome, Session, Summary, toMailbox, Usages, WhmResponse } from './responses.ts';

/** The address and credentials of a hosting server's panel. */
export interface PanelServer {
  /** `https://web-1.example.net:2087`, without a trailing slash. */
  baseUrl: string;
  /** The reseller or root user to whom the token belongs. */
  user: string;
  token: string;
}

/** The current state of an account on a hosting server. */
export interface PanelAccount {
  domain: string;
  /** The package on the server. */
  plan: string;
  status: 'ACTIVE' | 'SUSPENDED';
  /** Used and available amounts as text: `{"Disk Usage": "25 MB of 1 GB"}`. */
  usage: Record<string, string>;
  /** `quotaMb` is 0 for a mailbox without its own limit. Undefined if the server refuses to list the mailboxes of a suspended account. */
  mailboxes: { address: string; quotaMb: number }[] | undefined;
}

/** `LOCAL`: the server accepts mail for the domain. `REMOTE`: it forwards mail according to the domain's MX records. */
export type MailRouting = 'LOCAL' | 'REMOTE';

export interface NewPanelAccount {
  username: string;
  domain: string;
  /** The package on the server, which is the slug of the platform's plan. */
  plan: string;
  /** The treatment of mail for the domain. */
  mail: MailRouting;
  password: string;
}

/** The panels of hosting servers. Methods throw only {@link PanelFailure}. */
export interface Panel {
  /** Reads only the account's domain, plan and status, with one call. Returns undefined if the account does not exist. */
  find(server: PanelServer, username: string): Promise<Pick<PanelAccount, 'domain' | 'plan' | 'status'> | undefined>;
  /** Reads the whole account from the server, within five seconds. Returns undefined if the account does not exist. */
  read(server: PanelServer, username: string): Promise<PanelAccount | undefined>;
  create(server: PanelServer, account: NewPanelAccount): Promise<void>;
  routeMail(server: PanelServer, username: string, domain: string, mail: MailRouting): Promise<void>;
  changePlan(server: PanelServer, username: string, plan: string): Promise<void>;
  suspend(server: PanelServer, username: string, reason: string): Promise<void>;
  unsuspend(server: PanelServer, username: string): Promise<void>;
  /** Removes an account. A missing account is not an error. */
  remove(server: PanelServer, username: string): Promise<void>;
  /**
   * Signs in to the account's control panel, within five seconds. Returns a URL that opens the panel without a password, and the URL's
   * expiry in milliseconds since the epoch; undefined if the account does not exist or is that of another domain.
   */
  createSession(
    server: PanelServer,
    username: string,
    domain: string,
  ): Promise<{ url: string; expiresAt: number } | undefined>;
}

/** Kinds of panel failures: no connection, a timeout, an invalid response, or a refusal. */
export type PanelFault = 'unreachable' | 'timeout' | 'invalid-response' | 'refused';

export class PanelFailure extends Error {
  override readonly name = 'PanelFailure';
  readonly fault: PanelFault;
  constructor(fault: PanelFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

/**
 * Timeouts in milliseconds. That of reads is shorter, because a caller waits for them (specification, Errors 502); a server needs longer to
 * create an account.
 */
const TIMEOUTS_MS = { read: TIMEOUTS_S.panel.read * 1000, change: TIMEOUTS_S.panel.change * 1000 };
/** Maximum size of a response: far more than any account needs. */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;

/**
 * Matches messages about a missing account. A panel has no status for it, only a message, which may also be about a missing package.
 * Therefore only calls that treat a missing account as a result use this pattern: reads and removals.
 */
const MISSING_ACCOUNT = /does not exist|no such (user|account)|not (a )?valid user|unknown user/i;

/** Resolves to undefined if the panel refused a command because the account does not exist. */
async function undefinedIfMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof PanelFailure && error.fault === 'refused' && MISSING_ACCOUNT.test(error.message))
      return undefined;
    throw error;
  }
}

/** Returns a refusal, so that the caller can handle it as a result. Throws any other error. */
function returnRefusal(error: unknown): PanelFailure {
  if (error instanceof PanelFailure && error.fault === 'refused') return error;
  throw error;
}

function parse<T>(schema: z.ZodMiniType<T>, value: unknown): T {
  const { success, data } = schema.safeParse(value);
  if (!success) throw new PanelFailure('invalid-response', 'the panel sent an unexpected response');
  return data;
}

async function responseText(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of answer.body ?? []) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_RESPONSE_BYTES) throw new PanelFailure('invalid-response', 'the response is too long');
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** cPanel implementation: WHM API 1, and through it the UAPI of accounts. Source: api.docs.cpanel.net. */
export function createPanel(deadlines = TIMEOUTS_MS): Panel {
  /** Sends one call. The parameters of changes travel in the body, so that no password appears in an access log. */
  async function exchange(
    { baseUrl, user, token }: PanelServer,
    command: string,
    parameters: Record<string, string>,
    signal: AbortSignal,
    method: 'GET' | 'POST',
  ): Promise<string> {
    const query = new URLSearchParams({ 'api.version': '1', ...parameters });
    const url = `${baseUrl}/json-api/${command}`;
    const headers = { authorization: `whm ${user}:${token}`, accept: 'application/json' };
    const options: RequestInit = { method, headers, signal, redirect: 'error' };
    try {
      const answer = await (method === 'GET'
        ? fetch(`${url}?${query}`, options)
        : fetch(url, { ...options, body: query }));
      const text = await responseText(answer);
      if (answer.ok) return text;
      throw new PanelFailure(
        answer.status < 500 ? 'refused' : 'invalid-response',
        `the panel answered ${answer.status}`,
      );
    } catch (error) {
      if (error instanceof PanelFailure) throw error;
      if (signal.aborted) throw new PanelFailure('timeout', 'the panel did not answer in time');
      throw new PanelFailure(
        'unreachable',
        error instanceof Error ? String(error.cause ?? error.message) : String(error),
      );
    }
  }

  /** Runs a command and returns its data. */
  async function ask(...call: Parameters<typeof exchange>): Promise<unknown> {
    const text = await exchange(...call);
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      throw new PanelFailure('invalid-response', 'the panel did not answer in JSON');
    }
    const { metadata, data } = parse(WhmResponse(), json);
    if (metadata.result) return data ?? {};
    throw new PanelFailure('refused', metadata.reason || 'the panel refused without a reason');
  }

  async function change(server: PanelServer, command: string, parameters: Record<string, string>): Promise<void> {
    await ask(server, command, parameters, AbortSignal.timeout(deadlines.change), 'POST');
  }

  async function readSummary(server: PanelServer, user: string, signal: AbortSignal) {
    const data = await undefinedIfMissing(ask(server, 'accountsummary', { user }, signal, 'GET'));
    const [account] = data === undefined ? [] : parse(Summary(), data).acct;
    const status = account?.suspended ? ('SUSPENDED' as const) : ('ACTIVE' as const);
    return account && { domain: account.domain, plan: account.plan, status };
  }

  /** Calls a function of the account's own API (UAPI). Returns undefined if the account does not exist. */
  async function callAccountApi<T>(
    schema: z.ZodMiniType<{
      uapi: { status: number; errors?: string[] | null | undefined; data?: T[] | null | undefined };
    }>,
    server: PanelServer,
    user: string,
    [module, name]: readonly [string, string],
    signal: AbortSignal,
  ): Promise<T[] | undefined> {
    const call = { 'cpanel.user': user, 'cpanel.module': module, 'cpanel.function': name };
    const answer = await undefinedIfMissing(ask(server, 'uapi_cpanel', call, signal, 'GET'));
    if (answer === undefined) return undefined;
    const { status, errors, data } = parse(schema, answer).uapi;
    if (status !== 1) throw new PanelFailure('refused', errors?.join(' ') || `${module}::${name} was refused`);
    return data ?? [];
  }

  return {
    find: (server, username) => readSummary(server, username, AbortSignal.timeout(deadlines.read)),

    async read(server, username) {
      const signal = AbortSignal.timeout(deadlines.read);
      // The first failure is reported. The other calls are not awaited, and the deadline ends them.
      const [found, usages, mailboxes] = await Promise.all([
        readSummary(server, username, signal),
        callAccountApi(Usages(), server, username, ['ResourceUsage', 'get_usages'], signal).catch(returnRefusal),
        callAccountApi(Mailboxes(), server, username, ['Email', 'list_pops_with_disk'], signal).catch(returnRefusal),
      ]);
      // The API of a suspended account may refuse calls; WHM's documentation does not say whether it does.
      for (const result of [usages, mailboxes])
        if (result instanceof PanelFailure && found?.status !== 'SUSPENDED') throw result;
      return (
        found && {
          ...found,
          usage: Object.fromEntries(
            (usages instanceof PanelFailure ? [] : (usages ?? [])).map((resource) => [
              resource.description,
              formatUsage(resource),
            ]),
          ),
          mailboxes: mailboxes instanceof PanelFailure ? undefined : (mailboxes ?? []).map(toMailbox),
        }
      );
    },

    create: (server, { mail, ...account }) => change(server, 'createacct', { ...account, mxcheck: mail.toLowerCase() }),
    async routeMail(server, username, domain, mail) {
      const call = { 'cpanel.user': username, 'cpanel.module': 'Email', 'cpanel.function': 'set_always_accept' };
      const settings = { 'cpanel.domain': domain, 'cpanel.mxcheck': mail.toLowerCase() };
      const signal = AbortSignal.timeout(deadlines.change);
      const data = await ask(server, 'uapi_cpanel', { ...call, ...settings }, signal, 'POST');
      const { status, errors } = parse(Outcome(), data).uapi;
      if (status !== 1) throw new PanelFailure('refused', errors?.join(' ') || 'the mail routing was refused');
    },
    changePlan: (server, user, pkg) => change(server, 'changepackage', { user, pkg }),
    suspend: (server, user, reason) => change(server, 'suspendacct', { user, reason }),
    unsuspend: (server, user) => change(server, 'unsuspendacct', { user }),
    remove: (server, username) => undefinedIfMissing(change(server, 'removeacct', { username })),
    async createSession(server, user, domain) {
      const signal = AbortSignal.timeout(deadlines.read);
      if ((await readSummary(server, user, signal))?.domain !== domain) return undefined;
      const call = { user, service: 'cpaneld' };
      const data = await undefinedIfMissing(ask(server, 'create_user_session', call, signal, 'POST'));
      if (data === undefined) return undefined;
      const { url, expires } = parse(Session(), data);
      return { url, expiresAt: expires * 1000 };
    },
  };
}
