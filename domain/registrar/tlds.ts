import * as z from 'zod/mini';
import { invalidField } from '../../contract/errors.ts';
import { isHostName, isRegistrable } from '../../contract/host-names/host-names.ts';
import { DomainOffer } from '../../table/entities/registrar.ts';
import type { Deps } from '../deps.ts';
import { changeOffer, type OfferRule, offerReader } from '../offers.ts';

const rand = () => z.number().check(z.minimum(0), z.maximum(1_000_000), z.multipleOf(0.01));

/** A TLD on sale. Prices are rand per year, without VAT. */
const Tld = () =>
  z.object({
    tld: z.string().check(z.refine((tld) => isHostName(`example.${tld}`), 'must be a top-level domain, e.g. co.za')),
    registration: rand(),
    renewal: rand(),
    transfer: rand(),
    /** True if searches suggest the TLD and the price list contains it. */
    featured: z.boolean(),
    /** Longest term that the registry sells in one request, in years. A longer order is completed by renewals. */
    yearsAtOnce: z.int().check(z.minimum(1), z.maximum(10)),
    /** True if the registry can hide the owner's details. */
    privacy: z.boolean(),
  });
export type Tld = z.output<ReturnType<typeof Tld>>;

/** Input of an operator: the whole list ({@link changeOffer}). */
export const TldsInput = () => z.object({ extensions: z.optional(z.nullable(z.array(Tld()).check(z.minLength(1)))) });

const sold = (tld: string, price: number, overrides: Partial<Tld> = {}): Tld => ({
  tld,
  registration: price,
  renewal: price,
  transfer: price,
  featured: true,
  yearsAtOnce: 10,
  privacy: true,
  ...overrides,
});

/**
 * The built-in TLDs, which apply until an operator changes them. `.co.za`: the registrar sells one year at a time,
 * without privacy.
 */
const BUILT_IN: readonly Tld[] = [
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

export type ReadTlds = () => Promise<readonly Tld[]>;

const OFFER: OfferRule<{ extensions: Tld[] }> = {
  entity: DomainOffer,
  action: 'domain-prices.set',
  schema: TldsInput,
  parts: ['extensions'],
};

/** Returns a function that reads the TLDs on sale: the built-in list, or the list that operators have set. */
export const tldsOnSale = (deps: Deps): ReadTlds =>
  offerReader(deps, OFFER, ({ extensions }): readonly Tld[] => extensions ?? BUILT_IN);

/** For operators: replaces the list of TLDs on sale. */
export const setTlds = (deps: Deps, given: z.output<ReturnType<typeof TldsInput>>) => changeOffer(deps, OFFER, given);

/** The parsed name of a domain to register. */
export interface Name {
  domain: string;
  label: string;
  extension: Tld;
}

/** Parses a full domain name. Throws 400 naming `field` if it is not a domain name or its TLD is not on sale. */
export function parseDomainName(field: string, domain: string, catalogue: readonly Tld[]): Name {
  const refuse = (reason: string) => invalidField(field, reason);
  if (/[^\0-\x7f]|(^|\.)xn--/.test(domain))
    throw refuse('must use letters a to z; internationalised names are not sold');
  if (!isHostName(domain)) throw refuse('must be a domain name, e.g. example.co.za');
  const offered = catalogue
    .filter(({ tld }) => domain.endsWith(`.${tld}`))
    .sort((a, b) => b.tld.length - a.tld.length)[0];
  const tlds = catalogue.map(({ tld }) => `.${tld}`).join(' ');
  if (!offered) throw refuse(`is under an extension that is not sold; there are ${tlds}`);
  const label = domain.slice(0, -offered.tld.length - 1);
  if (!isRegistrable(label)) throw refuse(`must be one label and an extension, e.g. example.${offered.tld}`);
  return { domain, label, extension: offered };
}
