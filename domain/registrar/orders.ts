import { ApiError } from '../../contract/errors.ts';
import type { orderDomain as OrderRoute } from '../../contract/registrar/orders.ts';
import type { Input, Output } from '../../contract/route.ts';
import type { Registrar } from '../../providers/registrar/registrar.ts';
import { Zone } from '../../table/entities/dns.ts';
import { Domain, DomainName } from '../../table/entities/registrar.ts';
import { create } from '../../table/writes.ts';
import { invoiceView } from '../billing/invoice-views.ts';
import { issueInvoice, type Line } from '../billing/invoices.ts';
import { addVat } from '../billing/money.ts';
import { withWallet } from '../billing/wallet.ts';
import type { Caller, Deps } from '../deps.ts';
import { checkAvailability } from './catalogue.ts';
import { scheduleCheckIn } from './schedule.ts';
import { parseDomainName, type Tld, type TldCatalogue } from './tlds.ts';

/** Time for which an unpaid order holds its name, in milliseconds (design, Domains). */
const ORDER_HOLD_MS = 24 * 3_600_000;

/** The invoice's line for some years of a domain. @param price rand a year, without VAT */
export function invoiceLineForYears(what: string, years: number, price: number): Line {
  const description = `${what}, ${years} ${years === 1 ? 'year' : 'years'}`;
  return { description, ...addVat(Math.round(price * 100) * years) };
}

type Order = Input<typeof OrderRoute>;

function assertNameservers(domain: string, nameservers: readonly string[]): void {
  const inside = nameservers.find((name) => name === domain || name.endsWith(`.${domain}`));
  if (inside)
    throw new ApiError(
      'invalid_request',
      `nameservers: ${inside} is inside the domain itself, which no resolver could look up`,
    );
}

/** A domain as it is ordered. */
function newDomain(order: Order, offered: Tld) {
  const { domain: name, years, registrant: owner, nameservers } = order;
  const { tld, yearsAtOnce, privacy } = offered;
  return {
    ...{ name, tld, years, yearsAtOnce, privacy, owner },
    ...{ status: 'PENDING' as const, autoRenew: true, registeredAt: null, expiresAt: null },
    nameservers: nameservers ?? [],
    dnsProvider: nameservers ? ('EXTERNAL' as const) : ('PLATFORM' as const),
  };
}

const unavailable = (domain: string) => new ApiError('conflict', `domain: ${domain} is not available`);

/**
 * POST /v1/domains: holds the name and issues the invoice, paid at once if the wallet allows; all in one transaction.
 * What is paid the stream has registered (domain/registrar/tasks.ts). Throws 409 for a name that is taken, held or premium.
 */
export async function orderDomain(
  deps: Deps & { registrar: Registrar; extensions: TldCatalogue },
  { accountId }: Caller,
  order: Order,
): Promise<Output<typeof OrderRoute>> {
  const { domain: name, extension: offered } = parseDomainName('domain', order.domain, await deps.extensions());
  assertNameservers(name, order.nameservers ?? []);
  const available = checkAvailability(deps.registrar, name);
  // The wallet is read in parallel; if that read fails first, this result is not awaited.
  available.catch(() => undefined);
  const look = async () => {
    const [found, held] = await Promise.all([available, deps.table.get(DomainName, { name })]);
    if (found === 'PREMIUM') throw new ApiError('conflict', `domain: ${name} is a premium name, which we do not sell`);
    if (found === 'TAKEN' || held) throw unavailable(name);
  };
  return await withWallet(deps, accountId, look, async (wallet) => {
    const id = deps.newId('dom');
    const { years } = order;
    const payBy = new Date(Date.parse(wallet.now) + ORDER_HOLD_MS).toISOString();
    const invoice = issueInvoice(deps, wallet, {
      kind: 'DOMAIN',
      lines: [invoiceLineForYears(`Registration of ${name}`, years, offered.registration)],
      subjectId: id,
      ...{ payBy, voidAt: payBy },
    });
    const domain: Domain = {
      ...newDomain(order, offered),
      ...{ id, accountId, invoiceId: invoice.id, createdAt: wallet.now, dueAt: scheduleCheckIn(deps.now()).dueAt },
    };
    wallet.add(
      create(DomainName, { name, accountId, domainId: id }, () => unavailable(name)),
      create(Domain, domain),
    );
    if (domain.dnsProvider === 'PLATFORM') {
      wallet.add(create(Zone, { accountId, domainId: id, name, version: 0, mirrored: 0 }));
    }
    return await deps.commit(wallet.writes(), { data: { invoice: invoiceView(invoice) } });
  });
}
