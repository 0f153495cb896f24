import { createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod/mini';
import { entryOf } from '../../contract/enums.ts';
import { parseJson } from '../../contract/json.ts';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { memoize } from '../../contract/memoize.ts';
import type { PlatformKey } from '../platform-keys/platform-key.ts';
import {
  type CallbackSubject,
  type Card,
  ChargeRefused,
  type Dispute,
  InvalidSignature,
  MAX_LISTED_DISPUTES,
  type Payment,
  PaymentProviderError,
  type Payments,
  PaymentsNotConfigured,
} from './payments.ts';

/** Timeout of a request to the payment provider, in milliseconds. */
const TIMEOUT_MS = TIMEOUTS_S.payments * 1000;

const InitializeResponse = memoize(() => z.object({ authorization_url: z.url() }));
const VerifyResponse = memoize(() =>
  z.object({
    status: z.string(),
    amount: z.int(),
    currency: z.string(),
    customer: z.object({ email: z.string() }),
    authorization: z.nullish(
      z.object({
        authorization_code: z.optional(z.string()),
        signature: z.nullish(z.string()),
        reusable: z.nullish(z.boolean()),
        brand: z.nullish(z.string()),
        last4: z.nullish(z.string()),
      }),
    ),
  }),
);
const Callback = memoize(() =>
  z.object({
    event: z.string(),
    data: z.object({
      // Longer references are not the platform's, and would exceed the length of a key of the table.
      reference: z.optional(z.string().check(z.maxLength(100))),
      id: z.optional(z.union([z.int(), z.string()])),
    }),
  }),
);
/** https://paystack.com/docs/api/dispute/#fetch */
const DisputeResponse = memoize(() =>
  z.object({
    refund_amount: z.nullish(z.int()),
    status: z.string(),
    resolution: z.nullish(z.string()),
    transaction: z.object({ reference: z.string(), amount: z.int() }),
  }),
);
/** https://paystack.com/docs/api/dispute/#list */
const DisputeList = memoize(() =>
  z.array(z.object({ id: z.int(), status: z.string(), resolution: z.nullish(z.string()) })),
);
const DISPUTES_PER_PAGE = 50;
const Envelope = memoize(() => z.object({ status: z.boolean(), message: z.string(), data: z.optional(z.unknown()) }));

type Answer = z.output<ReturnType<typeof Envelope>> & { httpStatus: number };

/** Paystack's final statuses; any other is open. A payment is `abandoned` until the customer first tries to pay. */
const STATUSES: Record<string, Payment['status']> = { success: 'SUCCEEDED', failed: 'FAILED' };

/** Paystack's resolutions of a dispute; any other leaves the dispute open for operators. `declined`: the customer's claim was declined. */
const RESOLUTIONS: Record<string, Dispute['status']> = {
  declined: 'WON',
  'merchant-accepted': 'LOST',
  'auto-accepted': 'LOST',
};

const disputeStatus = (status: string, resolution: string | null | undefined): Dispute['status'] =>
  (status === 'resolved' ? entryOf(RESOLUTIONS, resolution ?? '') : undefined) ?? 'OPEN';

/** Messages that distinguish these two cases, because Paystack answers 400 for both. */
const UNKNOWN = /not found|invalid transaction/i;
const REPEATED = /duplicate.*reference/i;

/** The status of a response to an invalid or revoked key. */
const KEY_REFUSED = 401;
/** Statuses below 500 that do not depend on the content of the request. */
const NOT_ABOUT_REQUEST = [KEY_REFUSED, 403, 429];

/** Calls Paystack. @returns the envelope: `status` false is a refusal with a reason. Throws {@link PaymentProviderError} */
type Call = (path: string, body?: object) => Promise<Answer>;

async function readKey(secretKey: PlatformKey): Promise<string> {
  const key = await secretKey.current();
  if (key === undefined) throw new PaymentsNotConfigured('the secret key of the payment provider is not stored');
  return key;
}

/** Returns a function that calls Paystack, and once more if the key has been replaced. */
function createCall(baseUrl: string, secretKey: PlatformKey): Call {
  const send = (key: string, path: string, body: object | undefined, signal: AbortSignal) =>
    fetch(baseUrl + path, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      signal,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  return async (path, body) => {
    const key = await readKey(secretKey);
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const response = await send(key, path, body, signal);
      const replacement = response.status === KEY_REFUSED ? await secretKey.replacementOf(key) : undefined;
      const answer = replacement === undefined ? response : await send(replacement, path, body, signal);
      if (answer.status >= 500) throw new Error(`answered ${answer.status}`);
      return { ...Envelope().parse(await answer.json()), httpStatus: answer.status };
    } catch (error) {
      throw new PaymentProviderError(`the payment provider failed at ${path.split('?')[0]?.split('/', 3).join('/')}`, {
        cause: error,
      });
    }
  };
}

const cardOf = ({ customer, authorization }: z.output<ReturnType<typeof VerifyResponse>>): Card | undefined =>
  authorization?.reusable && authorization.authorization_code
    ? {
        authorization: authorization.authorization_code,
        email: customer.email,
        brand: authorization.brand ?? '',
        lastFour: authorization.last4 ?? '',
      }
    : undefined;

const begin =
  (call: Call): Payments['begin'] =>
  async ({ reference, amountCents, email, returnTo }) => {
    const request = { reference, email, amount: amountCents, currency: 'ZAR', callback_url: returnTo };
    const { status, message, data } = await call('/transaction/initialize', { ...request, channels: ['card'] });
    const begun = InitializeResponse().safeParse(data);
    if (!status || !begun.success) throw new PaymentProviderError(`a payment was not begun: ${message}`);
    return begun.data.authorization_url;
  };

const find =
  (call: Call): Payments['find'] =>
  async (reference) => {
    const { status, message, data } = await call(`/transaction/verify/${encodeURIComponent(reference)}`);
    if (!status && UNKNOWN.test(message)) return undefined;
    const found = VerifyResponse().safeParse(data);
    if (!status || !found.success) throw new PaymentProviderError(`a payment cannot be read: ${message}`);
    if (found.data.currency !== 'ZAR') throw new PaymentProviderError(`a payment in ${found.data.currency}`);
    const known = entryOf(STATUSES, found.data.status) ?? 'OPEN';
    const { signature, authorization_code: code } = found.data.authorization ?? {};
    return { status: known, amountCents: found.data.amount, card: cardOf(found.data), signature: signature ?? code };
  };

const findDispute =
  (call: Call): Payments['findDispute'] =>
  async (id) => {
    const { status, message, data } = await call(`/dispute/${encodeURIComponent(id)}`);
    if (!status && UNKNOWN.test(message)) return undefined;
    const found = DisputeResponse().safeParse(data);
    if (!status || !found.success) throw new PaymentProviderError(`a dispute cannot be read: ${message}`);
    const { refund_amount: claimed, resolution, transaction } = found.data;
    const { reference, amount } = transaction;
    return { id, reference, amountCents: claimed ?? amount, status: disputeStatus(found.data.status, resolution) };
  };

const listDisputes =
  (call: Call): Payments['listDisputes'] =>
  async (since) => {
    const from = since.toISOString();
    const listed: Pick<Dispute, 'id' | 'status'>[] = [];
    for (let page = 1; page <= MAX_LISTED_DISPUTES / DISPUTES_PER_PAGE; page += 1) {
      const query = new URLSearchParams({ from, perPage: String(DISPUTES_PER_PAGE), page: String(page) });
      const { status, message, data } = await call(`/dispute?${query}`);
      const found = DisputeList().safeParse(data);
      if (!status || !found.success) throw new PaymentProviderError(`disputes cannot be listed: ${message}`);
      for (const { id, status, resolution } of found.data) {
        if (status !== 'archived') listed.push({ id: String(id), status: disputeStatus(status, resolution) });
      }
      if (found.data.length < DISPUTES_PER_PAGE) break;
    }
    return listed;
  };

const charge =
  (call: Call): Payments['charge'] =>
  async ({ reference, amountCents, email, authorization }) => {
    const request = { reference, email, amount: amountCents, currency: 'ZAR', authorization_code: authorization };
    const { status, message, httpStatus } = await call('/transaction/charge_authorization', request);
    // `find` returns the result: a refused card is a failed payment, and a repeated reference has been charged before.
    if (status || REPEATED.test(message)) return;
    const Refusal = NOT_ABOUT_REQUEST.includes(httpStatus) ? PaymentProviderError : ChargeRefused;
    throw new Refusal(`a card was not charged: ${message}`);
  };

/** Throws {@link InvalidSignature} unless a key of the account signed the body. */
async function assertSigned(secretKey: PlatformKey, body: Buffer, signature: string): Promise<void> {
  const given = Buffer.from(/^[0-9a-f]{128}$/i.test(signature) ? signature : '', 'hex');
  const isSignedWith = (key: string): boolean => {
    const expected = createHmac('sha512', key).update(body).digest();
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
  const key = await readKey(secretKey);
  if (!isSignedWith(key)) {
    const replacement = given.length > 0 ? await secretKey.replacementOf(key) : undefined;
    if (replacement === undefined || !isSignedWith(replacement)) throw new InvalidSignature();
  }
}

function readSubject(body: Buffer): CallbackSubject {
  const callback = Callback().safeParse(parseJson(body.toString('utf8')));
  if (!callback.success) return {};
  const { event, data } = callback.data;
  if (event.startsWith('charge.dispute.')) return data.id === undefined ? {} : { disputeId: String(data.id) };
  return event.startsWith('charge.') ? { reference: data.reference } : {};
}

/** Paystack (https://paystack.com/docs/api/transaction/). Its requests throw {@link PaymentProviderError}. */
export function createPayments(baseUrl: string, secretKey: PlatformKey): Payments {
  const call = createCall(baseUrl, secretKey);
  return {
    begin: begin(call),
    find: find(call),
    charge: charge(call),
    findDispute: findDispute(call),
    listDisputes: listDisputes(call),
    async readCallback(body, signature = '') {
      await assertSigned(secretKey, body, signature);
      return readSubject(body);
    },
  };
}
