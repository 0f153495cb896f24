import { createHash, randomInt } from 'node:crypto';
import { ApiError, accountSuspended } from '../../contract/errors.ts';
import type { Scope } from '../../contract/route.ts';
import { ApiKey, Credential } from '../../table/entities/accounts.ts';
import { create, type Write } from '../../table/writes.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;

export type KeyKind = 'secret' | 'public';
const PREFIX: Record<KeyKind, string> = { secret: 'sk_live_', public: 'pk_live_' };

function checksum(text: string): string {
  let remaining = createHash('sha256').update(text).digest().readUInt32BE();
  let digits = '';
  for (let position = 0; position < CHECKSUM_LENGTH; position += 1) {
    digits = ALPHABET[remaining % 62] + digits;
    remaining = Math.floor(remaining / 62);
  }
  return digits;
}

/** Returns the text of a new key: a prefix, 32 random characters (190 bits) and a checksum of 6 characters. */
function newKeyText(kind: KeyKind): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET[randomInt(62)]).join('');
  const text = PREFIX[kind] + random;
  return text + checksum(text);
}

/** Checks the format and checksum of a key's text, so that a mistyped key is refused without a read of the table. */
export function isKeyText(text: string, kind: KeyKind): boolean {
  const length = PREFIX[kind].length + RANDOM_LENGTH;
  return text.startsWith(PREFIX[kind]) && checksum(text.slice(0, length)) === text.slice(length);
}

/** Returns the hash by which a key is stored and found. The key's text is shown once and never stored. */
export const hashKey = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Length of the prefix by which operators find a key: its kind and 8 of its 32 random characters. 142 bits stay secret. */
export const KEY_PREFIX_LENGTH = 16;

export interface NewKey {
  accountId: string;
  keyId: string;
  name: string;
  scopes: Scope[];
  /** Origins from which the public half may be used; `*` for any. */
  allowedOrigins: string[];
  expiresAt: string | null;
  revokedAt?: string | null | undefined;
  createdAt: string;
  /** Monthly budget for AI credits, in micro-rand. */
  aiBudgetMicroRand?: number;
  /** True for a key that its account added. While it is new, all of its requests count on the account (runtime/http/account-rate.ts). */
  isAdded?: boolean;
  /** True if a part of the account's rate is reserved for the key. */
  hasReserve?: boolean;
  /** The login that creates it. */
  createdBy?: ApiKey['createdBy'];
}

/** Creates both halves of a key. Returns their texts, which are shown once, and the writes that store the key and the hashes. */
export function createKeyPair(key: NewKey): { secretKey: string; publicKey: string; listed: ApiKey; writes: Write[] } {
  const { accountId, keyId, name, scopes, allowedOrigins, expiresAt, createdAt, revokedAt = null } = key;
  const texts = { secret: newKeyText('secret'), public: newKeyText('public') };
  const hashes = { secret: hashKey(texts.secret), public: hashKey(texts.public) };
  const common = { accountId, allowedOrigins, expiresAt, revokedAt };
  const added = key.isAdded ? { createdAt } : {};
  const reserve = key.hasReserve ? { hasReserve: true as const } : {};
  const budget = key.aiBudgetMicroRand === undefined ? {} : { aiBudgetMicroRand: key.aiBudgetMicroRand };
  const credential = (kind: KeyKind) => {
    const half = { hash: hashes[kind], keyId, kind, scopes: kind === 'secret' ? scopes : [], lastUsedAt: null };
    return create(Credential, { ...common, ...half, ...added, ...reserve, ...(kind === 'secret' ? budget : {}) });
  };
  const listed = {
    ...common,
    id: keyId,
    name,
    scopes,
    createdAt,
    hashes,
    publicKey: texts.public,
    prefixes: {
      secret: texts.secret.slice(0, KEY_PREFIX_LENGTH),
      public: texts.public.slice(0, KEY_PREFIX_LENGTH),
    },
    lastFour: texts.secret.slice(-4),
    ...(key.createdBy ? { createdBy: key.createdBy } : {}),
    ...budget,
  };
  return {
    secretKey: texts.secret,
    publicKey: texts.public,
    listed,
    writes: [create(ApiKey, listed), credential('secret'), credential('public')],
  };
}

/** Throws 403 with the reason for a key or login of a suspended account. */
export function assertNotSuspended({ suspended }: { suspended?: string | undefined }): void {
  if (suspended !== undefined) throw accountSuspended(suspended);
}

/** Throws 409 if the account is scheduled for deletion. */
export function assertNotClosing({ closesAt }: { closesAt?: string | undefined }): void {
  if (closesAt !== undefined) throw accountClosing(closesAt);
}

/** Creates the 409 error of an account that is scheduled for deletion. */
export const accountClosing = (closesAt: string) =>
  new ApiError(
    'conflict',
    `This account will be deleted on ${closesAt.slice(0, 10)}. Cancel the deletion in the dashboard to change anything.`,
  );

/** Throws 401 for a revoked or expired key, and 403 for a suspended key or account and for a public key from an origin that is not allowed. */
export function assertUsable(credential: Credential, origin: string | undefined, now: Date): void {
  if (credential.revokedAt) throw new ApiError('unauthorized', 'This API key has been revoked.');
  if (credential.expiresAt && Date.parse(credential.expiresAt) <= now.getTime()) {
    throw new ApiError('unauthorized', 'This API key has expired.');
  }
  assertNotSuspended(credential);
  if (credential.keySuspended !== undefined)
    throw new ApiError('forbidden', `This API key is suspended: ${credential.keySuspended}`);
  if (credential.kind === 'secret' || origin === undefined) return;
  const { allowedOrigins } = credential;
  if (!allowedOrigins.includes('*') && !allowedOrigins.includes(origin)) {
    throw new ApiError('forbidden', 'This public key may not be used from this origin.');
  }
}
