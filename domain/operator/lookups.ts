import { Lookup } from '../../table/entities/lookups.ts';
import { upsert } from '../../table/writes.ts';
import type { Deps } from '../deps.ts';

/** Kinds of which accounts have any number, and the days for which one is found. */
const NUMEROUS = ['deployment', 'request'];
const KEPT_DAYS = 90;

type New = Pick<Lookup, 'text' | 'kind' | 'accountId' | 'id' | 'by'>;

/** Stores texts by which operators find an account. Repeating it changes nothing. */
export async function recordLookups(deps: Pick<Deps, 'table' | 'now'>, lookups: readonly New[]): Promise<void> {
  const writes = lookups.map(async (lookup) => {
    const expiresAtEpoch = Math.floor(deps.now().getTime() / 1000) + KEPT_DAYS * 86_400;
    const set = { ...lookup, ...(NUMEROUS.includes(lookup.kind) ? { expiresAtEpoch } : {}) };
    // Not one transaction, which costs twice: each stands for itself, and the stream repeats all.
    await deps.table.write(Lookup, upsert(Lookup, lookup, { set }));
  });
  await Promise.all(writes);
}

/** Returns the lookup of a resource by its id. */
export const byId = (kind: string, { accountId, id }: { accountId: string; id: string }): New[] => [
  { text: id, kind, accountId, id },
];

/** Returns the lookup of an account by its email address. */
export const byEmail = ({ id, email }: { id: string; email: string }): New[] => [
  { text: email, kind: 'account', accountId: id, id },
];
