import { isDeepStrictEqual } from 'node:util';
import type {
  createKey as CreateRoute,
  listKeys as ListRoute,
  revokeKey as RevokeRoute,
  updateKey as UpdateRoute,
} from '../../contract/accounts/api-keys.ts';
import { ApiError, invalidField } from '../../contract/errors.ts';
import { KEYS_WITH_RESERVE } from '../../contract/limits/limits.ts';
import type { Input, Output } from '../../contract/route.ts';
import { Account, ApiKey, apiKeysOf, Credential } from '../../table/entities/accounts.ts';
import { allUnchanged } from '../../table/expressions.ts';
import { change } from '../../table/writes.ts';
import { toMicroRand } from '../ai/key-budgets.ts';
import { readSpending } from '../ai/key-spending.ts';
import { microRandToRand } from '../ai/prices.ts';
import { concurrentUpdate, ignoreConflict, retryRequest, tryChange } from '../conflict.ts';
import type { Caller, Deps } from '../deps.ts';
import { countToday, countTowards, findAccount } from '../limits/limits.ts';
import { createKeyPair } from './credentials.ts';

/** Operations on API keys for an account's owner in the dashboard (specification, Authentication 1, 2 and 8). */

type KeyView = Output<typeof ListRoute>['data'][number];

/** Usage of a key, which other items than the key's store. */
interface KeyUse {
  lastUsedAt: string | null;
  aiSpentMicroRand: number;
}

function view(key: ApiKey, { lastUsedAt, aiSpentMicroRand }: KeyUse): KeyView {
  const { id, name, scopes, allowedOrigins, expiresAt, revokedAt, publicKey, lastFour = null, createdBy } = key;
  const aiBudget = key.aiBudgetMicroRand === undefined ? null : microRandToRand(key.aiBudgetMicroRand);
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
    aiBudget,
    createdBy: createdBy?.email ?? null,
    aiSpent: microRandToRand(aiSpentMicroRand),
    createdAt: key.createdAt,
  };
}

/** Returns the last use of either half of a key; null if neither was used. */
async function readLastUse(deps: Deps, { hashes }: ApiKey): Promise<string | null> {
  const halves = await Promise.all([hashes.secret, hashes.public].map((hash) => deps.table.get(Credential, { hash })));
  const times = halves.flatMap((half) => half?.lastUsedAt ?? []);
  // ISO timestamps sort as text.
  return times.sort().at(-1) ?? null;
}

/** Returns how keys of an account were used, by id: the last use, and the AI credits that the key spent this month. */
async function readUse(deps: Deps, accountId: string, keys: readonly ApiKey[]): Promise<(key: ApiKey) => KeyUse> {
  const [spending, lastUses] = await Promise.all([
    readSpending(
      deps,
      accountId,
      keys.map(({ id }) => id),
    ),
    Promise.all(keys.map(async (key) => [key.id, await readLastUse(deps, key)] as const)),
  ]);
  const lastUsed = new Map(lastUses);
  return ({ id }) => ({ lastUsedAt: lastUsed.get(id) ?? null, aiSpentMicroRand: spending.get(id) ?? 0 });
}

/** GET /dashboard/v1/keys */
export async function listKeys(
  deps: Deps,
  { accountId }: Caller,
  page: Input<typeof ListRoute>,
): Promise<Output<typeof ListRoute>> {
  const { items, hasMore } = await deps.table.list(ApiKey, apiKeysOf(accountId), page);
  const useOf = await readUse(deps, accountId, items);
  return { data: items.map((key) => view(key, useOf(key))), has_more: hasMore };
}

/** POST /dashboard/v1/keys. Only this response contains the secret half. */
export async function createKey(
  deps: Deps,
  { accountId, session, email }: Caller,
  input: Input<typeof CreateRoute>,
): Promise<Output<typeof CreateRoute>> {
  const now = deps.now();
  if (input.expiresAt && Date.parse(input.expiresAt) <= now.getTime()) {
    throw invalidField('expiresAt', 'must be in the future');
  }
  const keyId = deps.newId('key');
  const createdAt = now.toISOString();
  const createdBy = session && { subject: session.subject, ...(email === undefined ? {} : { email }) };
  const { aiBudget, ...key } = input;
  const options = {
    ...(createdBy ? { createdBy } : {}),
    ...(aiBudget === null ? {} : { aiBudgetMicroRand: toMicroRand(aiBudget) }),
  };
  const create = async () => {
    // An account never has more keys with a reserve than this, whichever keys are revoked later.
    const account = await countKeysOnce(deps, accountId);
    const hasReserve = account.keyCount < KEYS_WITH_RESERVE;
    const count = countTowards(
      deps,
      accountId,
      ['apiKeys'],
      hasReserve ? { keyCount: { absentOrBelow: KEYS_WITH_RESERVE } } : undefined,
    );
    const pair = createKeyPair({ ...key, ...options, accountId, keyId, createdAt, isAdded: true, hasReserve });
    const { secretKey, listed, writes } = pair;
    return await deps.commit([count, countToday(deps, account, 'apiKeysPerDay'), ...writes], {
      data: { ...view(listed, { lastUsedAt: null, aiSpentMicroRand: 0 }), secretKey },
    });
  };
  return await retryRequest(create);
}

