import { ApiError } from '../contract/errors.ts';
import type { Access } from '../contract/route.ts';
import type { Caller } from '../domain/deps.ts';
import { assertUsable, isKeyText, type KeyKind, keyHash } from '../domain/accounts/credentials.ts';
import { counterAt, judge, type Quota } from '../domain/accounts/rate-limit.ts';
import { Credential, Visitor } from '../table/entities.ts';
import type { Table } from '../table/table.ts';
import { change, upsert } from '../table/writes.ts';
import type { Event } from './answer.ts';
import { config } from './config.ts';

/** What a request shows of its sender. Header names are in lower case. */
export interface Claim {
  headers: Record<string, string | undefined>;
  sourceIp: string;
}

/** What hears of a caller who is being identified, each thing as soon as it is known. */
export interface Hearing {
  /** The quota, on every way out. */
  note(quota: Quota): void;
  /** What the caller is known by: answers to their `Idempotency-Key`s are found and sealed under it. */
  principal?: ((text: string) => void) | undefined;
  /** Who it was that showed the same last time, while the table is being asked. */
  foresee?: ((caller: Caller) => void) | undefined;
}

/** Whether a request came through our own edge, or there is none. */
export const throughTheEdge = ({ headers }: Event): boolean =>
  config.ORIGIN_SECRET === undefined || headers['x-origin-secret'] === config.ORIGIN_SECRET;

/** Where a request comes from: API Gateway sees the edge's address, so the edge says the visitor's and proves itself. */
export function claimOf(event: Event): Claim {
  const { headers } = event;
  const { ORIGIN_SECRET } = config;
  const believed = ORIGIN_SECRET !== undefined && headers['x-origin-secret'] === ORIGIN_SECRET;
  const viewer = believed ? headers['x-viewer-address'] : undefined;
  return { headers, sourceIp: viewer ?? event.requestContext.http.sourceIp };
}

/** The key text of a claim; with both headers the secret key counts. */
export function keyTextOf(headers: Claim['headers']): { kind: KeyKind; text: string } | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (headers.authorization !== undefined) return bearer ? { kind: 'secret', text: bearer } : undefined;
  const text = headers['x-public-key'];
  return text === undefined ? undefined : { kind: 'public', text };
}

/** Requests in any 60 seconds, of each kind of sender; read when the first one comes. */
export const LIMITS = {
  get login() {
    return config.RATE_LIMIT_LOGIN;
  },
  get secret() {
    return config.RATE_LIMIT_SECRET;
  },
  get public() {
    return config.RATE_LIMIT_PUBLIC;
  },
  get visitor() {
    return config.RATE_LIMIT_ANONYMOUS;
  },
};

/** Who this warm instance knows to be over the limit, and until when: refused without touching the table. */
const blocked = new Map<string, { quota: Quota; until: number }>();
/** An instance remembers this many senders of a kind; beyond it forgets them all, and asks the table again. */
const REMEMBERED_MOST = 1000;
export function remember<T>(senders: Map<string, T>, sender: string, what: T): void {
  if (senders.size >= REMEMBERED_MOST) senders.clear();
  senders.set(sender, what);
}

/** Counters that went out of the window, removed with the sender's next request. */
const staleOf = new Map<string, string[]>();

const tooMany = (quota: Quota) =>
  new ApiError('rate_limited', `Too many requests: ${quota.limit} in 60 seconds. Wait ${quota.retryAfter} s.`, {
    retryAfter: quota.retryAfter ?? 1,
  });

interface Counted<T> {
  item: T;
  quota: Quota;
}

type Count<T> = (update: { add: Record<string, number>; remove: string[] }) => Promise<T>;

