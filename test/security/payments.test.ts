import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { buyAiCredits } from '../../contract/ai/management.ts';
import { AUTO_TOP_UP_LIMITS, NEW_CARD } from '../../contract/billing/card-payments.ts';
import { payInvoice } from '../../contract/billing/invoices.ts';
import { createSubscription } from '../../contract/billing/subscriptions.ts';
import { createTopUp, getAutoTopUp, setAutoTopUp } from '../../contract/billing/top-ups.ts';
import { getWallet } from '../../contract/billing/wallet.ts';
import { orderDomain } from '../../contract/registrar/orders.ts';
import { createPayments } from '../../providers/payments/paystack.ts';
import { registrant, uniqueDomain } from '../support/domains.ts';
import { codeOf, local, newAccount, type OpenedAccount, raw, secretOf } from '../support/harness.ts';
import { keptKey } from '../support/platform-key.ts';

const post = async (url: string) => (await fetch(url, { method: 'POST' })).json();
const walletOf = async (account: OpenedAccount) => (await account.call(getWallet)).body.data;

/** Pays into the wallet by card. Returns the address of the payment's page. */
async function payIn(account: OpenedAccount, amount: string): Promise<string> {
  const { paymentUrl } = (await account.dashboard.call(createTopUp, { body: { amount } })).body.data;
  expect(await post(paymentUrl)).toEqual({ status: 'SUCCEEDED' });
  return paymentUrl;
}

const buyCredits = (account: OpenedAccount, amount: string) =>
  account.dashboard.call(buyAiCredits, { body: { amount } });
const buyPlan = (account: OpenedAccount, plan = 'app-10') =>
  account.dashboard.call(createSubscription, { body: { plan, billingCycle: 'MONTHLY' } });

describe('a disputed card payment', () => {
  test.concurrent('cannot be spent, and can when the dispute is won', async () => {
    const account = await newAccount();
    const page = await payIn(account, '600.00');
    expect(await post(`${page}/dispute`)).toEqual({ disputeId: expect.any(String) });
    expect(await walletOf(account)).toMatchObject({ balance: '600.00', frozen: '600.00' });
    for (const refused of [await buyCredits(account, '10.00'), await buyPlan(account)]) {
      expect([refused.status, codeOf(refused)]).toEqual([402, 'insufficient_funds']);
      expect(refused.error?.message).toContain('R600.00 of the wallet is frozen');
    }
    // The card is not charged automatically either.
    expect((await account.dashboard.call(getAutoTopUp)).body.data.card).toBeNull();
    await post(`${page}/dispute-won`);
    const wallet = await walletOf(account);
    expect([wallet.balance, wallet.frozen]).toEqual(['600.00', undefined]);
    expect((await buyCredits(account, '600.00')).status).toBe(201);
  });

  test.concurrent('is owed when it is lost after it was spent', async () => {
    const account = await newAccount();
    const page = await payIn(account, '600.00');
    expect((await buyCredits(account, '500.00')).status).toBe(201);
    await post(`${page}/dispute`);
    await post(`${page}/dispute-lost`);
    const { balance, transactions } = await walletOf(account);
    expect([balance, transactions[0]]).toMatchObject(['-500.00', { type: 'ADJUSTMENT', amount: '-600.00' }]);
    await payIn(account, '505.00');
    expect(codeOf(await buyCredits(account, '10.00'))).toBe('insufficient_funds');
  });

  test('counts only when the payment processor reports it', async () => {
    const account = await newAccount();
    const page = await payIn(account, '50.00');
    const { disputeId } = (await post(`${page}/dispute`)) as { disputeId: string };
    // The processor's list has it too, for disputes of which no callback tells.
    const { PAYMENTS_BASE_URL = '' } = local.environment;
    const provider = createPayments(PAYMENTS_BASE_URL, keptKey(secretOf('PAYMENTS_SECRET_NAME')));
    const listed = () => provider.listDisputes(new Date(0));
    expect(await listed()).toContainEqual({ id: disputeId, status: 'OPEN' });
    await post(`${page}/dispute-won`);
    expect(await listed()).toContainEqual({ id: disputeId, status: 'WON' });
    const send = (secret: string) => {
      const data = { id: Number(disputeId), status: 'resolved', resolution: 'merchant-accepted' };
      const body = JSON.stringify({ event: 'charge.dispute.resolve', data });
      const signature = createHmac('sha512', secret).update(body).digest('hex');
      return raw('/hooks/payments', { method: 'POST', body, headers: { 'x-paystack-signature': signature } });
    };
    expect((await send('sk_live_guessed')).status).toBe(401);
    // Genuine, but not what the processor says when it is asked.
    expect((await send(secretOf('PAYMENTS_SECRET_NAME'))).status).toBe(200);
    expect((await walletOf(account)).balance).toBe('50.00');
  });
});

