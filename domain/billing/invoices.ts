import { ApiError } from '../../contract/errors.ts';
import { Invoice, InvoiceByStatus } from '../../table/entities/billing.ts';
import { unschedule } from '../../table/schedule.ts';
import { change, create, remove } from '../../table/writes.ts';
import { concurrentUpdate } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import type { Gross } from './money.ts';
import type { Wallet } from './wallet.ts';

/** A line of an invoice, with VAT included (`addVat`, `vatInside` of domain/billing/money.ts). */
export interface InvoiceLine extends Gross {
  description: string;
}

/** An invoice to be issued. */
export interface NewInvoice {
  kind: Invoice['kind'];
  lines: InvoiceLine[];
  /** Id of the domain or subscription that the invoice is for. */
  subjectId?: string;
  /** Due date; the time of issue by default. */
  payBy?: string;
  /** True if the invoice counts towards the limit `unpaidDomainOrders` while it is unpaid. */
  countsAsOrder?: true;
  /** Time at which the invoice becomes void if unpaid; never by default. */
  voidAt?: string;
}

/** Returns the total of an invoice in cents, with VAT included. */
const totalOf = ({ lines }: Pick<NewInvoice, 'lines'>): number =>
  lines.reduce((total, line) => total + line.amountCents, 0);

/** Returns the write of an invoice's copy in the list of its status, which has no lines. */
const writeByStatus = (invoice: InvoiceByStatus) =>
  create(InvoiceByStatus, InvoiceByStatus.parse(invoice), concurrentUpdate);

/**
 * Issues an invoice, which is paid immediately if the balance allows and UNPAID otherwise. Adds the invoice, its number and the payment to the
 * wallet's transaction.
 */
export function issueInvoice(deps: Pick<Deps, 'newId'>, wallet: Wallet, order: NewInvoice): Invoice {
  const amountCents = totalOf(order);
  const number = wallet.allocateInvoiceNumber();
  const paid = wallet.refusalOf(order.kind, amountCents) === undefined;
  if (paid) wallet.pay(order.kind, amountCents, paymentMovement(number));
  else if (order.countsAsOrder) wallet.countUnpaidOrders(1);
  const invoice: Invoice = {
    payBy: wallet.now,
    ...order,
    id: deps.newId('inv'),
    accountId: wallet.account.id,
    number,
    amountCents,
    vatCents: order.lines.reduce((total, line) => total + line.vatCents, 0),
    status: paid ? 'PAID' : 'UNPAID',
    issuedAt: wallet.now,
    paidAt: paid ? wallet.now : null,
  };
  wallet.add(create(Invoice, invoice), writeByStatus(invoice));
  return invoice;
}

/** Issues an invoice that must be paid immediately. Throws 402 `insufficient_funds` if the balance does not allow it. */
export function issuePaidInvoice(deps: Pick<Deps, 'newId'>, wallet: Wallet, order: NewInvoice): Invoice {
  const refusal = wallet.refusalOf(order.kind, totalOf(order));
  if (refusal) throw refusal;
  return issueInvoice(deps, wallet, order);
}

/** Pays an unpaid invoice from the wallet. Throws 402 `insufficient_funds`, and 409 for a paid or void invoice. */
export function payInvoice<T extends InvoiceByStatus>(wallet: Wallet, invoice: T): T {
  if (invoice.status === 'PAID') throw new ApiError('conflict', 'This invoice is already paid.');
  if (invoice.status === 'VOID') throw new ApiError('conflict', 'This invoice is void.');
  wallet.pay(invoice.kind, invoice.amountCents, paymentMovement(invoice.number));
  return changeStatus(wallet, invoice, { ...invoice, status: 'PAID', paidAt: wallet.now });
}

/** Voids an invoice, and refunds its payment to the wallet. Throws 409 if it is already void. */
export function voidInvoice<T extends InvoiceByStatus>(wallet: Wallet, invoice: T): T {
  if (invoice.status === 'VOID') throw new ApiError('conflict', 'This invoice is already void.');
  if (invoice.status === 'PAID') wallet.move('REFUND', invoice.amountCents, `Refund of ${invoice.number}`);
  return changeStatus(wallet, invoice, { ...invoice, status: 'VOID' });
}

const paymentMovement = (number: string) => `Payment of ${number}`;

/** Changes the status of an invoice, and moves its copy to the list of the new status. */
function changeStatus<T extends InvoiceByStatus>(wallet: Wallet, before: T, after: T): T {
  const { accountId, id } = before;
  const { status, paidAt } = after;
  const when = { status: { is: before.status } };
  if (before.status === 'UNPAID' && before.countsAsOrder) wallet.countUnpaidOrders(-1);
  wallet.add(
    change(
      Invoice,
      { accountId, id },
      { set: { status, paidAt }, remove: unschedule(Invoice), when },
      concurrentUpdate,
    ),
    remove(InvoiceByStatus, before),
    writeByStatus(after),
  );
  return after;
}
