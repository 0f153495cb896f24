import { ApiError, invalidField } from '../../contract/errors.ts';
import type { orderDomain as OrderRoute } from '../../contract/registrar/orders.ts';
import type { Input, Output } from '../../contract/route.ts';
import type { Registrar } from '../../providers/registrar/registrar.ts';
import { Invoice } from '../../table/entities/billing.ts';
import { Zone } from '../../table/entities/dns.ts';
import { Domain, DomainName } from '../../table/entities/registrar.ts';
import { create } from '../../table/writes.ts';
import { viewInvoice } from '../billing/invoice-views.ts';
import { type InvoiceLine, issueInvoice } from '../billing/invoices.ts';
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

/** Time for which an unpaid order holds its name, in milliseconds. */
const ORDER_HOLD_MS = DAY_MS;
/**
 * Time for which an unpaid order blocks its name for all other orders, in milliseconds: enough for a payment. Afterwards it blocks only
 * other unpaid orders, so that an account without money cannot lock out a customer who pays.
 */
const EXCLUSIVE_HOLD_MS = HOUR_MS;

/** Returns the invoice line for a domain's term. @param price rand per year, without VAT */
export function invoiceLineForYears(subject: string, years: number, price: number): InvoiceLine {
  const description = `${subject}, ${years} ${years === 1 ? 'year' : 'years'}`;
  return { description, ...addVat(Math.round(price * 100) * years) };
}

type Order = Input<typeof OrderRoute>;

function assertNameservers(domain: string, nameservers: readonly string[]): void {
  const inside = nameservers.find((name) => name === domain || name.endsWith(`.${domain}`));
  if (inside)
    throw invalidField('nameservers', `${inside} is inside the domain itself, which no resolver could look up`);
}

/** Returns the fields of a new domain that follow from its order. */
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

/** Returns another account's unpaid order that holds a name and has to yield it to an order that is paid. */
async function findYieldingOrder(deps: Deps, holder: DomainName, accountId: string): Promise<Domain | undefined> {
  if (holder.accountId === accountId) return undefined;
  const domain = await deps.table.get(Domain, { accountId: holder.accountId, id: holder.domainId });
  if (domain?.status !== 'PENDING' || domain.task || !domain.invoiceId) return undefined;
  if (deps.now().getTime() - Date.parse(domain.createdAt) < EXCLUSIVE_HOLD_MS) return undefined;
  const invoice = await deps.table.get(Invoice, { accountId: holder.accountId, id: domain.invoiceId });
  return invoice?.status === 'UNPAID' ? domain : undefined;
}

/** Ends an unpaid order and releases its name. Throws 409 if it was paid in the meantime. */
async function endOrder(deps: Deps, domain: Domain): Promise<void> {
  const { accountId, invoiceId = '', name } = domain;
  if ((await voidUnpaidInvoice(deps, accountId, invoiceId)) !== 'VOID') throw unavailable(name);
  // The stream ends the order as well; a conflict means that it was faster.
  await ignoreConflict(endDomain(deps, domain, 'FAILED', { task: 'absent' }));
}

const unavailable = (domain: string) => new ApiError('conflict', `domain: ${domain} is not available`);

/**
 * POST /v1/domains: holds the name and issues the invoice, which is paid immediately if the wallet covers it, all in one transaction.
 * The stream then starts the registration of a paid order (domain/registrar/tasks.ts). Throws 409 for a name that is taken, held or premium.
 */
export async function orderDomain(
  deps: Deps & { registrar: Registrar; tlds: ReadTlds },
  { accountId }: Caller,
  order: Order,
): Promise<Output<typeof OrderRoute>> {
  const { domain: name, extension: offered } = parseDomainName('domain', order.domain, await deps.tlds());
  assertNameservers(name, order.nameservers ?? []);
  const nameservers = await findExternalNameservers(deps, accountId, order.nameservers);
  // The registrar answers while the wallet is read.
  const available = startEarly(checkAvailability(deps.registrar, name));
  const checkName = async () => {
    const [found, holder] = await Promise.all([available, deps.table.get(DomainName, { name })]);
    if (found === 'PREMIUM') throw new ApiError('conflict', `domain: ${name} is a premium name, which we do not sell`);
    const rival = holder && (await findYieldingOrder(deps, holder, accountId));
    if (found === 'TAKEN' || (holder && !rival)) throw unavailable(name);
    return rival;
  };
  return await withWallet(deps, accountId, checkName, async (wallet, rival) => {
    const id = deps.newId('dom');
    const { years } = order;
    const payBy = timestampAfter(wallet.now, ORDER_HOLD_MS);
    const lines = [invoiceLineForYears(`Registration of ${name}`, years, offered.registration)];
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
    const shown = viewInvoice(invoice);
    const refusal = invoice.status === 'UNPAID' ? wallet.refusalOf('DOMAIN', invoice.amountCents) : undefined;
    const data = { invoice: shown, ...(refusal && { unpaidReason: refusal.message }) };
    const after = { domain: name, status: domain.status, years, amount: shown.amount };
    return await deps.commit(wallet.writes(), { data }, { subjectId: id, after });
  });
}
