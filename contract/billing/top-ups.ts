import * as z from 'zod/mini';
import { PAYMENT_STATUSES } from '../enums.ts';
import { Amount, Id, Money, one, resource } from '../envelope.ts';
import { route } from '../route.ts';

const tag = 'Billing';
/** The most that one card payment brings, in rand. */
const MOST = 100_000;

/** A card payment into the wallet, and the page where it is paid. */
export const TopUp = resource('TopUp', () =>
  z.object({ paymentId: z.string(), amount: Money(), status: z.enum(PAYMENT_STATUSES), paymentUrl: z.url() }),
);

export const createTopUp = route({
  id: 'createTopUp',
  method: 'POST',
  path: '/dashboard/v1/wallet/topups',
  access: 'login',
  summary: 'Start a card payment into the wallet; it is paid on the page that the answer names',
  tag,
  body: () => z.object({ amount: Amount(1, MOST) }),
  status: 202,
  response: () => one(TopUp()),
  uses: ['payments'],
});

/** What has become of a payment: where the page leads back to, this is asked. */
export const getTopUp = route({
  id: 'getTopUp',
  method: 'GET',
  path: '/dashboard/v1/wallet/topups/{id}',
  access: 'login',
  summary: 'Read whether a card payment into the wallet has come',
  tag,
  params: Id,
  response: () => one(z.object({ paymentId: z.string(), amount: Money(), status: z.enum(PAYMENT_STATUSES) })),
});

/** Charging the card of the last top-up when the balance falls under the threshold, or cannot pay an invoice. */
export const AutoTopUp = resource('AutoTopUp', () =>
  z.object({
    enabled: z.boolean(),
    threshold: Money(),
    amount: Money(),
    /** The card that would be charged; null before the first top-up with one that allows it. */
    card: z.nullable(z.object({ brand: z.string(), lastFour: z.string() })),
  }),
);

export const getAutoTopUp = route({
  id: 'getAutoTopUp',
  method: 'GET',
  path: '/dashboard/v1/wallet/auto-top-up',
  access: 'login',
  summary: 'Read when the card of your last top-up is charged by itself',
  tag,
  response: () => one(AutoTopUp()),
});

export const setAutoTopUp = route({
  id: 'setAutoTopUp',
  method: 'PUT',
  path: '/dashboard/v1/wallet/auto-top-up',
  access: 'login',
  summary: 'Say when the card of your last top-up is charged by itself, and how much',
  tag,
  body: () => z.object({ enabled: z.boolean(), threshold: Amount(0, MOST), amount: Amount(1, MOST) }),
  response: () => one(AutoTopUp()),
});

/** The processor's callback (https://paystack.com/docs/payments/webhooks/): the body is for the function to read. */
export const receivePayment = route({
  id: 'receivePayment',
  method: 'POST',
  path: '/hooks/payments',
  access: 'hook',
  summary: 'Tell of a card payment: the payment processor does',
  tag,
  response: () => one(z.object({ settled: z.boolean() })),
  uses: ['payments'],
});
