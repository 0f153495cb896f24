import { createHmac, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import * as z from 'zod';
import { openState } from '../state.ts';
import { type Emulator, type EmulatorOptions, parse, serve, type WireRequest, type WireResponse } from '../wire.ts';
import { paymentPage } from './page.ts';

/** Path of the payment pages on the public address. */
export const PAY_PATH = '/pay';
/** An amount in cents that is declined. */
const DECLINED_CENTS = 1300;
/** An amount in cents whose charge of a saved card is never answered. */
const UNANSWERED_CENTS = 1400;

const Transaction = z.object({
  accessCode: z.string(),
  amount: z.number(),
  email: z.string(),
  currency: z.string(),
  returnTo: z.string(),
  status: z.enum(['abandoned', 'success', 'failed']),
});
type Transaction = z.output<typeof Transaction>;
const Dispute = z.object({
  reference: z.string(),
  status: z.string(),
  resolution: z.nullable(z.string()),
  createdAt: z.string().default(() => new Date().toISOString()),
});
const State = z.object({
  secretKey: z.string(),
  transactions: z.record(z.string(), Transaction),
  disputes: z.record(z.string(), Dispute).default({}),
});
type Decision = Pick<z.output<typeof Dispute>, 'status' | 'resolution'>;
/** Actions on a completed payment, as paths below its page: `POST <page>/dispute`, then one of the bank's decisions. */
const DISPUTE_ACTIONS: Record<string, Decision> = {
  dispute: { status: 'awaiting-merchant-feedback', resolution: null },
  'dispute-won': { status: 'resolved', resolution: 'declined' },
  'dispute-lost': { status: 'resolved', resolution: 'merchant-accepted' },
};

const Initialize = z.object({
  reference: z.string().regex(/^[A-Za-z0-9=.-]+$/),
  email: z.email(),
  amount: z.coerce.number().int().positive(),
  currency: z.literal('ZAR'),
  callback_url: z.url(),
});
const ListDisputes = z.object({
  from: z.iso.datetime(),
  perPage: z.coerce.number().int().min(1).max(100).default(50),
  page: z.coerce.number().int().min(1).default(1),
});
const Charge = Initialize.omit({ callback_url: true }).extend({ authorization_code: z.string() });

/** The signature of the only card, which every payment has. */
export const CARD_SIGNATURE = 'SIG_localcard';

/** The authorization of the only card, with which it can be charged again. */
const AUTHORIZATION = {
  authorization_code: 'AUTH_localcard',
  bin: '408408',
  last4: '4081',
  exp_month: '12',
  exp_year: '2030',
  signature: CARD_SIGNATURE,
  channel: 'card',
  card_type: 'visa ',
  bank: 'TEST BANK',
  country_code: 'ZA',
  brand: 'visa',
  reusable: true,
};

const ok = (message: string, data: object): WireResponse => ({ body: { status: true, message, data } });
const refused = (message: string, status = 400): WireResponse => ({ status, body: { status: false, message } });

interface Payment {
  reference: string;
  transaction: Transaction;
}

export interface PaymentsEmulator extends Emulator {
  /** Environment variables for functions. */
  variables: Record<string, string>;
  /** The key that it accepts, and with which it signs callbacks. */
  secretKey: string;
  /** Serves the payment pages below {@link PAY_PATH}. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/**
 * Starts an emulator of the payment provider Paystack: the parts of its API that the platform uses, its payment page
 * and its signed callbacks. Every payment succeeds except for {@link DECLINED_CENTS}.
 */
export async function startPayments({
  dataDir,
  port,
  baseUrl,
}: EmulatorOptions & { baseUrl: string }): Promise<PaymentsEmulator> {
  const state = openState(join(dataDir, 'payments.json'), State, {
    secretKey: `sk_test_${randomBytes(20).toString('hex')}`,
    transactions: {},
    disputes: {},
  });
  const { secretKey, transactions, disputes } = state.value;

  const describe = (reference: string, { amount, email, currency, status }: Transaction) => ({
    id: 1,
    domain: 'test',
    status,
    reference,
    amount,
    currency,
    channel: 'card',
    gateway_response: { success: 'Approved', failed: 'Declined', abandoned: 'The transaction was not completed' }[
      status
    ],
    customer: { id: 1, email, customer_code: 'CUS_local' },
    authorization: status === 'abandoned' ? {} : AUTHORIZATION,
  });

  function charge(transaction: Transaction): void {
    if (transaction.status !== 'success')
      transaction.status = transaction.amount === DECLINED_CENTS ? 'failed' : 'success';
    state.save();
  }

  const describeDispute = (id: string, { reference, status, resolution, createdAt }: z.output<typeof Dispute>) => {
    const { amount = 0, currency = 'ZAR' } = transactions[reference] ?? {};
    const fields = { id: Number(id), refund_amount: amount, currency, status, resolution, createdAt };
    return { ...fields, transaction: { reference, amount } };
  };

  /** Sends a callback to the platform once. Paystack repeats it for days until it receives 200. */
  async function sendCallback(event: string, data: object): Promise<void> {
    const body = JSON.stringify({ event, data });
    const signature = createHmac('sha512', secretKey).update(body).digest('hex');
    const headers = { 'content-type': 'application/json', 'x-paystack-signature': signature };
    await fetch(`${baseUrl}/hooks/payments`, { method: 'POST', headers, body }).catch((error: unknown) =>
      console.error('the payment callback could not be delivered', error),
    );
  }

  const operations: Record<string, (request: WireRequest) => WireResponse | Promise<WireResponse>> = {
    'POST /transaction/initialize': ({ body }) => {
      const { reference, callback_url: returnTo, ...input } = parse(Initialize, body);
      if (Object.hasOwn(transactions, reference)) return refused('Duplicate Transaction Reference');
      const accessCode = randomBytes(8).toString('hex');
      transactions[reference] = { ...input, accessCode, returnTo, status: 'abandoned' };
      state.save();
      const authorization_url = `${baseUrl}${PAY_PATH}/${accessCode}`;
      return ok('Authorization URL created', { authorization_url, access_code: accessCode, reference });
    },
    'GET /dispute': ({ query }) => {
      const { from, perPage, page } = ListDisputes.parse(Object.fromEntries(query));
      const found = Object.entries(disputes).filter(([, { createdAt }]) => createdAt >= from);
      const shown = found.slice((page - 1) * perPage, page * perPage).map(([id, each]) => describeDispute(id, each));
      return ok('Disputes retrieved', shown);
    },
    'POST /transaction/charge_authorization': ({ body }) => {
      const { reference, authorization_code, ...input } = parse(Charge, body);
      if (Object.hasOwn(transactions, reference)) return refused('Duplicate Transaction Reference');
      if (authorization_code !== AUTHORIZATION.authorization_code) return refused('Invalid authorization code');
      const transaction: Transaction = { ...input, accessCode: '', returnTo: '', status: 'abandoned' };
      transactions[reference] = transaction;
      if (input.amount === UNANSWERED_CENTS) return new Promise(() => {});
      charge(transaction);
      return ok('Charge attempted', describe(reference, transaction));
    },
  };

  const showDispute = (id: string): WireResponse => {
    const dispute = disputes[id];
    return dispute ? ok('Dispute retrieved', describeDispute(id, dispute)) : refused('Dispute not found', 404);
  };
  const verify = (reference: string): WireResponse => {
    const transaction = Object.hasOwn(transactions, reference) ? transactions[reference] : undefined;
    if (!transaction) return refused('Transaction reference not found');
    return ok('Verification successful', describe(reference, transaction));
  };

  const api = await serve(port, 'application/json', (request) => {
    if (request.headers.authorization !== `Bearer ${secretKey}`) return refused('Invalid key', 401);
    const [, disputeId] = /^\/dispute\/(\d+)$/.exec(request.path) ?? [];
    if (disputeId !== undefined) return showDispute(disputeId);
    const [, reference] = /^\/transaction\/verify\/([^/]+)$/.exec(request.path) ?? [];
    if (reference !== undefined) return verify(reference);
    return operations[`${request.method} ${request.path}`]?.(request) ?? refused('Route not found', 404);
  });

  /** Returns the payment whose page has this access code. */
  const findPayment = (accessCode: string): Payment | undefined => {
    const [reference, transaction] =
      Object.entries(transactions).find(([, each]) => accessCode !== '' && each.accessCode === accessCode) ?? [];
    return reference && transaction ? { reference, transaction } : undefined;
  };

  /** Opens or decides the dispute of a payment, and sends the callback. Returns the dispute's id. */
  async function changeDispute(action: string, decision: Decision, reference: string): Promise<string> {
    const [id = String(1000 + Object.keys(disputes).length), known] =
      Object.entries(disputes).find(([, each]) => each.reference === reference) ?? [];
    const dispute = { reference, ...decision, createdAt: known?.createdAt ?? new Date().toISOString() };
    disputes[id] = dispute;
    state.save();
    const event = action === 'dispute' ? 'charge.dispute.create' : 'charge.dispute.resolve';
    await sendCallback(event, describeDispute(id, dispute));
    return id;
  }

  /**
   * Completes a payment and sends the callback.
   * @param paidCents if positive, the amount that is paid instead of the requested one
   */
  async function pay({ reference, transaction }: Payment, paidCents: number): Promise<void> {
    if (paidCents > 0 && transaction.status !== 'success') transaction.amount = paidCents;
    charge(transaction);
    await sendCallback(
      transaction.status === 'success' ? 'charge.success' : 'charge.failed',
      describe(reference, transaction),
    );
  }

  return {
    ...api,
    variables: { PAYMENTS_BASE_URL: api.url },
    secretKey,
    async handle(request, response) {
      request.resume();
      const url = new URL(request.url ?? '/', baseUrl);
      const [accessCode = '', action = ''] = url.pathname.slice(PAY_PATH.length + 1).split('/');
      const payment = findPayment(accessCode);
      if (!payment) {
        response.writeHead(404, { 'content-type': 'text/plain' }).end('Payment not found.');
        return;
      }
      const { reference, transaction } = payment;
      if (request.method !== 'POST') {
        response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(paymentPage(transaction));
        return;
      }
      const decision = DISPUTE_ACTIONS[action];
      if (decision) {
        sendJson(response, { disputeId: await changeDispute(action, decision, reference) });
        return;
      }
      await pay(payment, Number(url.searchParams.get('amount')));
      if (request.headers.accept?.includes('text/html')) {
        const back = new URL(transaction.returnTo);
        back.searchParams.set('reference', reference);
        response.writeHead(303, { location: back.href }).end();
        return;
      }
      sendJson(response, { status: transaction.status === 'success' ? 'SUCCEEDED' : 'FAILED' });
    },
  };
}

function sendJson(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
