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

type ProviderView = z.output<ReturnType<typeof AiProvider>>;

const viewProvider = (account: AiAccount | undefined, id: keyof typeof PROVIDERS): ProviderView => {
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
  return { data: AI_PROVIDER_IDS.map((id) => viewProvider(account, id)), has_more: false };
}

/** PUT /dashboard/v1/ai/providers/{id}. Later calls to this provider use this key. */
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
    // The AI account does not exist until the first credits or the first saved key.
    if (!account)
      await ignoreConflict(deps.table.transact(addCredits(newCreditEntry(deps, accountId, 'ADJUSTMENT', 0))));
    const update = { set: { [`keys.${provider}`]: { sealed, lastFour } }, when: unchangedKey(account, provider) };
    const save = change(AiAccount, { accountId }, update, concurrentUpdate);
    const before = viewProvider(account, provider);
    return await deps.commit([save], { data }, { ...(before.saved ? { before } : {}), after: data });
  });
}

/** Returns the condition that the saved key of a provider has not changed since the account was read. */
const unchangedKey = (account: AiAccount | undefined, provider: keyof typeof PROVIDERS) => {
  const saved = account?.keys[provider];
  return saved
    ? { [`keys.${provider}.sealed.ciphertext`]: { is: saved.sealed.ciphertext } }
    : { [`keys.${provider}`]: 'absent' as const };
};

/** DELETE /dashboard/v1/ai/providers/{id}. Succeeds even if no key is saved. */
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
    const update = { remove: [`keys.${provider}`], when: unchangedKey(account, provider) };
    const removal = change(AiAccount, { accountId }, update, concurrentUpdate);
    return await deps.commit([removal], output, { before: viewProvider(account, provider) });
  });
}

/** Time in milliseconds for which a warm instance uses a decrypted key, so that a deleted key is out of use within 15 s. */
const KEY_TTL_MS = 14_000;
const MAX_CACHED_KEYS = 500;

/** Cache of decrypted provider keys in a warm instance. Plaintext keys are stored nowhere else. */
export interface KeyRing {
  /** Returns a recently decrypted key. */
  get(accountId: string, provider: string): string | undefined;
  /** Decrypts the account's key for a provider, if it has one. `readAt` is the time when the account was read, in epoch milliseconds. */
  open(account: AiAccount, provider: string, readAt: number): Promise<string | undefined>;
}

/** Creates the cache of one instance. It keeps a key for {@link KEY_TTL_MS} from the read of its account. */
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
