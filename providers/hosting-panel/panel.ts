import type * as z from 'zod/mini';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { formatUsage, Mailboxes, Outcome, Session, Summary, toMailbox, Usages, WhmResponse } from './responses.ts';

/** The address and credentials of a hosting server's panel. */
export interface PanelServer {
  /** `https://web-1.example.net:2087`, without a slash at the end. */
  baseUrl: string;
  /** The reseller or root user that the token is of. */
  user: string;
  token: string;
}

/** An account on a hosting server as it is at this moment. */
export interface PanelAccount {
  domain: string;
  /** The package on the server. */
  plan: string;
  status: 'ACTIVE' | 'SUSPENDED';
  /** Used and available amounts as text: `{"Disk Usage": "25 MB of 1 GB"}`. */
  usage: Record<string, string>;
  /** `quotaMb` is 0 where a mailbox has no limit of its own. Undefined where the server refuses to list those of a suspended account. */
  mailboxes: { address: string; quotaMb: number }[] | undefined;
}

/** `LOCAL`: the server accepts mail for the domain. `REMOTE`: it sends it where the domain's MX records say. */
export type MailRouting = 'LOCAL' | 'REMOTE';

export interface NewPanelAccount {
  username: string;
  domain: string;
  /** The package on the server: our plan's slug. */
  plan: string;
  /** The treatment of mail for the domain. */
  mail: MailRouting;
  password: string;
}

/** Hosting servers. Every method throws {@link PanelFailure}, and nothing else. */
export interface Panel {
  /** The account's domain, plan and status alone: one call. Undefined where there is no such account. */
  find(server: PanelServer, username: string): Promise<Pick<PanelAccount, 'domain' | 'plan' | 'status'> | undefined>;
  /** The whole account, read live within five seconds. Undefined where there is no such account. */
  read(server: PanelServer, username: string): Promise<PanelAccount | undefined>;
  create(server: PanelServer, account: NewPanelAccount): Promise<void>;
  routeMail(server: PanelServer, username: string, domain: string, mail: MailRouting): Promise<void>;
  changePlan(server: PanelServer, username: string, plan: string): Promise<void>;
  suspend(server: PanelServer, username: string, reason: string): Promise<void>;
  unsuspend(server: PanelServer, username: string): Promise<void>;
  /** Removes an account; does nothing where there is none. */
  remove(server: PanelServer, username: string): Promise<void>;
  /**
   * Signs in to the account's control panel, within five seconds: an address that opens it without a password, and the time
   * in milliseconds since the epoch at which it ends. Undefined where there is no such account.
   */
  createSession(server: PanelServer, username: string): Promise<{ url: string; expiresAt: number } | undefined>;
}

/** Kinds of panel failures: no connection, a timeout, an invalid response, or a refusal. */
export type PanelFault = 'unreachable' | 'timeout' | 'nonsense' | 'refused';

export class PanelFailure extends Error {
  override readonly name = 'PanelFailure';
  readonly fault: PanelFault;
  constructor(fault: PanelFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

/**
 * Timeouts in milliseconds. A caller waits for a read (specification, Errors 502); creating an account takes a server
 * longer.
 */
const TIMEOUTS_MS = { read: TIMEOUTS_S.panel.read * 1000, change: TIMEOUTS_S.panel.change * 1000 };
/** Far more than any account's answer. */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;

/**
 * A panel has no status for "there is no such account", only words, which may be about a package as well. So only what an
 * account's absence answers takes them for it: a read, a removal.
 */
const MISSING_ACCOUNT = /does not exist|no such (user|account)|not (a )?valid user|unknown user/i;

/** Returns undefined where the command was refused because the account does not exist. */
async function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof PanelFailure && error.fault === 'refused' && MISSING_ACCOUNT.test(error.message))
      return undefined;
    throw error;
  }
}

/** Returns a refusal as a result, for the caller to decide; throws any other failure. */
function refusal(error: unknown): PanelFailure {
  if (error instanceof PanelFailure && error.fault === 'refused') return error;
  throw error;
}

function parsed<T>(schema: z.ZodMiniType<T>, value: unknown): T {
  const { success, data } = schema.safeParse(value);
  if (!success) throw new PanelFailure('nonsense', 'the panel answered something else than was asked');
  return data;
}

