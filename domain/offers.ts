import type * as z from 'zod/mini';
import type { AuditAction } from '../contract/audit/actions.ts';
import type { Entity } from '../table/entity.ts';
import { unchanged } from '../table/expressions.ts';
import { upsert } from '../table/writes.ts';
import { NO_ACCOUNT } from './audit/record.ts';
import { staleWhileRevalidate } from './cache/cache.ts';
import { concurrentUpdate, retryRequest } from './conflict.ts';
import type { Deps } from './deps.ts';

type PartialOffer<Parts> = { [Part in keyof Parts]?: Parts[Part] | null | undefined };

/** An offer that operators may override, part by part. A part is a list or a price. */
export interface OfferRule<Parts extends object> {
  entity: Entity<{ offer: unknown; changedAt: string }, object>;
  action: AuditAction;
  schema: () => z.ZodMiniType<PartialOffer<Parts>>;
  parts: readonly (keyof Parts & string)[];
}

/** For each part, the number of its entries or its price. */
type Summary<Parts> = { [Part in keyof Parts]: number | 'built-in' };

/** Returns a function that reads the current offer. `complete` adds the built-in value of each part that operators did not set. */
export const offerReader = <Parts extends object, Offer>(
  deps: Pick<Deps, 'table' | 'now'>,
  { entity, schema }: OfferRule<Parts>,
  complete: (set: PartialOffer<Parts>) => Offer,
): (() => Promise<Offer>) =>
  staleWhileRevalidate(deps.now, async () => {
    const item = await deps.table.get(entity, {});
    return complete(item ? schema().parse(item.offer) : {});
  });

/** For operators: sets the given parts and keeps the others. null restores the built-in value of a part, `{}` of all parts. */
export async function changeOffer<Parts extends object>(
  deps: Deps,
  { entity, action, schema, parts }: OfferRule<Parts>,
  given: PartialOffer<Parts>,
): Promise<Summary<Parts>> {
  const set = async () => {
    const before = await deps.table.get(entity, {});
    const kept = before && Object.keys(given).length > 0 ? schema().parse(before.offer) : {};
    const entries = Object.entries({ ...kept, ...given }).filter(([, value]) => value !== null && value !== undefined);
    const offer: Record<string, unknown> = Object.fromEntries(entries);
    const summary = parts.map((part) => [part, summarize(offer[part])]);
    const update = {
      set: { offer, changedAt: deps.now().toISOString() },
      when: { changedAt: unchanged(before?.changedAt) },
    };
    return await deps.commit(
      [upsert(entity, {}, update, concurrentUpdate)],
      Object.fromEntries(summary) as Summary<Parts>,
      { action, accountId: NO_ACCOUNT, before: before ?? {}, after: { offer } },
    );
  };
  return await retryRequest(set);
}

function summarize(part: unknown): number | 'built-in' {
  if (part === undefined) return 'built-in';
  return Array.isArray(part) ? part.length : Number(part);
}
