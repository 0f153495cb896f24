import { ApiError } from '../../contract/errors.ts';
import type { orderDomain as OrderRoute } from '../../contract/registrar/orders.ts';
import type { Input, Output } from '../../contract/route.ts';
import type { Registrar } from '../../providers/registrar/registrar.ts';
import { Invoice } from '../../table/entities/billing.ts';
import { Zone } from '../../table/entities/dns.ts';
import { Domain, DomainName } from '../../table/entities/registrar.ts';
import { create } from '../../table/writes.ts';
import { viewInvoice } from '../billing/invoice-views.ts';
import { assertNotHeld, type InvoiceLine, issueInvoice } from '../billing/invoices.ts';
import { addVat } from '../billing/money.ts';
import { voidUnpaidInvoice } from '../billing/unpaid-invoices.ts';
import { withWallet } from '../billing/wallet.ts';
import { ignoreConflict } from '../conflict.ts';
import type { Caller, Deps } from '../deps.ts';
import { startEarly } from '../early.ts';
import { DAY_MS, HOUR_MS, timestampAfter } from '../time.ts';
import { checkAvailability } from './catalogue.ts';
import { findExternalNameservers } from './domains.ts';
import { scheduleCheckIn } from './schedule.ts';
import { endDomain } from './tasks.ts';
import { parseDomainName, type ReadTlds, type Tld } from './tlds.ts';

/** Time for which an unpaid order holds its name, in milliseconds (design, Domains). */
const ORDER_HOLD_MS = DAY_MS;
/**
 * Time for which an unpaid order holds its name against everybody, in milliseconds: enough for a payment. After that it holds
 * the name against other unpaid orders only, so that an account without money locks out no customer who pays.
 */
const EXCLUSIVE_HOLD_MS = HOUR_MS;

/** The invoice's line for some years of a domain. @param price rand a year, without VAT */
export function invoiceLineForYears(what: string, years: number, price: number): InvoiceLine {
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
function newDomain(order: Order, offered: Tld, nameservers: readonly string[] | undefined) {
  const { domain: name, years, registrant: owner } = order;
  const { tld, yearsAtOnce, privacy } = offered;
  return {
    name,
    tld,
    years,
    yearsAtOnce,
    privacy,
    owner,
    status: 'PENDING' as const,
    autoRenew: true,
    registeredAt: null,
    expiresAt: null,
    nameservers: [...(nameservers ?? [])],
    dnsProvider: nameservers ? ('EXTERNAL' as const) : ('PLATFORM' as const),
  };
}

/** Returns the unpaid order of another account that holds a name and yields it to one that pays. */
async function findYieldingOrder(deps: Deps, held: DomainName, accountId: string): Promise<Domain | undefined> {
  if (held.accountId === accountId) return undefined;
  const domain = await deps.table.get(Domain, { accountId: held.accountId, id: held.domainId });
  if (domain?.status !== 'PENDING' || domain.task || !domain.invoiceId) return undefined;
  if (deps.now().getTime() - Date.parse(domain.createdAt) < EXCLUSIVE_HOLD_MS) return undefined;
  const invoice = await deps.table.get(Invoice, { accountId: held.accountId, id: domain.invoiceId });
  return invoice?.status === 'UNPAID' ? domain : undefined;
}

/** Ends an unpaid order and frees its name. Throws 409 where it was paid meanwhile. */
async function endOrder(deps: Deps, domain: Domain): Promise<void> {
  const { accountId, invoiceId = '', name } = domain;
  await voidUnpaidInvoice(deps, accountId, invoiceId);
  const invoice = await deps.table.get(Invoice, { accountId, id: invoiceId });
  if (invoice?.status !== 'VOID') throw unavailable(name);
  // The stream ends it as well: on a conflict it was first.
  await ignoreConflict(endDomain(deps, domain, 'FAILED', { task: 'absent' }));
}

const unavailable = (domain: string) => new ApiError('conflict', `domain: ${domain} is not available`);

/**
 * POST /v1/domains: holds the name and issues the invoice, paid at once if the wallet allows; all in one transaction.
 * What is paid the stream has registered (domain/registrar/tasks.ts). Throws 409 for a name that is taken, held or premium.
 */
export async function orderDomain(
  deps: Deps & { registrar: Registrar; tlds: ReadTlds },
  { accountId }: Caller,
  order: Order,
): Promise<Output<typeof OrderRoute>> {
  const { domain: name, extension: offered } = parseDomainName('domain', order.domain, await deps.tlds());
  assertNameservers(name, order.nameservers ?? []);
  const nameservers = await findExternalNameservers(deps, accountId, order.nameservers);
  // The wallet is read in parallel.
  const available = startEarly(checkAvailability(deps.registrar, name));
  const look = async () => {
    const [found, held] = await Promise.all([available, deps.table.get(DomainName, { name })]);
    if (found === 'PREMIUM') throw new ApiError('conflict', `domain: ${name} is a premium name, which we do not sell`);
    const rival = held && (await findYieldingOrder(deps, held, accountId));
    if (found === 'TAKEN' || (held && !rival)) throw unavailable(name);
    return rival;
  };
  return await withWallet(deps, accountId, look, async (wallet, rival) => {
    const id = deps.newId('dom');
    const { years } = order;
    const payBy = timestampAfter(wallet.now, ORDER_HOLD_MS);
    const lines = [invoiceLineForYears(`Registration of ${name}`, years, offered.registration)];
    assertNotHeld(wallet, { kind: 'DOMAIN', lines });
    const invoice = issueInvoice(deps, wallet, {
      kind: 'DOMAIN',
      lines,
      subjectId: id,
      payBy,
      voidAt: payBy,
      countsAsOrder: true,
    });
    if (rival) {
      if (invoice.status !== 'PAID') throw unavailable(name);
      await endOrder(deps, rival);
    }
    const domain: Domain = {
      ...newDomain(order, offered, nameservers),
      id,
      accountId,
      invoiceId: invoice.id,
      createdAt: wallet.now,
      dueAt: scheduleCheckIn(deps.now()).dueAt,
    };
    wallet.add(
      create(DomainName, { name, accountId, domainId: id }, () => unavailable(name)),
      create(Domain, domain),
    );
    if (domain.dnsProvider === 'PLATFORM') {
      wallet.add(create(Zone, { accountId, domainId: id, name, version: 0, mirrored: 0 }));
    }
    const { amount } = viewInvoice(invoice);
    const after = { domain: name, status: domain.status, years, amount };
    return await deps.commit(wallet.writes(), { data: { invoice: viewInvoice(invoice) } }, { subjectId: id, after });
  });
}
