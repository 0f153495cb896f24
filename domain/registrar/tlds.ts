import * as z from 'zod/mini';
import { ApiError } from '../../contract/errors.ts';
import { isHostName, isRegistrable } from '../../contract/host-names.ts';
import { DomainOffer } from '../../table/entities/registrar.ts';
import { upsert } from '../../table/writes.ts';
import type { Deps } from '../deps.ts';
import { keptFresh } from '../kept-fresh.ts';

const rand = () => z.number().check(z.minimum(0), z.maximum(1_000_000), z.multipleOf(0.01));

/** An extension that we sell. Prices are rand a year, without VAT. */
const Extension = () =>
  z.object({
    tld: z.string().check(z.regex(/^[a-z0-9-]+(\.[a-z0-9-]+)*$/)),
    registration: rand(),
    renewal: rand(),
    transfer: rand(),
    /** Whether it is suggested beside others and stands in the price list. */
    featured: z.boolean(),
    /** The longest term that its registry sells at once, in years; we renew until a longer one is reached. */
    yearsAtOnce: z.int().check(z.minimum(1), z.maximum(10)),
    /** Whether its registry lets the owner's details be hidden. */
    privacy: z.boolean(),
  });
export type Extension = z.output<ReturnType<typeof Extension>>;

/** What an operator may set: the whole list; what is left out is the built-in. */
export const ExtensionsInput = () => z.object({ extensions: z.optional(z.array(Extension()).check(z.minLength(1))) });

const sold = (tld: string, price: number, rest: Partial<Extension> = {}): Extension => ({
  ...{ tld, registration: price, renewal: price, transfer: price },
  ...{ featured: true, yearsAtOnce: 10, privacy: true, ...rest },
});

/** What is sold until operators say otherwise. `.co.za`: a year at a time and no privacy, says the registrar. */
const BUILT_IN: readonly Extension[] = [
  sold('co.za', 99, { yearsAtOnce: 1, privacy: false }),
  sold('com', 269),
  sold('net', 299),
  sold('org', 279),
  sold('africa', 329, { yearsAtOnce: 1, privacy: false }),
  sold('io', 999, { yearsAtOnce: 1 }),
  sold('dev', 319),
  sold('app', 349),
  sold('info', 449, { featured: false }),
  sold('biz', 399, { featured: false }),
  sold('co', 599, { featured: false, yearsAtOnce: 5 }),
  sold('me', 399, { featured: false }),
  sold('xyz', 299, { featured: false }),
  sold('online', 599, { featured: false }),
  sold('shop', 649, { featured: false }),
  sold('tech', 899, { featured: false }),
  sold('cloud', 499, { featured: false }),
];

export type Extensions = () => Promise<readonly Extension[]>;

/** The extensions on sale as they are now: the built-in list, or what operators put in its place. */
export const extensionsOnSale = (deps: Deps): Extensions =>
  keptFresh(deps.now, async () => {
    const item = await deps.table.get(DomainOffer, {});
    return (item ? ExtensionsInput().parse(item.offer).extensions : undefined) ?? BUILT_IN;
  });

/** For operators: puts a list in place of the one that is there; `{}` is the built-in again. */
export async function setExtensions(
  deps: Deps,
  offer: z.output<ReturnType<typeof ExtensionsInput>>,
): Promise<{ extensions: number | 'built-in' }> {
  const changedAt = deps.now().toISOString();
  await deps.table.write(DomainOffer, upsert(DomainOffer, {}, { set: { offer, changedAt, entity: DomainOffer.type } }));
  return { extensions: offer.extensions?.length ?? 'built-in' };
}

/** A name to be registered, taken apart. */
export interface Name {
  domain: string;
  label: string;
  extension: Extension;
}

/** Takes a full domain apart. Throws 400 naming `field` for what is no domain name, or an extension that we do not sell. */
export function nameOf(field: string, domain: string, extensions: readonly Extension[]): Name {
  const refuse = (why: string) => new ApiError('invalid_request', `${field}: ${why}`);
  if (/[^\0-\x7f]|(^|\.)xn--/.test(domain)) throw refuse('internationalised names are not sold; use letters a to z');
  if (!isHostName(domain)) throw refuse('must be a domain name, e.g. example.co.za');
  const extension = extensions
    .filter(({ tld }) => domain.endsWith(`.${tld}`))
    .sort((a, b) => b.tld.length - a.tld.length)[0];
  const tlds = extensions.map(({ tld }) => `.${tld}`).join(' ');
  if (!extension) throw refuse(`this extension is not sold; there are ${tlds}`);
  const label = domain.slice(0, -extension.tld.length - 1);
  if (!isRegistrable(label)) throw refuse(`must be one label and an extension, e.g. example.${extension.tld}`);
  return { domain, label, extension };
}
