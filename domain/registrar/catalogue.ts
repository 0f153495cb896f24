import { ApiError } from '../../contract/errors.ts';
import { isRegistrable } from '../../contract/host-names/host-names.ts';
import type { checkDomain as CheckRoute, listDomainPrices as PricesRoute } from '../../contract/registrar/catalogue.ts';
import type { Input, Output } from '../../contract/route.ts';
import type { Availability, Registrar } from '../../providers/registrar/registrar.ts';
import { DomainName } from '../../table/entities/registrar.ts';
import type { Caller, Deps } from '../deps.ts';
import { type Name, parseDomainName, type ReadTlds, type Tld } from './tlds.ts';

type Result = Output<typeof CheckRoute>['data'][number];

/** Attempts at a registry that cannot tell the availability. */
const MAX_AVAILABILITY_ATTEMPTS = 3;

const registrarDown = (cause?: unknown) =>
  new ApiError('server_error', 'The registry does not answer just now. It is safe to retry with backoff.', {
    status: 502,
    cause,
  });

/** Asks the registrar whether a name is available. Throws 502 where it cannot tell, 400 for an extension that it does not sell. */
export async function checkAvailability(
  registrar: Registrar,
  domain: string,
): Promise<Exclude<Availability, 'UNKNOWN' | 'UNSUPPORTED'>> {
  for (let asked = 1; asked <= MAX_AVAILABILITY_ATTEMPTS; asked += 1) {
    const found = await registrar.availability(domain).catch((cause: unknown) => {
      throw registrarDown(cause);
    });
    if (found === 'UNSUPPORTED')
      throw new ApiError('invalid_request', `${domain}: is under an extension that is not sold`);
    if (found !== 'UNKNOWN') return found;
  }
  throw registrarDown();
}

/** The names that a question is about: the one that was asked for, then the same label in the featured extensions. */
function suggestNames(q: string, catalogue: readonly Tld[]): { asked: Name | undefined; names: Name[] } {
  const featured = catalogue.filter((each) => each.featured);
  if (q.includes('.')) {
    const asked = parseDomainName('q', q, catalogue);
    const others = featured.filter(({ tld }) => tld !== asked.extension.tld);
    return { asked, names: [asked, ...others.map((each) => nameUnder(asked.label, each))] };
  }
  if (/[^\0-\x7f]|^xn--/.test(q)) {
    throw new ApiError('invalid_request', 'q: must use letters a to z; internationalised names are not sold');
  }
  if (!isRegistrable(q)) {
    throw new ApiError('invalid_request', 'q: must be a word such as example, or a name such as example.co.za');
  }
  return { asked: undefined, names: featured.map((each) => nameUnder(q, each)) };
}

const nameUnder = (label: string, offered: Tld): Name => ({
  domain: `${label}.${offered.tld}`,
  label,
  extension: offered,
});

/** GET /v1/domains/check. A suggestion that a registry does not answer for, or the registrar does not sell, is left out; the name asked for is not. */
export async function checkDomain(
  deps: Deps & { registrar: Registrar; tlds: ReadTlds },
  _caller: Caller,
  { q }: Input<typeof CheckRoute>,
): Promise<Output<typeof CheckRoute>> {
  const { asked, names } = suggestNames(q, await deps.tlds());
  const results = await Promise.all(
    names.map(async ({ domain, extension: offered }): Promise<Result | ApiError> => {
      try {
        const [found, held] = await Promise.all([
          checkAvailability(deps.registrar, domain),
          deps.table.get(DomainName, { name: domain }),
        ]);
        const available = found !== 'TAKEN' && !held;
        return { domain, available, premium: found === 'PREMIUM', price: offered.registration };
      } catch (error) {
        if (!(error instanceof ApiError) || domain === asked?.domain) throw error;
        return error;
      }
    }),
  );
  const data = results.filter((each): each is Result => !(each instanceof ApiError));
  if (data.length === 0) throw registrarDown();
  return { data };
}

/** GET /v1/domains/pricing */
export async function listDomainPrices(deps: { tlds: ReadTlds }): Promise<Output<typeof PricesRoute>> {
  const featured = (await deps.tlds()).filter((each) => each.featured);
  return {
    data: featured.map(({ tld, registration, renewal, transfer }) => ({ tld, registration, renewal, transfer })),
  };
}
