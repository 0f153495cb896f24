import type {
  createKey as CreateRoute,
  listKeys as ListRoute,
  revokeKey as RevokeRoute,
} from '../../contract/accounts/api-keys.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Input, Output } from '../../contract/route.ts';
import { Account, ApiKey, apiKeysOf, Credential } from '../../table/entities/accounts.ts';
import { change } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Caller, Deps } from '../deps.ts';
import { countTowards, findAccount } from '../limits/limits.ts';
import { createKeyPair } from './credentials.ts';

/** Operations on API keys for an account's owner in the dashboard (specification, Authentication 1, 2 and 8). */

type Shown = Output<typeof ListRoute>['data'][number];

function view(key: ApiKey, lastUsedAt: string | null): Shown {
  const {
    id,
    name,
    scopes,
    allowedOrigins,
    expiresAt,
    revokedAt,
    publicKey,
    lastFour = null,
    createdBy,
    createdAt,
  } = key;
  const author = createdBy?.email ?? null;
  return {
    id,
    name,
    scopes,
    allowedOrigins,
    expiresAt,
    lastUsedAt,
    revokedAt,
    publicKey,
    lastFour,
    createdBy: author,
    createdAt,
  };
}

/** Returns when either half of a key was last used. ISO timestamps compare as text. */
async function readLastUse(deps: Deps, { hashes }: ApiKey): Promise<string | null> {
  const halves = await Promise.all([hashes.secret, hashes.public].map((hash) => deps.table.get(Credential, { hash })));
  const times = halves.flatMap((half) => half?.lastUsedAt ?? []);
  return times.sort().at(-1) ?? null;
}

/** GET /dashboard/v1/keys */
export async function listKeys(
  deps: Deps,
  { accountId }: Caller,
  page: Input<typeof ListRoute>,
): Promise<Output<typeof ListRoute>> {
  const { items, hasMore } = await deps.table.list(ApiKey, apiKeysOf(accountId), page);
  const data = await Promise.all(items.map(async (key) => view(key, await readLastUse(deps, key))));
  return { data, has_more: hasMore };
}

/** POST /dashboard/v1/keys: the secret half is in this answer and in no other. */
export async function createKey(
  deps: Deps,
  { accountId, session, email }: Caller,
  input: Input<typeof CreateRoute>,
): Promise<Output<typeof CreateRoute>> {
  const now = deps.now();
  if (input.expiresAt && Date.parse(input.expiresAt) <= now.getTime()) {
    throw new ApiError('invalid_request', 'expiresAt: must be in the future');
  }
  await countKeysOnce(deps, accountId);
  const keyId = deps.newId('key');
  const createdAt = now.toISOString();
  const createdBy = session && { subject: session.subject, ...(email === undefined ? {} : { email }) };
  const made = { ...input, accountId, keyId, createdAt, isAdded: true, ...(createdBy ? { createdBy } : {}) };
  const { secretKey, listed, writes } = createKeyPair(made);
  return await deps.commit([countTowards(deps, accountId, ['apiKeys']), ...writes], {
    data: { ...view(listed, null), secretKey },
  });
}

/** Counts the keys of an account from before the count; those that are not revoked count towards the limit. */
async function countKeysOnce(deps: Deps, accountId: string): Promise<void> {
  const account = await findAccount(deps, accountId);
  if (account.keyCount !== undefined) return;
  let keyCount = 0;
  for await (const { revokedAt } of deps.table.each(ApiKey, apiKeysOf(accountId))) if (!revokedAt) keyCount += 1;
  const what = { set: { keyCount }, when: { keyCount: 'absent' } } as const;
  await ignoreConflict(deps.table.write(Account, change(Account, { id: accountId }, what, concurrentUpdate)));
}

const noSuchKey = () => new ApiError('not_found', 'API key not found.');

/** DELETE /dashboard/v1/keys/{id}: revokes both halves, at once. Revoking again changes nothing. */
export async function revokeKey(
  deps: Deps,
  { accountId }: Caller,
  { id }: Input<typeof RevokeRoute>,
): Promise<Output<typeof RevokeRoute>> {
  const key = await deps.table.get(ApiKey, { accountId, id });
  if (!key) throw noSuchKey();
  const what = { set: { revokedAt: deps.now().toISOString() } };
  const output = { data: { id, deleted: true as const } };
  if (key.revokedAt) return output;
  await countKeysOnce(deps, accountId);
  const { secret, public: other } = key.hashes;
  const revoking = deps.commit(
    [
      change(ApiKey, { accountId, id }, { ...what, when: { revokedAt: { is: null } } }, concurrentUpdate),
      change(Account, { id: accountId }, { add: { keyCount: -1 } }),
      ...[secret, other].map((hash) => change(Credential, { hash }, what)),
    ],
    output,
    { before: key, after: { ...key, ...what.set } },
  );
  // On a conflict another request revoked it.
  return (await ignoreConflict(revoking)) ?? output;
}