async function responseText(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of answer.body ?? []) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_RESPONSE_BYTES) throw new PanelFailure('nonsense', 'the answer is too long');
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** cPanel's panel: WHM API 1, and through it the UAPI of an account. Source: api.docs.cpanel.net. */
export function createPanel(deadlines = TIMEOUTS_MS): Panel {
  /** One call. Parameters of changes travel in the body: a password has no business in an access log. */
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
      throw new PanelFailure(answer.status < 500 ? 'refused' : 'nonsense', `the panel answered ${answer.status}`);
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
      throw new PanelFailure('nonsense', 'the panel did not answer in JSON');
    }
    const { metadata, data } = parsed(WhmResponse(), json);
    if (metadata.result) return data ?? {};
    throw new PanelFailure('refused', metadata.reason || 'the panel refused without a reason');
  }

  async function change(server: PanelServer, command: string, parameters: Record<string, string>): Promise<void> {
    await ask(server, command, parameters, AbortSignal.timeout(deadlines.change), 'POST');
  }

  async function summary(server: PanelServer, user: string, signal: AbortSignal) {
    const data = await unlessMissing(ask(server, 'accountsummary', { user }, signal, 'GET'));
    const [account] = data === undefined ? [] : parsed(Summary(), data).acct;
    const status = account?.suspended ? ('SUSPENDED' as const) : ('ACTIVE' as const);
    return account && { domain: account.domain, plan: account.plan, status };
  }

  /** A function of the account's own API. Undefined where there is no such account. */
  async function accountApi<T>(
    schema: z.ZodMiniType<{
      uapi: { status: number; errors?: string[] | null | undefined; data?: T[] | null | undefined };
    }>,
    server: PanelServer,
    user: string,
    [module, name]: readonly [string, string],
    signal: AbortSignal,
  ): Promise<T[] | undefined> {
    const call = { 'cpanel.user': user, 'cpanel.module': module, 'cpanel.function': name };
    const answer = await unlessMissing(ask(server, 'uapi_cpanel', call, signal, 'GET'));
    if (answer === undefined) return undefined;
    const { status, errors, data } = parsed(schema, answer).uapi;
    if (status !== 1) throw new PanelFailure('refused', errors?.join(' ') || `${module}::${name} was refused`);
    return data ?? [];
  }

  return {
    find: (server, username) => summary(server, username, AbortSignal.timeout(deadlines.read)),

    async read(server, username) {
      const signal = AbortSignal.timeout(deadlines.read);
      // What failed first is told; the others are not waited for, and the deadline ends them.
      const [found, usages, mailboxes] = await Promise.all([
        summary(server, username, signal),
        accountApi(Usages(), server, username, ['ResourceUsage', 'get_usages'], signal).catch(refusal),
        accountApi(Mailboxes(), server, username, ['Email', 'list_pops_with_disk'], signal).catch(refusal),
      ]);
      // A suspended account may not use its own API: WHM's documentation does not say.
      for (const each of [usages, mailboxes])
        if (each instanceof PanelFailure && found?.status !== 'SUSPENDED') throw each;
      return (
        found && {
          ...found,
          usage: Object.fromEntries(
            (usages instanceof PanelFailure ? [] : (usages ?? [])).map((each) => [each.description, formatUsage(each)]),
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
      const { status, errors } = parsed(Outcome(), data).uapi;
      if (status !== 1) throw new PanelFailure('refused', errors?.join(' ') || 'the mail routing was refused');
    },
    changePlan: (server, user, pkg) => change(server, 'changepackage', { user, pkg }),
    suspend: (server, user, reason) => change(server, 'suspendacct', { user, reason }),
    unsuspend: (server, user) => change(server, 'unsuspendacct', { user }),
    remove: (server, username) => unlessMissing(change(server, 'removeacct', { username })),
    async createSession(server, user) {
      const signal = AbortSignal.timeout(deadlines.read);
      const call = { user, service: 'cpaneld' };
      const data = await unlessMissing(ask(server, 'create_user_session', call, signal, 'POST'));
      if (data === undefined) return undefined;
      const { url, expires } = parsed(Session(), data);
      return { url, expiresAt: expires * 1000 };
    },
  };
}
