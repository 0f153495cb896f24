/**
 * A model of one account's money: wallet, invoices, plans, disputes and suspension, from the specification and the decisions
 * (docs/decisions/, by number). It shares no code with `domain/`: domain/billing/money-model.test.ts compares the two.
 * Amounts are cents, times epoch milliseconds. Methods take invoices, subscriptions, payments and disputes by their index, and return
 * why they are refused.
 */
const DAY = 86_400_000;
/** Invoices are issued 7 days before the period ends; 7 days overdue suspends, 30 cancels. */
const [INVOICED_AHEAD, SUSPENDED_AFTER, CANCELLED_AFTER] = [7 * DAY, 7 * DAY, 30 * DAY] as const;
const DEFAULT_PLAN = { slug: 'app-1', appLimit: 1 };

/** A plan in the catalogue. */
export interface Offer {
  slug: string;
  category: 'APP' | 'WEB' | 'EMAIL';
  monthlyCents: number;
  yearlyCents: number;
  appLimit: number;
}
export interface Order {
  plan: string;
  billingCycle: 'MONTHLY' | 'YEARLY';
  hostingDomain?: string;
}
interface ModelInvoice {
  cents: number;
  vatCents: number;
  status: 'UNPAID' | 'PAID' | 'VOID';
  issuedAt: number;
  payBy: number;
  /** The subscription of which it is for a period; none where operators issued it. */
  subscription: ModelSubscription | undefined;
}
interface ModelSubscription {
  offer: Offer;
  order: Order;
  status: 'ACTIVE' | 'SUSPENDED' | 'CANCELLED';
  boughtAt: number;
  paidUntil: number;
  /** The unpaid invoice for the next period. */
  renewal: ModelInvoice | undefined;
  suspendedAt: number;
  /** The schedule leaves it alone until then. */
  postponedTo: number;
  /** Its time is over, and the schedule is done with it. */
  isOver: boolean;
}
export type PaymentStatus = 'OPEN' | 'FAILED' | 'SUCCEEDED';
/** The error code of a request, undefined if it is not refused. */
type Refusal = 'invalid_request' | 'conflict' | 'insufficient_funds' | undefined;

export class MoneyModel {
  /** The present; the test moves it. */
  now = 0;
  balance = 0;
  private isSuspended = false;
  /** The end of the account's last suspension. */
  private resumedAt = 0;
  readonly ledger: [type: string, cents: number, balanceAfter: number][] = [];
  readonly invoices: ModelInvoice[] = [];
  readonly subscriptions: ModelSubscription[] = [];
  readonly payments: { status: PaymentStatus; cents: number }[] = [];
  /** The amount that each freezes, 0 once it is closed. */
  readonly disputes: number[] = [];
  readonly events: string[] = [];
  private offers: readonly Offer[] = [];
  /** The plan that limits the account's applications. */
  plan: Pick<Offer, 'slug' | 'appLimit'> = DEFAULT_PLAN;

  /** Wallet and ledger change together, and the balance after each entry adds up. */
  private post(type: string, cents: number): void {
    this.balance += cents;
    this.ledger.push([type, cents, this.balance]);
  }

  get frozen(): number {
    return this.disputes.reduce((total, cents) => total + cents, 0);
  }

  /** 0033: what an open dispute freezes buys nothing. */
  private canPay = (cents: number): boolean => this.balance - this.frozen >= cents;

  private issue(priceCents: number, payBy: number, subscription?: ModelSubscription): ModelInvoice {
    const invoice: ModelInvoice = { ...withVat(priceCents), status: 'UNPAID', issuedAt: this.now, payBy, subscription };
    this.invoices.push(invoice);
    return invoice;
  }

  private settle(invoice: ModelInvoice): void {
    this.post('PAYMENT', -invoice.cents);
    invoice.status = 'PAID';
    const { subscription } = invoice;
    if (subscription?.renewal !== invoice) return;
    // 0022: a renewal that is paid adds its period, once. Specification, Events: a subscription became active or renewed.
    subscription.paidUntil = nextPeriodEnd(subscription);
    this.endRenewal(subscription);
    this.events.push('subscription.activated');
  }

  /** Unpaid invoices are paid when money arrives, oldest first, passing over what the balance does not cover. */
  private payUnpaid(): void {
    for (const invoice of this.invoices)
      if (invoice.status === 'UNPAID' && this.canPay(invoice.cents)) this.settle(invoice);
  }