/** PATCH /dashboard/v1/keys/{id}. A new budget applies from the next call, and includes the month's previous charges. */
export async function updateKey(
  deps: Deps,
  { accountId }: Caller,
  { id, name, aiBudget }: Input<typeof UpdateRoute>,
): Promise<Output<typeof UpdateRoute>> {
  const budget = aiBudget ? { aiBudgetMicroRand: toMicroRand(aiBudget) } : {};
  const remove = aiBudget === null ? (['aiBudgetMicroRand'] as const) : [];
  const set = { ...(name !== undefined && { name }), ...budget };
  const update = async (): Promise<Output<typeof UpdateRoute>> => {
    const key = await deps.table.get(ApiKey, { accountId, id });
    if (!key) throw noSuchKey();
    if (key.revokedAt) throw alreadyRevoked();
    const use = (await readUse(deps, accountId, [key]))(key);
    const { aiBudgetMicroRand: _, ...withoutBudget } = key;
    const after = { ...(aiBudget === null ? withoutBudget : key), ...set };
    if (isDeepStrictEqual(after, key)) return { data: view(key, use) };
    const when = allUnchanged(key, ['name', 'aiBudgetMicroRand', 'revokedAt']);
    return await deps.commit(
      [
        change(ApiKey, { accountId, id }, { set, remove, when }, concurrentUpdate),
        ...(aiBudget === undefined ? [] : [change(Credential, { hash: key.hashes.secret }, { set: budget, remove })]),
      ],
      { data: view(after, use) },
      { before: view(key, use), after: view(after, use) },
    );
  };
  return await retryRequest(update);
}

/**
 * Counts the active keys of an account that was opened before `keyCount` existed.
 * @returns the account, with the number of its active keys
 */
async function countKeysOnce(deps: Deps, accountId: string): Promise<Account & { keyCount: number }> {
  const account = await findAccount(deps, accountId);
  if (account.keyCount !== undefined) return { ...account, keyCount: account.keyCount };
  let keyCount = 0;
  for await (const { revokedAt } of deps.table.each(ApiKey, apiKeysOf(accountId))) if (!revokedAt) keyCount += 1;
  const update = { set: { keyCount }, when: { keyCount: 'absent' } } as const;
  await tryChange(deps, Account, { id: accountId }, update);
  return { ...account, keyCount };
}

const noSuchKey = () => new ApiError('not_found', 'API key not found.');
const alreadyRevoked = () => new ApiError('conflict', 'This API key has been revoked.');

/** DELETE /dashboard/v1/keys/{id}. Revokes both halves in one transaction. A repetition changes nothing. */
export async function revokeKey(
  deps: Deps,
  { accountId }: Caller,
  { id }: Input<typeof RevokeRoute>,
): Promise<Output<typeof RevokeRoute>> {
  const key = await deps.table.get(ApiKey, { accountId, id });
  if (!key) throw noSuchKey();
  const revocation = { set: { revokedAt: deps.now().toISOString() } };
  const output = { data: { id, deleted: true as const } };
  if (key.revokedAt) return output;
  await countKeysOnce(deps, accountId);

  const revoking = deps.commit(
    [
      change(ApiKey, { accountId, id }, { ...revocation, when: { revokedAt: { is: null } } }, concurrentUpdate),
      change(Account, { id: accountId }, { add: { keyCount: -1 } }),
      ...[key.hashes.secret, key.hashes.public].map((hash) => change(Credential, { hash }, revocation)),
    ],
    output,
    { before: key, after: { ...key, ...revocation.set } },
  );
  // On a conflict, another request has revoked the key.
  return (await ignoreConflict(revoking)) ?? output;
}
