import * as z from 'zod/mini';
import { entity, type ItemOf } from './entities.ts';
import { joinKey as key } from './keys.ts';

/** The extensions on sale and their prices, where operators have changed them (domain/extensions.ts reads it). */
export const DomainOffer = entity({
  type: 'DOMAIN_OFFER',
  schema: () => z.object({ offer: z.unknown(), changedAt: z.string() }),
  key: (_: object) => ({ pk: 'DOMAIN_OFFER', sk: 'DOMAIN_OFFER' }),
});

/** A name belongs to the one domain that has this item, from its order until it is let go of. */
export type DomainName = ItemOf<typeof DomainName>;
export const DomainName = entity({
  type: 'DOMAIN_NAME',
  schema: () => z.object({ name: z.string(), accountId: z.string(), domainId: z.string() }),
  key: ({ name }: { name: string }) => ({ pk: key('DOMAIN_NAME', name), sk: 'DOMAIN_NAME' }),
});
