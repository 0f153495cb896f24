import { ApiError, invalidField, temporaryFailure } from '../../contract/errors.ts';
import { isRegistrable } from '../../contract/host-names/host-names.ts';
import type { checkDomain as CheckRoute, listDomainPrices as PricesRoute } from '../../contract/registrar/catalogue.ts';
import type { Input, Output } from '../../contract/route.ts';
import type { Availability, Registrar } from '../../providers/registrar/registrar.ts';
import { DomainName } from '../../table/entities/registrar.ts';
import type { Caller, Deps } from '../deps.ts';
import { type Name, parseDomainName, type ReadTlds, type Tld } from './tlds.ts';

type Result = Output<typeof CheckRoute>['data'][number];

/** Attempts while a registry cannot tell the availability. */
const MAX_AVAILABILITY_ATTEMPTS = 3;

const registrarDown = (cause?: unknown) =>
  temporaryFailure('The registry does not answer just now.', { status: 502, cause });

/** Asks the registrar whether a name is available. Throws 502 if it cannot tell, 400 for a TLD that it does not sell. */
export async function checkAvailability(
  registrar: Registrar,
  domain: string,
): Promise<Exclude<Availability, 'UNKNOWN' | 'UNSUPPORTED'>> {
  for (let attempt = 1; attempt <= MAX_AVAILABILITY_ATTEMPTS; attempt += 1) {
    const found = await registrar.availability(domain).catch((cause: unknown) => {
      throw registrarDown(cause);
    });
    if (found === 'UNSUPPORTED') throw invalidField(domain, 'is under an extension that is not sold');
    if (found !== 'UNKNOWN') return found;
  }
  throw registrarDown();
}

/** Returns the names that a search checks: the requested name, if it has a TLD, then the same label under the featured TLDs. */
function suggestNames(q: string, catalogue: readonly Tld[]): { requested: Name | undefined; names: Name[] } {
  const featured = catalogue.filter((each) => each.featured);
  if (q.includes('.')) {
    const requested = parseDomainName('q', q, catalogue);
    const others = featured.filter(({ tld }) => tld !== requested.extension.tld);
    return { requested, names: [requested, ...others.map((each) => nameUnder(requested.label, each))] };
  }
  if (/[^\0-\x7f]|^xn--/.test(q)) {
    throw invalidField('q', 'must use letters a to z; internationalised names are not sold');
  }
  if (!isRegistrable(q)) {
    throw invalidField('q', 'must be a word such as example, or a name such as example.co.za');
  }
  return { requested: undefined, names: featured.map((each) => nameUnder(q, each)) };
}

const nameUnder = (label: string, offered: Tld): Name => ({
  domain: `${label}.${offered.tld}`,
  label,
  extension: offered,
});

/** GET /v1/domains/check. Omits suggestions that the registry does not answer for or the registrar does not sell; for the requested name these are errors. */
export async function checkDomain(
  deps: Deps & { registrar: Registrar; tlds: ReadTlds },
  _caller: Caller,
  { q }: Input<typeof CheckRoute>,
): Promise<Output<typeof CheckRoute>> {
  const { requested, names } = suggestNames(q, await deps.tlds());
  const results = await Promise.all(
    names.map(async ({ domain, extension: offered }): Promise<Result | ApiError> => {
      try {
        const [found, holder] = await Promise.all([
          checkAvailability(deps.registrar, domain),
          deps.table.get(DomainName, { name: domain }),
        ]);
        const available = found !== 'TAKEN' && !holder;
        return { domain, available, premium: found === 'PREMIUM', price: offered.registration };
      } catch (error) {
        if (!(error instanceof ApiError) || domain === requested?.domain) throw error;
        return error;
      }
    }),
  );
  const data = results.filter((result): result is Result => !(result instanceof ApiError));
  if (data.length === 0) throw registrarDown();
  return { data, has_more: false };
}

/** GET /v1/domains/pricing */
export async function listDomainPrices(deps: { tlds: ReadTlds }): Promise<Output<typeof PricesRoute>> {
  const featured = (await deps.tlds()).filter((each) => each.featured);
  return {
    data: featured.map(({ tld, registration, renewal, transfer }) => ({ tld, registration, renewal, transfer })),
    has_more: false,
  };
}
