import { createHmac, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import * as z from 'zod';
import { openState } from '../state.ts';
import { parse, type StandIn, type StandInOptions, serve, type WireAnswer, type WireRequest } from '../wire.ts';
import { paymentPage } from './page.ts';

/** Where the pages are on which payments are made, below the one public address. */
export const PAY_PATH = '/pay';
/** An amount whose card is declined, in cents. */
const DECLINED = 1300;

const Transaction = z.object({
  accessCode: z.string(),
  amount: z.number(),
  email: z.string(),
  currency: z.string(),
  returnTo: z.string(),
  status: z.enum(['abandoned', 'success', 'failed']),
});
type Transaction = z.output<typeof Transaction>;
const State = z.object({ secretKey: z.string(), transactions: z.record(z.string(), Transaction) });

const Initialize = z.object({
  reference: z.string().regex(/^[A-Za-z0-9=.-]+$/),
  email: z.email(),
  amount: z.coerce.number().int().positive(),
  currency: z.literal('ZAR'),
  callback_url: z.url(),
});
const Charge = Initialize.omit({ callback_url: true }).extend({ authorization_code: z.string() });

/** One card for everybody, which may be charged again. */
const AUTHORIZATION = {
  ...{ authorization_code: 'AUTH_localcard', bin: '408408', last4: '4081', exp_month: '12', exp_year: '2030' },
  ...{ channel: 'card', card_type: 'visa ', bank: 'TEST BANK', country_code: 'ZA', brand: 'visa', reusable: true },
};

const ok = (message: string, data: object): WireAnswer => ({ body: { status: true, message, data } });
const refused = (message: string, status = 400): WireAnswer => ({ status, body: { status: false, message } });

export interface PaymentsStandIn extends StandIn {
  /** Variables of functions. */
  variables: Record<string, string>;
  /** Answers a request below {@link PAY_PATH}. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/**
 * The card processor, in Paystack's place: as much of its API as the platform uses, its pages and its signed callbacks.
 * Every card pays, but for one amount.
 */
export async function startPayments({
  dataDir,
  port,
  baseUrl,
}: StandInOptions & { baseUrl: string }): Promise<PaymentsStandIn> {
  const state = openState(join(dataDir, 'payments.json'), State, {
    secretKey: `sk_test_${randomBytes(20).toString('hex')}`,
    transactions: {},
  });
  const { secretKey, transactions } = state.value;

  const shown = (reference: string, { amount, email, currency, status }: Transaction) => ({
    ...{ id: 1, domain: 'test', status, reference, amount, currency, channel: 'card' },
    gateway_response: { success: 'Approved', failed: 'Declined', abandoned: 'The transaction was not completed' }[
      status
    ],
    customer: { id: 1, email, customer_code: 'CUS_local' },
    authorization: status === 'abandoned' ? {} : AUTHORIZATION,
  });

  function attempt(transaction: Transaction): void {
    if (transaction.status !== 'success') transaction.status = transaction.amount === DECLINED ? 'failed' : 'success';
    state.save();
  }

  /** Tells the platform, as the processor does: once here, where it repeats it for days until it hears 200. */
  async function tell(reference: string, transaction: Transaction): Promise<void> {
    const event = transaction.status === 'success' ? 'charge.success' : 'charge.failed';
    const body = JSON.stringify({ event, data: shown(reference, transaction) });
    const signature = createHmac('sha512', secretKey).update(body).digest('hex');
    const headers = { 'content-type': 'application/json', 'x-paystack-signature': signature };
    await fetch(`${baseUrl}/hooks/payments`, { method: 'POST', headers, body }).catch((error: unknown) =>
      console.error('the payment callback was not delivered', error),
    );
  }

  const operations: Record<string, (request: WireRequest) => WireAnswer | Promise<WireAnswer>> = {
    'POST /transaction/initialize': ({ body }) => {
      const { reference, callback_url: returnTo, ...asked } = parse(Initialize, body);
      if (Object.hasOwn(transactions, reference)) return refused('Duplicate Transaction Reference');
      const accessCode = randomBytes(8).toString('hex');
      transactions[reference] = { ...asked, accessCode, returnTo, status: 'abandoned' };
      state.save();
      const authorization_url = `${baseUrl}${PAY_PATH}/${accessCode}`;
      return ok('Authorization URL created', { authorization_url, access_code: accessCode, reference });
    },
    'POST /transaction/charge_authorization': ({ body }) => {
      const { reference, authorization_code, ...asked } = parse(Charge, body);
      if (Object.hasOwn(transactions, reference)) return refused('Duplicate Transaction Reference');
      if (authorization_code !== AUTHORIZATION.authorization_code) return refused('Invalid authorization code');
      const transaction: Transaction = { ...asked, accessCode: '', returnTo: '', status: 'abandoned' };
      transactions[reference] = transaction;
      attempt(transaction);
      return ok('Charge attempted', shown(reference, transaction));
    },
  };

  const api = await serve(port, 'application/json', (request) => {
    if (request.headers.authorization !== `Bearer ${secretKey}`) return refused('Invalid key', 401);
    const [, reference] = /^\/transaction\/verify\/([^/]+)$/.exec(request.path) ?? [];
    if (reference !== undefined) {
      const transaction = Object.hasOwn(transactions, reference) ? transactions[reference] : undefined;
      if (!transaction) return refused('Transaction reference not found');
      return ok('Verification successful', shown(reference, transaction));
    }
    return operations[`${request.method} ${request.path}`]?.(request) ?? refused('Route not found', 404);
  });

  return {
    ...api,
    variables: { PAYMENTS_BASE_URL: api.url, PAYMENTS_SECRET_KEY: secretKey },
    async handle(request, response) {
      request.resume();
      const url = new URL(request.url ?? '/', baseUrl);
      const accessCode = url.pathname.slice(PAY_PATH.length + 1);
      const [reference, transaction] =
        Object.entries(transactions).find(([, each]) => accessCode !== '' && each.accessCode === accessCode) ?? [];
      if (!reference || !transaction) {
        response.writeHead(404, { 'content-type': 'text/plain' }).end('There is no such payment.');
        return;
      }
      if (request.method !== 'POST') {
        response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(paymentPage(transaction));
        return;
      }
      // As when somebody pays another amount than was asked for.
      const paid = Number(url.searchParams.get('amount'));
      if (paid > 0 && transaction.status !== 'success') transaction.amount = paid;
      attempt(transaction);
      await tell(reference, transaction);
      if (request.headers.accept?.includes('text/html')) {
        const back = new URL(transaction.returnTo);
        back.searchParams.set('reference', reference);
        response.writeHead(303, { location: back.href }).end();
        return;
      }
      const status = transaction.status === 'success' ? 'SUCCEEDED' : 'FAILED';
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ status }));
    },
  };
}
