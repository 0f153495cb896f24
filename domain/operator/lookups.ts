import { Lookup } from '../../table/entities/lookups.ts';
import { upsert } from '../../table/writes.ts';
import type { Deps } from '../deps.ts';

/** Kinds of resources whose number per account is not limited. Their lookups expire. */
const EXPIRING_KINDS = ['deployment', 'request'];
const EXPIRES_AFTER_DAYS = 90;

type NewLookup = Pick<Lookup, 'text' | 'kind' | 'accountId' | 'id' | 'by'>;

/** Stores texts by which operators find an account. Idempotent. */
export async function recordLookups(deps: Pick<Deps, 'table' | 'now'>, lookups: readonly NewLookup[]): Promise<void> {
  const writes = lookups.map(async (lookup) => {
    const expiresAtEpoch = Math.floor(deps.now().getTime() / 1000) + EXPIRES_AFTER_DAYS * 86_400;
    const set = { ...lookup, ...(EXPIRING_KINDS.includes(lookup.kind) ? { expiresAtEpoch } : {}) };
    // Separate writes, because a transaction costs twice as much. If one fails, the stream repeats all of them.
    await deps.table.write(Lookup, upsert(Lookup, lookup, { set }));
  });
  await Promise.all(writes);
}

/** Returns the lookup of a resource by its id. */
export const byId = (kind: string, { accountId, id }: { accountId: string; id: string }): NewLookup[] => [
  { text: id, kind, accountId, id },
];

/** Returns the lookup of an account by its email address. */
export const byEmail = ({ id, email }: { id: string; email: string }): NewLookup[] => [
  { text: email, kind: 'account', accountId: id, id },
];