  /** Paying one without the money is 402 `insufficient_funds`, one already paid 409. */
  payInvoice(index: number): Refusal {
    const invoice = this.invoices[index] as ModelInvoice;
    if (invoice.status !== 'UNPAID') return 'conflict';
    if (!this.canPay(invoice.cents)) return 'insufficient_funds';
    this.settle(invoice);
    return undefined;
  }

  /** Operators invoice what is in no catalogue; paid at once where the balance allows. */
  issueInvoice(priceCents: number): void {
    this.issue(priceCents, this.now);
    this.payUnpaid();
  }

  /** 0022: what was paid returns. A next period is invoiced when the present one ends, or tomorrow; nothing is owed until then. */
  voidInvoice(index: number): Refusal {
    const invoice = this.invoices[index] as ModelInvoice;
    const { status, subscription, cents } = invoice;
    if (status === 'VOID') return 'conflict';
    invoice.status = 'VOID';
    if (subscription?.renewal === invoice) {
      if (subscription.status === 'SUSPENDED') this.events.push('subscription.activated');
      this.endRenewal(subscription);
      subscription.postponedTo = Math.max(subscription.paidUntil, this.now + DAY);
    }
    if (status === 'PAID') this.post('REFUND', cents);
    this.payUnpaid();
    return undefined;
  }

  /** Operators add or take money. The balance is never negative. */
  adjustBalance(cents: number): Refusal {
    if (cents < 0 && this.balance + cents < 0) return 'insufficient_funds';
    this.post('ADJUSTMENT', cents);
    this.payUnpaid();
    return undefined;
  }

  beginPayment(): void {
    this.payments.push({ status: 'OPEN', cents: 0 });
  }

  /** 0022: what counts is what the processor received, once; a failed payment may be repeated. Specification, Events: payment.*. */
  reportPayment(index: number, status: PaymentStatus, cents: number): void {
    const before = this.payments[index]?.status;
    if (before === 'SUCCEEDED' || status === before) return;
    this.payments[index] = { status, cents };
    this.events.push(`payment.${status.toLowerCase()}`);
    if (status === 'FAILED') return;
    this.post('TOPUP', cents);
    this.payUnpaid();
  }

  openDispute(payment: number): void {
    this.disputes.push(this.payments[payment]?.cents ?? 0);
  }

  /** 0033: the whole freeze ends. What the bank takes back (0 if the dispute is won) is taken whatever the balance. */
  closeDispute(index: number, lostCents: number): void {
    this.disputes[index] = 0;
    if (lostCents > 0) this.post('ADJUSTMENT', -lostCents);
    this.payUnpaid();
  }

  setOffers(offers: readonly Offer[]): void {
    this.offers = offers;
  }

  /** Bought from the wallet, 402 without the money. 0022: operators who grant a plan pay its first period. */
  buy(order: Order, isGranted = false): Refusal {
    const offer = this.offers.find(({ slug }) => slug === order.plan);
    if (!offer) return 'invalid_request';
    const live = this.subscriptions.filter(({ status }) => status !== 'CANCELLED');
    const sameKind = live.filter((each) => each.offer.category === offer.category);
    // 0022: an application plan replaces the previous one. 0016: a domain has one plan of a kind.
    const isApp = offer.category === 'APP';
    const property = isApp ? 'plan' : 'hostingDomain';
    if (sameKind.some((each) => each.order[property] === order[property])) return 'conflict';
    const times = { boughtAt: this.now, paidUntil: this.now, suspendedAt: 0, postponedTo: 0, isOver: false };
    const subscription: ModelSubscription = { offer, order, status: 'ACTIVE', ...times, renewal: undefined };
    const { cents } = withVat(priceOf(subscription));
    if (!this.canPay(isGranted ? 0 : cents)) return 'insufficient_funds';
    if (isGranted) this.post('ADJUSTMENT', cents);
    this.settle(this.issue(priceOf(subscription), this.now, subscription));
    subscription.paidUntil = nextPeriodEnd(subscription);
    this.events.push('subscription.activated');
    if (isApp) {
      for (const each of sameKind) this.end(each);
      this.plan = offer;
    }
    this.subscriptions.push(subscription);
    return undefined;
  }

  cancel(index: number): Refusal {
    const subscription = this.subscriptions[index] as ModelSubscription;
    if (subscription.status === 'CANCELLED') return 'conflict';
    this.end(subscription);
    return undefined;
  }

  /** Cancelling takes effect at once in status and event, and makes the unpaid invoice void. */
  private end(subscription: ModelSubscription, isOver = false): void {
    if (subscription.renewal) subscription.renewal.status = 'VOID';
    Object.assign(subscription, { status: 'CANCELLED', renewal: undefined, isOver });
    this.events.push('subscription.cancelled');
  }