describe('money of a card that is new to the account', () => {
  const { allowanceRand } = NEW_CARD;

  test.concurrent('buys a domain and credits at once, as long as they are small', async () => {
    const account = await newAccount();
    await payIn(account, '1000.00');
    const order = await account.call(orderDomain, { body: { domain: uniqueDomain(), registrant } });
    expect([order.status, order.body.data.invoice.status]).toEqual([201, 'PAID']);
    expect((await buyCredits(account, '500.00')).status).toBe(201);
  });

  test.concurrent('buys no large amount of credits in the first hour, and the refusal names the time', async () => {
    const account = await newAccount();
    await payIn(account, `${allowanceRand * 2}.00`);
    const refused = await buyCredits(account, `${allowanceRand + 1}.00`);
    expect([refused.status, codeOf(refused)]).toEqual([402, 'insufficient_funds']);
    const [, until = ''] = /available from (\S+ \S+ UTC),/.exec(refused.error?.message ?? '') ?? [];
    const wait = Date.parse(until) - Date.now();
    expect(wait).toBeGreaterThan(NEW_CARD.holdMs / 2);
    // It names the next minute.
    expect(wait).toBeLessThanOrEqual(NEW_CARD.holdMs + 60_000);
    expect((await buyCredits(account, `${allowanceRand}.00`)).status).toBe(201);
    expect(codeOf(await buyCredits(account, '10.00'))).toBe('insufficient_funds');
    // An order that the wallet cannot pay is not refused: it waits for the end of the hold.
    const order = await account.call(orderDomain, { body: { domain: uniqueDomain(), registrant } });
    expect([order.status, order.body.data.invoice.status]).toEqual([201, 'UNPAID']);
  });

  test.concurrent('buys as much of them after a plan as the refusal says, and no more', async () => {
    const account = await newAccount();
    await payIn(account, `${allowanceRand + 1000}.00`);
    expect((await buyPlan(account)).status).toBe(201);
    const { balance } = await walletOf(account);
    const available = (Number(balance) - 1000).toFixed(2);
    const sentence = (now: string, later: string) =>
      `R${now} of the wallet can buy domains and AI credits now. The other R${later} is available from `;
    expect((await buyCredits(account, balance)).error?.message).toContain(sentence(available, '1000.00'));
    expect((await buyCredits(account, available)).status).toBe(201);
    expect((await buyCredits(account, '10.00')).error?.message).toContain(sentence('0.00', '1000.00'));
    // What a plan takes of the withheld money does not become available.
    expect((await buyPlan(account, 'app-3')).status).toBe(201);
    const rest = (await walletOf(account)).balance;
    const order = await account.call(orderDomain, { body: { domain: uniqueDomain(), registrant } });
    const { id, status } = order.body.data.invoice;
    const paid = await account.dashboard.call(payInvoice, { params: { id } });
    expect([status, paid.status, paid.error?.message]).toEqual([
      'UNPAID',
      402,
      expect.stringContaining(sentence('0.00', rest)),
    ]);
  });
});

test('an automatic top-up of less than R10 is refused', async () => {
  const account = await newAccount();
  const set = (amount: string) =>
    account.dashboard.call(setAutoTopUp, { body: { enabled: true, threshold: '100000.00', amount } });
  const refused = await set(`${AUTO_TOP_UP_LIMITS.minAmountRand - 1}.99`);
  expect([refused.status, codeOf(refused)]).toEqual([400, 'invalid_request']);
  expect(refused.error?.message).toBe('amount: must be at least 10.00');
  expect((await set('10.00')).status).toBe(200);
});
