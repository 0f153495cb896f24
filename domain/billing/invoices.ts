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

/** Filed without its lines. */
const writeByStatus = (invoice: InvoiceByStatus) =>
  create(InvoiceByStatus, InvoiceByStatus.parse(invoice), concurrentUpdate);

/**
 * Issues an invoice; paid at once if the balance allows, UNPAID otherwise. What it adds to the wallet's transaction: the
 * invoice, its number, the payment.
 */
export function issueInvoice(deps: Pick<Deps, 'newId'>, wallet: Wallet, order: Order): Invoice {
  const sum = (of: (line: Line) => number) => order.lines.reduce((total, line) => total + of(line), 0);
  const amountCents = sum((line) => line.amountCents);
  const number = wallet.takeNumber();
  const paid = wallet.balanceCents >= amountCents;
  if (paid) wallet.move('PAYMENT', -amountCents, paymentMovement(number));
  else if (order.countsAsOrder) wallet.countUnpaidOrders(1);
  const invoice: Invoice = {
    payBy: wallet.now,
    ...order,
    ...{ id: deps.newId('inv'), accountId: wallet.account.id, number, amountCents },
    vatCents: sum((line) => line.vatCents),
    status: paid ? 'PAID' : 'UNPAID',
    issuedAt: wallet.now,
    paidAt: paid ? wallet.now : null,
  };
  wallet.add(create(Invoice, invoice), writeByStatus(invoice));
  return invoice;
}

/** The same for what is only sold against money. Throws 402 `insufficient_funds` where the balance does not cover it. */
export function issuePaidInvoice(deps: Pick<Deps, 'newId'>, wallet: Wallet, order: Order): Invoice {
  const invoice = issueInvoice(deps, wallet, order);
  if (invoice.status !== 'PAID') throw new ApiError('insufficient_funds');
  return invoice;
}

/** Pays an unpaid invoice from the wallet. Throws 402 `insufficient_funds`, 409 for one that is not unpaid. */
export function payInvoice<T extends InvoiceByStatus>(wallet: Wallet, invoice: T): T {
  if (invoice.status === 'PAID') throw new ApiError('conflict', 'This invoice is already paid.');
  if (invoice.status === 'VOID') throw new ApiError('conflict', 'This invoice is void.');
  wallet.move('PAYMENT', -invoice.amountCents, paymentMovement(invoice.number));
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