  /** Nothing is owed for the next period any more: what was suspended is active again. */
  private endRenewal(subscription: ModelSubscription): void {
    const { status, offer } = subscription;
    if (status === 'SUSPENDED' && offer.category === 'APP') this.plan = offer;
    Object.assign(subscription, { status: 'ACTIVE', renewal: undefined, postponedTo: 0 });
  }

  /** 0022: applications follow the active plan, or the largest that is cancelled and paid still, or the default plan, of one. */
  private leavePlan(left: ModelSubscription): void {
    if (left.offer.category !== 'APP') return;
    const others = this.subscriptions.filter((each) => each !== left && each.offer.category === 'APP');
    const paid = others.filter(({ status, paidUntil }) => status === 'CANCELLED' && paidUntil > this.now);
    const [largest] = paid.sort((a, b) => b.offer.appLimit - a.offer.appLimit);
    this.plan = (others.find(({ status }) => status === 'ACTIVE') ?? largest)?.offer ?? DEFAULT_PLAN;
  }

  setSuspended(isSuspended: boolean): void {
    if (this.isSuspended && !isSuspended) this.resumedAt = this.now;
    this.isSuspended = isSuspended;
  }

  /** Takes the steps that are due, the earliest first. */
  runSchedule(): void {
    const due = this.subscriptions.filter((each) => this.dueAt(each) <= this.now);
    for (const each of due.sort((a, b) => this.dueAt(a) - this.dueAt(b))) this.step(each);
    if (due.length > 0) this.runSchedule();
  }

  private dueAt({ status, isOver, paidUntil, renewal, suspendedAt, postponedTo }: ModelSubscription): number {
    if (status === 'CANCELLED') return isOver ? Infinity : paidUntil;
    if (!renewal) return Math.max(paidUntil - INVOICED_AHEAD, postponedTo);
    // 0031: overdue days count from the end of the account's suspension.
    const overdueFrom = Math.max(renewal.payBy, this.resumedAt);
    if (status === 'ACTIVE') return Math.max(overdueFrom + SUSPENDED_AFTER, postponedTo);
    // 0022: only what has been suspended for 23 days is cancelled.
    const earliest = suspendedAt + CANCELLED_AFTER - SUSPENDED_AFTER;
    return Math.max(overdueFrom + CANCELLED_AFTER, earliest, postponedTo);
  }

  private step(subscription: ModelSubscription): void {
    const { status, renewal, paidUntil, offer } = subscription;
    if (status === 'CANCELLED') {
      subscription.isOver = true;
      if (this.plan.slug === offer.slug) this.leavePlan(subscription);
    } else if (this.isSuspended) {
      // 0031: plans of a suspended account wait; every day they are looked at.
      subscription.postponedTo = this.now + DAY;
    } else if (!renewal) {
      // 0022: it costs the price of that day, or the plan's last price; one that is issued late is due when it is issued.
      subscription.offer = this.offers.find(({ slug }) => slug === offer.slug) ?? offer;
      subscription.renewal = this.issue(priceOf(subscription), Math.max(paidUntil, this.now), subscription);
      this.payUnpaid();
    } else {
      if (status === 'SUSPENDED') this.end(subscription, true);
      else Object.assign(subscription, { status: 'SUSPENDED', suspendedAt: this.now });
      this.leavePlan(subscription);
    }
  }
}

const priceOf = ({ offer, order }: ModelSubscription): number =>
  order.billingCycle === 'YEARLY' ? offer.yearlyCents : offer.monthlyCents;

/** Specification, General conventions 4: prices exclude VAT of 15%, invoices include it. 0022: it is rounded half up. */
function withVat(priceCents: number): { cents: number; vatCents: number } {
  const vatCents = Math.round((priceCents * 3) / 20);
  return { cents: priceCents + vatCents, vatCents };
}

/** 0022: periods are counted from the beginning: the 31st is the 31st again after February. */
function nextPeriodEnd({ boughtAt, paidUntil, order }: ModelSubscription): number {
  const length = order.billingCycle === 'YEARLY' ? 12 : 1;
  let months = length;
  while (monthsAfter(boughtAt, months) <= paidUntil) months += length;
  return monthsAfter(boughtAt, months);
}

/** Returns the same day and time some months later, or the last day of a month that has no such day. */
function monthsAfter(time: number, months: number): number {
  const later = new Date(time);
  later.setUTCMonth(later.getUTCMonth() + months);
  // A day that the month has not is one of the next month: day 0 of that is the last day of the wanted one.
  if (later.getUTCDate() !== new Date(time).getUTCDate()) later.setUTCDate(0);
  return later.getTime();
}
