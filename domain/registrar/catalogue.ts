import { ApiError } from '../../contract/errors.ts';
import { isRegistrable } from '../../contract/host-names.ts';
import type { checkDomain as CheckRoute, listDomainPrices as PricesRoute } from '../../contract/registrar/catalogue.ts';
import type { Input, Output } from '../../contract/route.ts';
import type { Availability, Registrar } from '../../providers/registrar/registrar.ts';
import { DomainName } from '../../table/entities/registrar.ts';
import type { Caller, Deps } from '../deps.ts';
import { type Extension, type Extensions, type Name, nameOf } from './tlds.ts';

type Result = Output<typeof CheckRoute>['data'][number];

/** How often a registry that does not know is asked. */
const ASKED = 3;

const registrarDown = () =>
  new ApiError('server_error', 'The registry does not answer just now. It is safe to retry with backoff.', {
    status: 502,
  });

/** What the registrar says of a name. Throws 502 where it cannot say. */
export async function availabilityOf(registrar: Registrar, domain: string): Promise<Exclude<Availability, 'UNKNOWN'>> {
  for (let asked = 1; asked <= ASKED; asked += 1) {
    const found = await registrar.availability(domain).catch((cause: unknown) => {
      throw Object.assign(registrarDown(), { cause });
    });
    if (found !== 'UNKNOWN') return found;
  }
  throw registrarDown();
}

/** The names that a question is about: the one that was asked for, then the same label in the featured extensions. */
function namesFor(q: string, extensions: readonly Extension[]): { asked: Name | undefined; names: Name[] } {
  const featured = extensions.filter((each) => each.featured);
  if (q.includes('.')) {
    const asked = nameOf('q', q, extensions);
    const others = featured.filter(({ tld }) => tld !== asked.extension.tld);
    return { asked, names: [asked, ...others.map((each) => inExtension(asked.label, each))] };
  }
  if (/[^\0-\x7f]|^xn--/.test(q)) {
    throw new ApiError('invalid_request', 'q: internationalised names are not sold; use letters a to z');
  }
  if (!isRegistrable(q)) {
    throw new ApiError('invalid_request', 'q: must be a name such as example or example.co.za');
  }
  return { asked: undefined, names: featured.map((each) => inExtension(q, each)) };
}

const inExtension = (label: string, extension: Extension): Name => ({
  ...{ domain: `${label}.${extension.tld}`, label, extension },
});

/** GET /v1/domains/check. A suggestion that a registry does not answer for is left out; the name asked for is not. */
export async function checkDomain(
  deps: Deps & { registrar: Registrar; extensions: Extensions },
  _caller: Caller,
  { q }: Input<typeof CheckRoute>,
): Promise<Output<typeof CheckRoute>> {
  const { asked, names } = namesFor(q, await deps.extensions());
  const results = await Promise.all(
    names.map(async ({ domain, extension }): Promise<Result | ApiError> => {
      try {
        const [found, held] = await Promise.all([
          availabilityOf(deps.registrar, domain),
          deps.table.get(DomainName, { name: domain }),
        ]);
        const available = found !== 'TAKEN' && !held;
        return { domain, available, premium: found === 'PREMIUM', price: extension.registration };
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
export async function listDomainPrices(deps: { extensions: Extensions }): Promise<Output<typeof PricesRoute>> {
  const featured = (await deps.extensions()).filter((each) => each.featured);
  return {
    data: featured.map(({ tld, registration, renewal, transfer }) => ({ tld, registration, renewal, transfer })),
  };
}
