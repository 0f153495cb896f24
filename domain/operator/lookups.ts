import { Lookup } from '../../table/entities/lookups.ts';
import { DAY, epoch } from '../../table/entity.ts';
import { toStoredItem } from '../../table/writes.ts';
import type { Deps } from '../deps.ts';

/** Kinds of resources whose number per account is not limited. Their lookups expire. */
const EXPIRING_KINDS = ['deployment', 'request'];
const EXPIRES_AFTER_DAYS = 90;

/** Lookups that one call of {@link recordLookups} stores: the maximum of one request of the table. */
export const MAX_LOOKUPS = 25;

export type NewLookup = Pick<Lookup, 'text' | 'kind' | 'accountId' | 'id' | 'by'>;

/** Stores texts by which operators find an account, at most {@link MAX_LOOKUPS}. Idempotent. */
export async function recordLookups(deps: Pick<Deps, 'table' | 'now'>, lookups: readonly NewLookup[]): Promise<void> {
  const expiresAtEpoch = epoch(deps.now()) + EXPIRES_AFTER_DAYS * DAY;
  // The changes of a batch may have the same lookup, and the table refuses a request that writes an item twice.
  const items = new Map(
    lookups.map((lookup) => {
      const { pk, sk } = Lookup.key(lookup);
      return [`${pk} ${sk}`, { ...lookup, ...(EXPIRING_KINDS.includes(lookup.kind) ? { expiresAtEpoch } : {}) }];
    }),
  );
  // Not a transaction, because it costs twice as much. If a lookup fails, the stream repeats all of them.
  await deps.table.putAll([...items.values()].map((lookup) => toStoredItem(Lookup, lookup)));
}

/** Returns the lookup of a resource by its id. */
export const byId = (kind: string, { accountId, id }: { accountId: string; id: string }): NewLookup[] => [
  { text: id, kind, accountId, id },
];

/** Returns the lookup of an account by its email address. */
export const byEmail = ({ id, email }: { id: string; email: string }): NewLookup[] => [
  { text: email, kind: 'account', accountId: id, id },
];
