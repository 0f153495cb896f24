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
import type { Caller, Deps } from '../deps.ts';
import { addCredits, creditEntry } from './credits.ts';

/** What a saved provider key is sealed under: one account's key never opens as another's. */
const contextOf = (accountId: string, provider: string) => ({ providerKeyOf: accountId, provider });

type Shown = z.output<ReturnType<typeof AiProvider>>;

const shown = (account: AiAccount | undefined, id: keyof typeof PROVIDERS): Shown => {
  const lastFour = account?.keys[id]?.lastFour ?? null;
  return { id, name: PROVIDERS[id].name, saved: lastFour !== null, lastFour };
};

function known(id: string): keyof typeof PROVIDERS {
  if (!isProviderId(id)) throw new ApiError('not_found', 'There is no such provider.');
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
  const provider = known(id);
  const lastFour = key.slice(-4);
  const sealed = await deps.secrets.seal(contextOf(accountId, provider), key);
  const save = change(
    AiAccount,
    { accountId },
    { set: { [`keys.${provider}`]: { sealed, lastFour } } },
    () => new NoBooks(),
  );
  try {
    await deps.table.write(AiAccount, save);
  } catch (error) {
    if (!(error instanceof NoBooks)) throw error;
    // The account has never had credits.
    await deps.table.transact(addCredits(creditEntry(deps, accountId, 'ADJUSTMENT', 0)));
    await deps.table.write(AiAccount, save);
  }
  return { data: { id, name: PROVIDERS[provider].name, saved: true, lastFour } };
}

class NoBooks extends Error {}

/** DELETE /dashboard/v1/ai/providers/{id}; deleting what is not there is no error. */
export async function deleteProviderKey(
  deps: Deps,
  { accountId }: Pick<Caller, 'accountId'>,
  { id }: Input<typeof DeleteRoute>,
): Promise<Output<typeof DeleteRoute>> {
  const erase = change(AiAccount, { accountId }, { remove: [`keys.${known(id)}`] }, () => new NoBooks());
  await deps.table.write(AiAccount, erase).catch((error) => {
    if (!(error instanceof NoBooks)) throw error;
  });
  return { data: { id, deleted: true } };
}

/** How long a warm instance may use a key that it has opened, in milliseconds (design: out of use within 15 s). */
const OPEN_FOR = 14_000;
const MOST_OPEN = 500;

/** The opened keys of a warm instance. Their texts are nowhere else. */
export interface KeyRing {
  /** A key that was opened a moment ago. */
  get(accountId: string, provider: string): string | undefined;
  /** Opens the key that the account has for a provider, if it has one. `readAt` is when the account was asked for. */
  open(account: AiAccount, provider: string, readAt: number): Promise<string | undefined>;
}

export function keyRing(secrets: Secrets, now: () => Date): KeyRing {
  const ring = new Map<string, { key: string; until: number }>();
  return {
    get: (accountId, provider) => {
      const name = `${accountId} ${provider}`;
      const found = ring.get(name);
      if (found && found.until > now().getTime()) return found.key;
      ring.delete(name);
      return undefined;
    },
    open: async (account, provider, readAt) => {
      const saved = account.keys[provider];
      if (!saved) return undefined;
      const key = await secrets.unseal(contextOf(account.accountId, provider), saved.sealed);
      if (ring.size >= MOST_OPEN) ring.clear();
      ring.set(`${account.accountId} ${provider}`, { key, until: readAt + OPEN_FOR });
      return key;
    },
  };
}