/** Counts one request of a sender; throws 429 over the limit. `note` is told the quota before anything is thrown. */
export async function countRequest<T extends Record<string, unknown>>(
  sender: string,
  limit: number,
  now: Date,
  note: (quota: Quota) => void,
  count: Count<T>,
): Promise<Counted<T>> {
  const known = blocked.get(sender);
  if (known && now.getTime() < known.until) {
    const quota = { ...known.quota, retryAfter: Math.max(1, Math.ceil((known.until - now.getTime()) / 1000)) };
    note(quota);
    throw tooMany(quota);
  }
  blocked.delete(sender);
  const counter = counterAt(now);
  const item = await count({ add: { [counter]: 1 }, remove: staleOf.get(sender) ?? [] });
  const quota = judge(item, now, limit);
  note(quota);
  if (quota.stale.length > 0) remember(staleOf, sender, quota.stale);
  else staleOf.delete(sender);
  if (quota.retryAfter !== undefined) {
    // A refused request does not count: it is taken back, and this instance asks the table no more for a while.
    remember(blocked, sender, { quota, until: now.getTime() + quota.retryAfter * 1000 });
    await count({ add: { [counter]: -1 }, remove: quota.stale });
    throw tooMany(quota);
  }
  if (quota.staleLimitReached) {
    staleOf.delete(sender);
    await count({ add: { [counter]: 0 }, remove: quota.stale });
  }
  return { item, quota };
}

const isThrottled = (error: unknown) =>
  error instanceof Error && /Throttl|ThroughputExceeded|LimitExceeded/.test(error.name);

/** A hot key's item refuses more writes than one item takes: the caller is asked to slow down. */
export async function slowDownIfThrottled<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (isThrottled(error)) throw new ApiError('rate_limited', 'Too many requests at once.', { retryAfter: 1 });
    throw error;
  }
}

/** Counts a call that no key identifies by its address, so that guessing is limited too. */
export async function countVisitor(
  table: Table,
  address: string,
  now: Date,
  note: (quota: Quota) => void,
  limit: number = LIMITS.visitor,
): Promise<void> {
  const expiresAtEpoch = Math.floor(now.getTime() / 1000) + 3600;
  await countRequest(`visitor ${address}`, limit, now, note, async (update) => {
    const write = upsert(Visitor, { address }, { ...update, set: { address, expiresAtEpoch } });
    return (await slowDownIfThrottled(table.write(Visitor, write))) ?? { address };
  });
}

/** Whom this warm instance has let in, by key or login: enough to read ahead for them, never to answer them. */
export const callerOf = new Map<string, Caller>();

const unauthorized = () => new ApiError('unauthorized');
const unknownKey = () => new ApiError('unauthorized', 'This API key is unknown.');

/**
 * Finds the caller and counts the request, in one UpdateItem on the key's item. `note` is told the quota on every way out;
 * `foresee` is told whose key this was last time, while the table is being asked.
 * Throws 401, 403 or 429 (specification, Authentication and Limits).
 */
export async function authenticate(
  table: Table,
  claim: Claim,
  access: Access,
  now: Date,
  note: Hearing['note'],
  foresee?: Hearing['foresee'],
): Promise<Caller> {
  const key = keyTextOf(claim.headers);
  if (!key || !isKeyText(key.text, key.kind)) {
    await countVisitor(table, claim.sourceIp, now, note);
    throw key ? unknownKey() : unauthorized();
  }
  const hash = keyHash(key.text);
  let credential: Credential;
  try {
    const counted = await countRequest(hash, LIMITS[key.kind], now, note, async (update) => {
      const set = { lastUsedAt: now.toISOString() };
      const write = change(Credential, { hash }, { ...update, set }, unknownKey);
      const writing = slowDownIfThrottled(table.touch(write, 'ALL_NEW'));
      const seen = callerOf.get(hash);
      if (seen) foresee?.(seen);
      return await writing;
    });
    credential = Credential.parse(counted.item);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'unauthorized')
      await countVisitor(table, claim.sourceIp, now, note);
    throw error;
  }
  assertUsable(credential, claim.headers.origin, now);
  assertAllowed(credential, access);
  const caller = { accountId: credential.accountId, keyId: credential.keyId };
  if (foresee) remember(callerOf, hash, caller);
  return caller;
}

function assertAllowed(credential: Credential, access: Access): void {
  if (access === 'catalogue' || access === 'hook' || access === 'none') return;
  if (credential.kind === 'public') {
    throw new ApiError('forbidden', 'A public key works on the catalogue and the list of models only.');
  }
  if (access !== 'any' && !credential.scopes.some((scope) => scope === access)) {
    throw new ApiError('insufficient_scope', `This key lacks the scope "${access}".`);
  }
}
