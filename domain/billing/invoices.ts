import { ApiError } from '../../contract/errors.ts';
import { Invoice, InvoiceByStatus } from '../../table/entities/billing.ts';
import { unschedule } from '../../table/schedule.ts';
import { change, create, remove } from '../../table/writes.ts';
import { concurrentUpdate } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import type { Gross } from './money.ts';
import type { Wallet } from './wallet.ts';

/** A line of an invoice: what it is for, VAT inside (`addVat`, `vatInside` of domain/billing/money.ts). */
export interface Line extends Gross {
  description: string;
}

/** An invoice to be issued. */
export interface Order {
  kind: Invoice['kind'];
  lines: Line[];
  /** Id of the domain or subscription that the invoice is for. */
  subjectId?: string;
  /** Due date; at once by default. */
  payBy?: string;
  /** True for what an account may have few of unpaid (`unpaidDomainOrders`). */
  countsAsOrder?: true;
  /** Time at which the invoice becomes void if unpaid; never by default. */
  voidAt?: string;
}

/** Returns what an order costs, VAT inside. */
export const totalOf = ({ lines }: Pick<Order, 'lines'>): number =>
  lines.reduce((total, line) => total + line.amountCents, 0);

/** Filed without its lines. */
const writeByStatus = (invoice: InvoiceByStatus) =>
  create(InvoiceByStatus, InvoiceByStatus.parse(invoice), concurrentUpdate);

/**
 * Issues an invoice; paid at once if the balance allows, UNPAID otherwise. What it adds to the wallet's transaction: the
 * invoice, its number, the payment.
 */
export function issueInvoice(deps: Pick<Deps, 'newId'>, wallet: Wallet, order: Order): Invoice {
  const amountCents = totalOf(order);
  const number = wallet.takeNumber();
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

/**
 * Refuses an order whose price is in the wallet, but may not be spent on it: frozen, or withheld because the card is new.
 * Throws 402 `insufficient_funds` with the reason.
 */
export function assertNotHeld(wallet: Wallet, order: Pick<Order, 'kind' | 'lines'>): void {
  const amountCents = totalOf(order);
  const refusal = wallet.refusalOf(order.kind, amountCents);
  if (refusal && wallet.balanceCents >= amountCents) throw refusal;
}

/** Issues an invoice for what is only sold against money. Throws 402 `insufficient_funds` where the balance does not cover it. */
export function issuePaidInvoice(deps: Pick<Deps, 'newId'>, wallet: Wallet, order: Order): Invoice {
  const refusal = wallet.refusalOf(order.kind, totalOf(order));
  if (refusal) throw refusal;
  return issueInvoice(deps, wallet, order);
}

/** Pays an unpaid invoice from the wallet. Throws 402 `insufficient_funds`, 409 for one that is not unpaid. */
export function payInvoice<T extends InvoiceByStatus>(wallet: Wallet, invoice: T): T {
  if (invoice.status === 'PAID') throw new ApiError('conflict', 'This invoice is already paid.');
  if (invoice.status === 'VOID') throw new ApiError('conflict', 'This invoice is void.');
  wallet.pay(invoice.kind, invoice.amountCents, paymentMovement(invoice.number));
  return changeStatus(wallet, invoice, { ...invoice, status: 'PAID', paidAt: wallet.now });
}

/** Makes an invoice void. What was paid for it returns to the wallet. Throws 409 for one that is void already. */
export function voidInvoice<T extends InvoiceByStatus>(wallet: Wallet, invoice: T): T {
  if (invoice.status === 'VOID') throw new ApiError('conflict', 'This invoice is void already.');
  if (invoice.status === 'PAID') wallet.move('REFUND', invoice.amountCents, `Refund of ${invoice.number}`);
  return changeStatus(wallet, invoice, { ...invoice, status: 'VOID' });
}

const paymentMovement = (number: string) => `Payment of ${number}`;

/** Moves an invoice to another status, and to the file of that status. */
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
