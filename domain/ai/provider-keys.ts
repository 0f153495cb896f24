import type * as z from 'zod/mini';
import type { AiProvider } from '../../contract/ai/gateway.ts';
import type {
  deleteProviderKey as DeleteRoute,
  listProviderKeys as ListRoute,
  putProviderKey as PutRoute,
} from '../../contract/ai/management.ts';
import { AI_PROVIDER_IDS } from '../../contract/enums.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Input, Output } from '../../contract/route.ts';
import { isProviderId, PROVIDERS } from '../../providers/ai/registry.ts';
import type { Secrets } from '../../providers/encryption/secrets.ts';
import { AiAccount } from '../../table/entities/ai.ts';
import { change } from '../../table/writes.ts';
import { Cache } from '../cache/cache.ts';
import { concurrentUpdate, ignoreConflict, retryRequest } from '../conflict.ts';
import type { Caller, Deps } from '../deps.ts';
import { addCredits, newCreditEntry } from './entries.ts';

/** Encryption context of a saved provider key: the key of one account cannot be decrypted as another's. */
const keyContext = (accountId: string, provider: string) => ({ providerKeyOf: accountId, provider });

type Shown = z.output<ReturnType<typeof AiProvider>>;

const shown = (account: AiAccount | undefined, id: keyof typeof PROVIDERS): Shown => {
  const lastFour = account?.keys[id]?.lastFour ?? null;
  return { id, name: PROVIDERS[id].name, saved: lastFour !== null, lastFour };
};

function assertKnownProvider(id: string): keyof typeof PROVIDERS {
  if (!isProviderId(id)) throw new ApiError('not_found', 'Provider not found.');
  return id;
}

/** GET /dashboard/v1/ai/providers */
export async function listProviderKeys(
  deps: Deps,
  { accountId }: Pick<Caller, 'accountId'>,
): Promise<Output<typeof ListRoute>> {
  const account = await deps.table.get(AiAccount, { accountId });
  return { data: AI_PROVIDER_IDS.map((id) => shown(account, id)), has_more: false };
}

/** PUT /dashboard/v1/ai/providers/{id}: from now on every call to this provider uses this key. */
export async function putProviderKey(
  deps: Deps & { secrets: Secrets },
  { accountId }: Pick<Caller, 'accountId'>,
  { id, key }: Input<typeof PutRoute>,
): Promise<Output<typeof PutRoute>> {
  const provider = assertKnownProvider(id);
  const lastFour = key.slice(-4);
  const sealed = await deps.secrets.seal(keyContext(accountId, provider), key);
  const data = { id, name: PROVIDERS[provider].name, saved: true, lastFour };
  return await retryRequest(async () => {
    const account = await deps.table.get(AiAccount, { accountId });
    // The account has never had credits.
    if (!account)
      await ignoreConflict(deps.table.transact(addCredits(newCreditEntry(deps, accountId, 'ADJUSTMENT', 0))));
    const what = { set: { [`keys.${provider}`]: { sealed, lastFour } }, when: keyIs(account, provider) };
    const save = change(AiAccount, { accountId }, what, concurrentUpdate);
    const before = shown(account, provider);
    return await deps.commit([save], { data }, { ...(before.saved ? { before } : {}), after: data });
  });
}

/** The condition that the saved key of a provider is the one that was read. */
const keyIs = (account: AiAccount | undefined, provider: keyof typeof PROVIDERS) => {
  const saved = account?.keys[provider];
  return saved
    ? { [`keys.${provider}.sealed.ciphertext`]: { is: saved.sealed.ciphertext } }
    : { [`keys.${provider}`]: 'absent' as const };
};

/** DELETE /dashboard/v1/ai/providers/{id}; deleting what is not there is no error. */
export async function deleteProviderKey(
  deps: Deps,
  { accountId }: Pick<Caller, 'accountId'>,
  { id }: Input<typeof DeleteRoute>,
): Promise<Output<typeof DeleteRoute>> {
  const provider = assertKnownProvider(id);
  const output = { data: { id, deleted: true as const } };
  return await retryRequest(async () => {
    const account = await deps.table.get(AiAccount, { accountId });
    if (!account?.keys[provider]) return output;
    const what = { remove: [`keys.${provider}`], when: keyIs(account, provider) };
    const removal = change(AiAccount, { accountId }, what, concurrentUpdate);
    return await deps.commit([removal], output, { before: shown(account, provider) });
  });
}

/** Time in milliseconds that a warm instance uses a decrypted key for (design: out of use within 15 s). */
const KEY_TTL_MS = 14_000;
const MAX_CACHED_KEYS = 500;

/** Decrypted provider keys of a warm instance. Their texts are nowhere else. */
export interface KeyRing {
  /** Returns a key that was decrypted a moment ago. */
  get(accountId: string, provider: string): string | undefined;
  /** Decrypts the account's key for a provider, if it has one. `readAt` is when the account was read, in epoch milliseconds. */
  open(account: AiAccount, provider: string, readAt: number): Promise<string | undefined>;
}

export function createKeyRing(secrets: Secrets, now: () => Date): KeyRing {
  const keys = new Cache<string>({ max: MAX_CACHED_KEYS, now });
  const nameOf = (accountId: string, provider: string) => `${accountId} ${provider}`;
  return {
    get: (accountId, provider) => keys.get(nameOf(accountId, provider)),
    open: async ({ accountId, keys: saved }, provider, readAt) => {
      const { sealed } = saved[provider] ?? {};
      if (!sealed) return undefined;
      const key = await secrets.unseal(keyContext(accountId, provider), sealed);
      // Counted from the read: the key may have been deleted since.
      keys.set(nameOf(accountId, provider), key, readAt + KEY_TTL_MS - now().getTime());
      return key;
    },
  };
}
