/** The payment provider, in rand. */
export interface Payments {
  /** Begins a card payment. @returns the URL of the checkout page. Throws {@link PaymentProviderError}. */
  begin(payment: { reference: string; amountCents: number; email: string; returnTo: string }): Promise<string>;
  /** Reads a payment's state. Returns undefined if the provider does not know the payment. */
  find(reference: string): Promise<Payment | undefined>;
  /**
   * Charges a card that an earlier payment saved; `find` returns the outcome. Repeating a charge with the same reference charges once. Throws
   * {@link ChargeRefused} if the provider refused and created no payment.
   */
  charge(payment: { reference: string; amountCents: number } & Pick<Card, 'email' | 'authorization'>): Promise<void>;
  /** Reads a dispute's state. Returns undefined if the provider does not know the dispute. */
  findDispute(id: string): Promise<Dispute | undefined>;
  /**
   * Lists the disputes that were opened since a date, at most {@link MAX_LISTED_DISPUTES}. Leaves out disputes that the provider has
   * archived.
   */
  listDisputes(since: Date): Promise<Pick<Dispute, 'id' | 'status'>[]>;
  /** Returns the payment or dispute of a callback; an empty object for other callbacks. Throws {@link InvalidSignature}. */
  readCallback(body: Buffer, signature: string | undefined): Promise<CallbackSubject>;
}

/** Maximum disputes that {@link Payments.listDisputes} returns. */
export const MAX_LISTED_DISPUTES = 1000;

/** A card that may be charged again. */
export interface Card {
  authorization: string;
  email: string;
  brand: string;
  lastFour: string;
}

export interface Payment {
  /** An `OPEN` payment may still be paid, and a `FAILED` payment with another card. */
  status: 'SUCCEEDED' | 'FAILED' | 'OPEN';
  /** The amount that was paid, which may differ from the requested one. */
  amountCents: number;
  /** Saved by this payment, if the card allows that. */
  card: Card | undefined;
  /** Identifies the same card in all accounts; undefined if the provider does not send it. */
  signature: string | undefined;
}

/** The subject of a callback: the reference of a payment, or the id of a dispute. */
export interface CallbackSubject {
  reference?: string | undefined;
  disputeId?: string | undefined;
}

/** A payment that the card's owner disputes. */
export interface Dispute {
  id: string;
  /** Reference of the disputed payment. */
  reference: string;
  /** The disputed amount. */
  amountCents: number;
  /** `WON`: the platform keeps the money. `LOST`: the bank has taken it back. */
  status: 'OPEN' | 'WON' | 'LOST';
}

/** The payment provider is unavailable or sent an unexpected response. */
export class PaymentProviderError extends Error {}
/** The payment provider permanently refuses to charge a saved card, for example because its authorization is no longer valid. */
export class ChargeRefused extends PaymentProviderError {}
/** Operators have not stored the key of the payment provider. */
export class PaymentsNotConfigured extends PaymentProviderError {}
/** The payment provider did not sign this callback. */
export class InvalidSignature extends Error {}
