import * as z from 'zod/mini';
import { PAYMENT_STATUSES } from '../enums.ts';
import { Amount, describe, Id, Money, resource, single } from '../envelope.ts';
import { route } from '../route.ts';
import { AUTO_TOP_UP_LIMITS, MAX_TOP_UP_RAND } from './card-payments.ts';

const tag = 'Billing';

/** A card payment into the wallet, and the page where it is paid. */
export const TopUp = resource('TopUp', () =>
  z.object({ paymentId: z.string(), amount: Money(), status: z.enum(PAYMENT_STATUSES), paymentUrl: z.url() }),
);

export const createTopUp = /* @__PURE__ */ route({
  id: 'createTopUp',
  method: 'POST',
  path: '/dashboard/v1/wallet/topups',
  access: 'login',
  right: 'pay',
  audit: 'top-up.started',
  stoppedBy: ['top-ups'],
  summary: 'Start a card payment into the wallet; it is paid on the page that the answer names',
  tag,
  body: () => z.object({ amount: Amount(1, MAX_TOP_UP_RAND) }),
  status: 202,
  response: () => single(TopUp()),
  uses: ['payments'],
});

/** Reads a payment's status; the page that the payment provider returns to calls this. */
export const getTopUp = /* @__PURE__ */ route({
  id: 'getTopUp',
  method: 'GET',
  path: '/dashboard/v1/wallet/topups/{id}',
  access: 'login',
  right: 'member',
  summary: 'Read whether a card payment into the wallet has come',
  tag,
  params: Id,
  response: () => single(z.object({ paymentId: z.string(), amount: Money(), status: z.enum(PAYMENT_STATUSES) })),
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

export const getAutoTopUp = /* @__PURE__ */ route({
  id: 'getAutoTopUp',
  method: 'GET',
  path: '/dashboard/v1/wallet/auto-top-up',
  access: 'login',
  right: 'member',
  summary: 'Read the settings of automatic top-ups',
  tag,
  response: () => single(AutoTopUp()),
});

const { minAmountRand } = AUTO_TOP_UP_LIMITS;
const inSettings = () =>
  describe(
    z.optional(Amount(0, MAX_TOP_UP_RAND)),
    'Rand (ZAR), two decimals. Required to enable it; kept as it is when left out',
  );

/** New settings: disabling needs no amounts, and takes those of settings that were never made (`0.00`) back. */
const AutoTopUpInput = () =>
  z.object({ enabled: z.boolean(), threshold: inSettings(), amount: inSettings() }).check(
    z.superRefine(({ enabled, threshold, amount }, context) => {
      const add = (field: string, message: string, input: unknown) =>
        context.addIssue({ code: 'custom', path: [field], message, input });
      if (!enabled) return;
      if (threshold === undefined) add('threshold', 'is required', threshold);
      if (amount === undefined) add('amount', 'is required', amount);
      else if (Number(amount) < minAmountRand) add('amount', `must be at least ${minAmountRand}.00`, amount);
    }),
  );

export const setAutoTopUp = /* @__PURE__ */ route({
  id: 'setAutoTopUp',
  method: 'PUT',
  path: '/dashboard/v1/wallet/auto-top-up',
  access: 'login',
  right: 'pay',
  audit: 'auto-top-up.set',
  summary: 'Set when automatic top-ups charge the card of your last top-up, and how much',
  tag,
  body: AutoTopUpInput,
  response: () => single(AutoTopUp()),
});

/** The processor's callback (https://paystack.com/docs/payments/webhooks/): the body is for the function to read. */
export const receivePayment = /* @__PURE__ */ route({
  id: 'receivePayment',
  method: 'POST',
  path: '/hooks/payments',
  access: 'hook',
  audit: { because: 'the platform records the outcome when it has asked the processor for it' },
  summary: "Payment webhook: receives the processor's callbacks",
  tag,
  response: () => single(z.object({ settled: z.boolean() })),
  uses: ['payments'],
});
