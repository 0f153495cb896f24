import * as z from 'zod/mini';
import { PAYMENT_STATUSES } from '../enums.ts';
import { Amount, describe, Id, Money, resource, single } from '../envelope.ts';
import { route } from '../route.ts';
import { AUTO_TOP_UP_LIMITS, MAX_TOP_UP_RAND } from './card-payments.ts';

const tag = 'Billing';

/** A card payment into the wallet, and the URL of its payment page. */
const TopUp = resource('TopUp', () =>
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
  summary: 'Start a card payment into the wallet; pay it at the `paymentUrl` in the response',
  tag,
  body: () => z.object({ amount: Amount(1, MAX_TOP_UP_RAND) }),
  status: 202,
  response: () => single(TopUp()),
  uses: ['payments'],
});

/** Reads the status of a payment. The dashboard calls it when the payment provider redirects back. */
export const getTopUp = /* @__PURE__ */ route({
  id: 'getTopUp',
  method: 'GET',
  path: '/dashboard/v1/wallet/topups/{id}',
  access: 'login',
  right: 'member',
  summary: 'Read the status of a card payment into the wallet',
  tag,
  params: Id,
  response: () => single(z.object({ paymentId: z.string(), amount: Money(), status: z.enum(PAYMENT_STATUSES) })),
});

/** Automatic top-ups charge the card of the last top-up when the balance falls below the threshold or cannot pay an invoice. */
const AutoTopUp = resource('AutoTopUp', () =>
  z.object({
    enabled: z.boolean(),
    threshold: Money(),
    amount: Money(),
    /** The card to charge; null before the first top-up with a card that can be charged again. */
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
const AmountSetting = () =>
  describe(
    z.optional(Amount(0, MAX_TOP_UP_RAND)),
    'Rand (ZAR), two decimals. Required to enable automatic top-ups; if omitted otherwise, the stored value stays',
  );

/**
 * New settings. Disabling requires no amounts, and accepts the `0.00` that the API returns for settings which were never made, so
 * that clients can send back what they read.
 */
const AutoTopUpInput = () =>
  z.object({ enabled: z.boolean(), threshold: AmountSetting(), amount: AmountSetting() }).check(
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
  summary: 'Update automatic top-ups: the balance at which the card of your last top-up is charged, and the amount',
  tag,
  body: AutoTopUpInput,
  response: () => single(AutoTopUp()),
});

/** The payment provider's callback (https://paystack.com/docs/payments/webhooks/). The function itself parses the body. */
export const receivePayment = /* @__PURE__ */ route({
  id: 'receivePayment',
  method: 'POST',
  path: '/hooks/payments',
  access: 'hook',
  audit: { because: 'the platform records the outcome after it has asked the payment provider for it' },
  summary: "Payment webhook: receives the payment provider's callbacks",
  tag,
  response: () => single(z.object({ settled: z.boolean() })),
  uses: ['payments'],
});
