import { describe, expect, test } from 'vitest';
import { AUTO_TOP_UP_LIMITS, NEW_CARD } from '../../contract/billing/card-payments.ts';
import { PaymentProviderError, type Payments } from '../../providers/payments/payments.ts';
import { AccountDeletion } from '../../table/entities/account-data.ts';
import { Account } from '../../table/entities/accounts.ts';
import { Invoice, TopUp } from '../../table/entities/billing.ts';
import { SwitchState } from '../../table/entities/switches.ts';
import { change, create } from '../../table/writes.ts';
import { expectLedgerInvariants } from '../../test/simulation/billing.ts';
import { CARD, cardSimulation, RAND } from '../../test/simulation/card-payments.ts';
import { createBudget } from '../sweep/budget.ts';
import { sweep } from '../sweep/sweep.ts';
import { adjustAccount } from './adjustments.ts';
import { considerAutoTopUp } from './auto-top-up.ts';
import { issueInvoice, payInvoice } from './invoices.ts';
import { topUpQueue } from './top-up-queue.ts';
import { chargeTopUp, FIRST_CHECK_DELAY_MS, newTopUp, PAYMENT_PAGE_LIFETIME_MS, topUpId } from './top-ups.ts';
import { payUnpaidInvoices } from './unpaid-invoices.ts';
import { readNothing, withWallet } from './wallet.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const UNPAID = { amountCents: 100 * RAND, card: undefined, signature: undefined };

/** Begins an automatic top-up whose charge got no response, so that the card may have been charged. The provider then recovers. */
async function withUnansweredTopUp() {
  const run = await cardSimulation();
  await run.setAccount({ card: CARD });
  await run.settings('100.00');
  run.provider.isAway = true;
  await run.topUpAutomatically();
  run.provider.isAway = false;
  return run;
}

describe('an automatic top-up charges only what is currently enabled', () => {
  test.each<[string, (of: Awaited<ReturnType<typeof cardSimulation>>) => Promise<unknown>]>([
    ['was switched off', ({ settings }) => settings('100.00', { enabled: false })],
    ['got another amount', ({ settings }) => settings('20.00')],
    [
      'lost its card',
      ({ deps, accountId }) => deps.table.write(Account, change(Account, { id: accountId }, { remove: ['card'] })),
    ],
    [
      'was left with a suspended account',
      ({ setAccount }) => setAccount({ suspension: { reason: 'Stolen card.', since: '' } }),
    ],
    [
      'was left with an account that will be deleted',
      ({ setAccount }) => setAccount({ deletion: { requestedAt: '', endsAt: '' } }),
    ],
    [
      'was switched off by operators',
      ({ deps }) =>
        deps.table.transact([
          create(SwitchState, { off: { 'top-ups': { message: 'Back soon.', since: '' } }, version: 1 }),
        ]),
    ],
  ])('does not charge the card after it %s while the processor was unavailable', async (_what, changeSettings) => {
    const run = await cardSimulation();
    const { provider, charged, memory, clock } = run;
    await run.setAccount({ card: CARD });
    await run.settings('100.00');
    provider.isAway = true;
    await run.topUpAutomatically();
    expect((await run.account()).autoTopUpId).toBeDefined();
    await changeSettings(run);
    provider.isAway = false;
    clock.now += 5 * MINUTE;
    await run.reconcile();
    clock.now += DAY;
    await run.reconcile();
    expect(charged).toEqual([]);
    const { autoTopUpId, noAutoTopUpBefore, walletCents } = await run.account();
    expect([autoTopUpId, noAutoTopUpBefore, walletCents]).toEqual([undefined, undefined, 0]);
    expect(memory.items('EVENT')).toEqual([]);
  });

  test('a cancelled top-up that the payment provider may have received counts towards the daily limits', async () => {
    const run = await cardSimulation();
    await run.setAccount({ card: CARD });
    await run.settings('100.00');
    await considerAutoTopUp(run.deps, run.accountId);
    const { autoTopUpId = '' } = await run.account();
    const charge = () => Promise.reject(new PaymentProviderError('cut off'));
    await chargeTopUp({ ...run.deps, payments: { ...run.deps.payments, charge } }, autoTopUpId);
    await run.settings('100.00', { enabled: false });
    run.clock.now += 5 * MINUTE;
    await run.reconcile();
    const account = await run.account();
    expect([account.autoTopUpId, account.autoTopUpHistory?.length]).toEqual([undefined, 1]);
  });

  test('the new amount is charged when the amount was changed, once', async () => {
    const run = await cardSimulation();
    await run.setAccount({ card: CARD });
    await run.settings('100.00');
    run.provider.isAway = true;
    await run.topUpAutomatically();
    await run.settings('80.00');
    run.provider.isAway = false;
    run.clock.now += 5 * MINUTE;
    await run.reconcile();
    await run.topUpAutomatically();
    await run.topUpAutomatically();
    expect(run.charged).toEqual([80 * RAND]);
  });

  test('an amount that the payment provider received before automatic top-ups were disabled is credited', async () => {
    const run = await withUnansweredTopUp();
    const { autoTopUpId = '' } = await run.account();
    await run.deps.payments.charge({ ...CARD, reference: autoTopUpId.replace('_', '-'), amountCents: 100 * RAND });
    await run.settings('100.00', { enabled: false });
    run.clock.now += 5 * MINUTE;
    await run.reconcile();
    expect((await run.account()).walletCents).toBe(100 * RAND);
  });
});

test('a saved card that the payment provider refuses ends the top-up, and the next card is charged', async () => {
  const run = await cardSimulation();
  await run.setAccount({ card: CARD });
  await run.settings('100.00');
  run.provider.refusesCards = true;
  await run.topUpAutomatically();
  const { autoTopUpId, noAutoTopUpBefore } = await run.account();
  expect([autoTopUpId, noAutoTopUpBefore]).toEqual([undefined, expect.any(String)]);
  expect(run.memory.items('EVENT').map(({ type }) => type)).toEqual(['payment.failed']);
  expect(run.memory.items('TOP_UP').map(({ status }) => status)).toEqual(['FAILED']);
  run.provider.refusesCards = false;
  run.clock.now += DAY + MINUTE;
  await run.topUpAutomatically();
  expect(run.charged).toEqual([100 * RAND]);
});

test('a card that was declined is charged again a day later, without any other change of the account', async () => {
  const run = await cardSimulation();
  await run.setAccount({ card: CARD });
  await run.settings('100.00');
  run.provider.refusesCards = true;
  await run.topUpAutomatically();
  run.provider.refusesCards = false;
  // The stream considers the account after the end of its top-up.
  await considerAutoTopUp(run.deps, run.accountId);
  for (let hour = 0; hour < 23; hour += 1) {
    run.clock.now += 60 * MINUTE;
    await run.reconcile();
  }
  expect((await run.account()).autoTopUpId).toBeUndefined();
  expect(run.charged).toEqual([]);
  run.clock.now += 60 * MINUTE;
  await run.reconcile();
  const { autoTopUpId = '' } = await run.account();
  await chargeTopUp(run.deps, autoTopUpId);
  expect(run.charged).toEqual([100 * RAND]);
  expect((await run.account()).walletCents).toBe(100 * RAND);
});

test('an open payment page charges no saved card, and its payment leaves a running automatic top-up alone', async () => {
  const run = await cardSimulation();
  const topUp = newTopUp(run.deps, { accountId: run.accountId, amountCents: 500 * RAND, automatic: false });
  await run.deps.table.transact([create(TopUp, topUp)]);
  await run.setAccount({ card: CARD });
  await chargeTopUp(run.deps, topUp.id);
  expect(run.charged).toEqual([]);
  await run.settings('100.00');
  await considerAutoTopUp(run.deps, run.accountId);
  const { autoTopUpId } = await run.account();
  await run.payIn(1);
  expect(autoTopUpId).toBeDefined();
  expect(await run.account()).toMatchObject({ autoTopUpId, walletCents: RAND });
});

test('a declined payment on a page neither pauses automatic top-ups nor ends the running one', async () => {
  const run = await cardSimulation();
  await run.setAccount({ card: CARD });
  await run.settings('100.00');
  await considerAutoTopUp(run.deps, run.accountId);
  const topUp = newTopUp(run.deps, { accountId: run.accountId, amountCents: 500 * RAND, automatic: false });
  await run.deps.table.transact([create(TopUp, topUp)]);
  const find: Payments['find'] = async () => ({ ...UNPAID, status: 'FAILED' });
  await chargeTopUp({ ...run.deps, payments: { ...run.deps.payments, find } }, topUp.id);
  expect(run.memory.items('EVENT').map(({ type }) => type)).toEqual(['payment.failed']);
  expect(await run.account()).toMatchObject({ autoTopUpId: expect.any(String) });
  expect((await run.account()).noAutoTopUpBefore).toBeUndefined();
});

test('a payment with another card ends the pause after a declined one', async () => {
  const run = await cardSimulation();
  await run.setAccount({ card: CARD, noAutoTopUpBefore: new Date(run.clock.now + DAY).toISOString() });
  await run.settings('100.00');
  await run.payIn(1);
  await run.topUpAutomatically();
  expect(run.charged).toEqual([100 * RAND]);
});

test('of a declined automatic top-up that two checks find at once, the owner gets one event', async () => {
  const run = await withUnansweredTopUp();
  const { autoTopUpId = '' } = await run.account();
  run.provider.refusesCards = true;
  let isFirst = true;
  const commit: typeof run.deps.commit = async (...args) => {
    if (isFirst) await chargeTopUp(run.deps, autoTopUpId);
    isFirst = false;
    return await run.deps.commit(...args);
  };
  await chargeTopUp({ ...run.deps, commit }, autoTopUpId);
  expect(run.memory.items('EVENT').map(({ type }) => type)).toEqual(['payment.failed']);
});

test('a payment whose two callbacks are processed at once is credited once', async () => {
  const run = await cardSimulation();
  const reference = await run.payIn(500, 'SIG_1', { callback: false });
  const find: Payments['find'] = async (of) => {
    await chargeTopUp(run.deps, topUpId(reference));
    return await run.deps.payments.find(of);
  };
  await chargeTopUp({ ...run.deps, payments: { ...run.deps.payments, find } }, topUpId(reference));
  expect((await run.account()).walletCents).toBe(500 * RAND);
});

test('a payment page that was never paid on ends without an event', async () => {
  const run = await cardSimulation();
  const topUp = newTopUp(run.deps, { accountId: run.accountId, amountCents: 500 * RAND, automatic: false });
  await run.deps.table.transact([create(TopUp, topUp)]);
  run.clock.now += DAY + MINUTE;
  await run.reconcile();
  expect(run.memory.items('TOP_UP').map(({ status }) => status)).toEqual(['FAILED']);
  expect(run.memory.items('EVENT')).toEqual([]);
});

test('an open payment is checked at growing intervals, and fails only when its page has expired', async () => {
  const run = await cardSimulation();
  const topUp = newTopUp(run.deps, { accountId: run.accountId, amountCents: 500 * RAND, automatic: false });
  await run.deps.table.transact([create(TopUp, topUp)]);
  const ages: number[] = [];
  const statuses: (string | undefined)[] = [];
  for (;;) {
    const { dueAt, status } = (await run.deps.table.get(TopUp, { id: topUp.id })) ?? {};
    statuses.push(status);
    if (dueAt === undefined) break;
    ages.push(Date.parse(dueAt) - Date.parse(topUp.createdAt));
    run.clock.now = Date.parse(dueAt);
    await run.reconcile();
  }
  expect(ages).toEqual(ages.map((_, index) => FIRST_CHECK_DELAY_MS * 2 ** index));
  expect(ages.findIndex((age) => age >= PAYMENT_PAGE_LIFETIME_MS)).toBe(ages.length - 1);
  expect(statuses).toEqual([...ages.map(() => 'PENDING'), 'FAILED']);
});

test('a payment that succeeds while its next check is scheduled stays due at the end of its hold', async () => {
  const run = await cardSimulation();
  const topUp = newTopUp(run.deps, { accountId: run.accountId, amountCents: 500 * RAND, automatic: false });
  await run.deps.table.transact([create(TopUp, topUp)]);
  run.clock.now += MINUTE;
  const { table } = run.deps;
  const write: typeof table.write = async (...args) => {
    await run.deps.payments.charge({ ...CARD, reference: topUp.id.replace('_', '-'), amountCents: 500 * RAND });
    await chargeTopUp(run.deps, topUp.id);
    return await table.write(...args);
  };
  await topUpQueue.act({ ...run.deps, table: { ...table, write } }, topUp, {
    duePk: 'TOP_UP',
    dueAt: '',
    pk: '',
    sk: '',
  });
  const dueAt = new Date(run.clock.now + NEW_CARD.holdMs).toISOString();
  expect(await table.get(TopUp, { id: topUp.id })).toMatchObject({ status: 'SUCCEEDED', dueAt });
});

test('an automatic top-up that the payment provider has not decided after a day has failed, with an event', async () => {
  const run = await cardSimulation();
  await run.setAccount({ card: CARD });
  await run.settings('100.00');
  const find: Payments['find'] = async () => ({ ...UNPAID, status: 'OPEN' });
  await considerAutoTopUp(run.deps, run.accountId);
  const { autoTopUpId = '' } = await run.account();
  run.clock.now += DAY;
  await chargeTopUp({ ...run.deps, payments: { ...run.deps.payments, find } }, autoTopUpId);
  expect(run.memory.items('EVENT').map(({ type }) => type)).toEqual(['payment.failed']);
  expect(await run.account()).toMatchObject({ noAutoTopUpBefore: expect.any(String) });
});

test('a card that is refused at a check is checked once more, a day later', async () => {
  const run = await withUnansweredTopUp();
  run.provider.refusesCards = true;
  run.clock.now += MINUTE;
  await run.reconcile();
  const dueAt = new Date(run.clock.now + DAY).toISOString();
  expect(run.memory.items('TOP_UP')).toEqual([expect.objectContaining({ status: 'FAILED', dueAt })]);
  run.clock.now += DAY;
  await run.reconcile();
  expect(run.memory.items('TOP_UP').map((topUp) => topUp.dueAt)).toEqual([undefined]);
});

test("an account with many open payment pages does not delay another account's payment whose callback was lost", async () => {
  const run = await cardSimulation();
  const { deps, accountId, clock } = run;
  const other = await run.open(0);
  for (let count = 0; count < 150; count += 1) {
    const topUp = newTopUp(deps, { accountId: other, amountCents: RAND, automatic: false });
    await deps.table.transact([create(TopUp, topUp)]);
  }
  clock.now += 1000;
  await run.payIn(500, 'SIG_1', { callback: false });
  clock.now += MINUTE;
  const find: Payments['find'] = async (reference) => {
    clock.now += 300;
    return await deps.payments.find(reference);
  };
  const budget = createBudget(deps, 5000);
  await sweep({ ...deps, payments: { ...deps.payments, find } }, topUpQueue, { budget });
  expect((await deps.table.get(Account, { id: accountId }))?.walletCents).toBe(500 * RAND);
});

describe('automatic top-ups are limited', () => {
  test('by number: an unreachable threshold charges the card ten times in any 24 hours', async () => {
    const run = await cardSimulation();
    await run.setAccount({ card: CARD });
    await run.settings('10.00', { threshold: '100000.00' });
    const { maxPerDay } = AUTO_TOP_UP_LIMITS;
    for (let turn = 0; turn < maxPerDay + 5; turn += 1) {
      run.clock.now += MINUTE;
      await run.topUpAutomatically();
    }
    expect(run.charged).toHaveLength(maxPerDay);
    run.clock.now += DAY - 6 * MINUTE;
    await run.topUpAutomatically();
    expect(run.charged).toHaveLength(maxPerDay + 1);
    expectLedgerInvariants(run.memory);
  });

  test('by sum: no more than R100,000 in any 24 hours', async () => {
    const run = await cardSimulation();
    await run.setAccount({ card: CARD });
    await run.settings('60000.00', { threshold: '100000.00' });
    await run.topUpAutomatically();
    await run.topUpAutomatically();
    expect(run.charged).toEqual([60_000 * RAND]);
  });

  test('from below: settings of less than R10 that an earlier version stored charge nothing', async () => {
    const run = await cardSimulation();
    await run.setAccount({ card: CARD, autoTopUp: { enabled: true, thresholdCents: 10_000_000, amountCents: RAND } });
    await run.topUpAutomatically();
    expect(run.charged).toEqual([]);
  });
});

test.each(['RUNNING', 'DELETED'] as const)(
  'a payment that arrives while the deletion of its account is %s is refunded, and its card not kept',
  async (status) => {
    const run = await cardSimulation();
    const { deps, accountId, clock } = run;
    const at = new Date(clock.now).toISOString();
    const deletion: AccountDeletion = { accountId, status, requestedAt: at, endsAt: at, refundCents: 3000 };
    await deps.table.transact([create(AccountDeletion, deletion)]);
    await run.payIn(500);
    // The end of the deletion records the whole balance.
    const refundCents = status === 'RUNNING' ? 3000 : 3000 + 500 * RAND;
    expect(await deps.table.get(AccountDeletion, { accountId })).toMatchObject({ status, refundCents });
    expect(await run.account()).toMatchObject({ walletCents: 500 * RAND });
    expect(await run.account()).not.toHaveProperty('card');
    expect(run.memory.items('KNOWN_CARD')).toEqual([]);
    expectLedgerInvariants(run.memory);
  },
);

test('a payment that arrives in the grace period of a deletion is held and recorded like any other', async () => {
  const run = await cardSimulation();
  const { deps, accountId, clock } = run;
  const at = new Date(clock.now).toISOString();
  await deps.table.transact([create(AccountDeletion, { accountId, status: 'GRACE', requestedAt: at, endsAt: at })]);
  await run.payIn(500);
  const newCardHolds = [{ amountCents: 500 * RAND, until: expect.any(String) }];
  expect(await run.account()).toMatchObject({ walletCents: 500 * RAND, newCardHolds, card: CARD });
  expect(run.memory.items('KNOWN_CARD')).toHaveLength(1);
});

test.each(['GRACE', 'RUNNING'] as const)(
  'a payment is refunded if the deletion of its account, which is %s when it is read, ends before it is credited',
  async (status) => {
    const run = await cardSimulation();
    const { deps, accountId, clock } = run;
    const at = new Date(clock.now).toISOString();
    const deletion: AccountDeletion = { accountId, status, requestedAt: at, endsAt: at, refundCents: 0 };
    await deps.table.transact([create(AccountDeletion, deletion)]);
    const { commit } = deps;
    deps.commit = async (...args) => {
      deps.commit = commit;
      await deps.table.write(AccountDeletion, change(AccountDeletion, { accountId }, { set: { status: 'DELETED' } }));
      return await commit(...args);
    };
    await run.payIn(500);
    expect(await deps.table.get(AccountDeletion, { accountId })).toMatchObject({ refundCents: 500 * RAND });
    expect(await run.account()).not.toHaveProperty('card');
    expect(run.memory.items('KNOWN_CARD')).toEqual([]);
    expectLedgerInvariants(run.memory);
  },
);

test.each([
  [-300, 200],
  [-700, 0],
])('a payment into a deleted account with a balance of R%i adds R%i to its refund', async (walletRand, refundRand) => {
  const run = await cardSimulation({ walletCents: 500 * RAND });
  const { deps, accountId, clock } = run;
  await withWallet(deps, accountId, readNothing, async (wallet) => {
    wallet.postChargeback((500 - walletRand) * RAND, 'Disputed card payment');
    await deps.commit(wallet.writes(), undefined);
  });
  const at = new Date(clock.now).toISOString();
  const deletion: AccountDeletion = { accountId, status: 'DELETED', requestedAt: at, endsAt: at, refundCents: 0 };
  await deps.table.transact([create(AccountDeletion, deletion)]);
  await run.payIn(500);
  expect(await deps.table.get(AccountDeletion, { accountId })).toMatchObject({ refundCents: refundRand * RAND });
});

test('money pays as many unpaid invoices as it covers, oldest first, even if one transaction cannot pay them all', async () => {
  const run = await cardSimulation();
  for (let count = 0; count < 45; count += 1)
    await withWallet(run.deps, run.accountId, readNothing, async (wallet) => {
      issueInvoice(run.deps, wallet, { kind: 'PLAN', lines: [run.line(10)] });
      await run.deps.commit(wallet.writes(), undefined);
    });
  await run.payIn(430);
  await payUnpaidInvoices(run.deps, run.accountId);
  const unpaid = run.memory.items('INVOICE').filter(({ status }) => status === 'UNPAID');
  expect(unpaid.map(({ number }) => number).sort()).toEqual(['INV-2026-000044', 'INV-2026-000045']);
  expectLedgerInvariants(run.memory);
});

describe('money of a card that is new to the account', () => {
  const { allowanceRand, holdMs } = NEW_CARD;

  test.each(['DOMAIN', 'AI_CREDITS'] as const)(
    'buys %s up to the allowance during the first hour, and everything else',
    async (kind) => {
      const run = await cardSimulation();
      await run.payIn(allowanceRand * 4);
      const [day, minute] = new Date(run.clock.now + holdMs).toISOString().split(/T|:00\.000Z/);
      await expect(run.buy(kind, allowanceRand + 1)).rejects.toMatchObject({
        code: 'insufficient_funds',
        status: 402,
        message: expect.stringContaining(`is available from ${day} ${minute} UTC`),
      });
      await expect(run.buy(kind, allowanceRand)).resolves.toBe('PAID');
      await expect(run.buy(kind, 1)).rejects.toMatchObject({ code: 'insufficient_funds' });
      await expect(run.buy('PLAN', allowanceRand)).resolves.toBe('PAID');
      run.clock.now += holdMs;
      await expect(run.buy(kind, allowanceRand * 2)).resolves.toBe('PAID');
    },
  );

  test('gets no larger allowance by many small payments or by paying an earlier invoice', async () => {
    const run = await cardSimulation();
    const invoice = await withWallet(run.deps, run.accountId, readNothing, async (wallet) => {
      const issued = issueInvoice(run.deps, wallet, { kind: 'DOMAIN', lines: [run.line(allowanceRand + 1)] });
      return await run.deps.commit(wallet.writes(), issued);
    });
    for (let payment = 0; payment < 8; payment += 1) await run.payIn(allowanceRand / 2);
    const pay = () =>
      withWallet(run.deps, run.accountId, readNothing, async (wallet) => {
        payInvoice(wallet, invoice);
        return await run.deps.commit(wallet.writes(), 'PAID');
      });
    await expect(pay()).rejects.toMatchObject({ code: 'insufficient_funds' });
    run.clock.now += holdMs;
    await expect(pay()).resolves.toBe('PAID');
  });

  test.each([true, false])(
    'pays what it did not pay at once when the first hour ends, each once (callback: %s)',
    async (callback) => {
      const run = await cardSimulation();
      const issue = (rand: number) =>
        withWallet(run.deps, run.accountId, readNothing, async (wallet) => {
          const issued = issueInvoice(run.deps, wallet, { kind: 'DOMAIN', lines: [run.line(rand)] });
          return await run.deps.commit(wallet.writes(), issued.id);
        });
      const ids = [await issue(allowanceRand + 1), await issue(allowanceRand + 2), await issue(allowanceRand * 9)];
      await run.payIn(allowanceRand * 3, 'SIG_1', { callback });
      run.clock.now += MINUTE;
      await run.reconcile();
      const statuses = async () => {
        const found = await Promise.all(ids.map((id) => run.deps.table.get(Invoice, { accountId: run.accountId, id })));
        return found.map((invoice) => invoice?.status);
      };
      await payUnpaidInvoices(run.deps, run.accountId);
      run.clock.now += holdMs - 2 * MINUTE;
      await run.reconcile();
      expect(await statuses()).toEqual(['UNPAID', 'UNPAID', 'UNPAID']);
      run.clock.now += 2 * MINUTE;
      for (let repetition = 0; repetition < 3; repetition += 1) await run.reconcile();
      // Invoices that the balance does not cover stay unpaid.
      expect(await statuses()).toEqual(['PAID', 'PAID', 'UNPAID']);
      expect((await run.account()).walletCents).toBe((allowanceRand - 3) * RAND);
      expect(run.memory.items('TOP_UP').map(({ status, dueAt }) => [status, dueAt])).toEqual([
        ['SUCCEEDED', undefined],
      ]);
      expectLedgerInvariants(run.memory);
    },
  );

  test('of a known card is not scheduled again', async () => {
    const run = await cardSimulation();
    await run.payIn(1);
    run.clock.now += holdMs;
    await run.reconcile();
    await run.payIn(allowanceRand * 2);
    expect(run.memory.items('TOP_UP').filter(({ dueAt }) => dueAt !== undefined)).toEqual([]);
  });

  test('is held per card: a card that has paid before is known, another is not', async () => {
    const run = await cardSimulation();
    await run.payIn(1, 'SIG_1');
    run.clock.now += holdMs;
    await run.payIn(allowanceRand + 1, 'SIG_1');
    await expect(run.buy('AI_CREDITS', allowanceRand + 1)).resolves.toBe('PAID');
    await run.payIn(allowanceRand + 1, 'SIG_2');
    await expect(run.buy('AI_CREDITS', allowanceRand + 2)).rejects.toMatchObject({ code: 'insufficient_funds' });
  });

  test('is not held if an operator has recorded the card', async () => {
    const run = await cardSimulation();
    const { deps, accountId } = run;
    const record = (of = accountId) =>
      adjustAccount({ ...deps, plans: async () => [] }, { accountId: of, knownCard: { signature: 'SIG_1' } });
    await record();
    await run.payIn(allowanceRand * 2, 'SIG_1');
    await expect(run.buy('AI_CREDITS', allowanceRand * 2)).resolves.toBe('PAID');
    await expect(record()).rejects.toMatchObject({ code: 'conflict' });
    await expect(record('acc_unknown')).rejects.toMatchObject({ code: 'not_found' });
  });

  test('does not affect money from other sources', async () => {
    const run = await cardSimulation({ walletCents: 20_000 * RAND });
    await run.payIn(allowanceRand * 2);
    await expect(run.buy('DOMAIN', 20_000)).resolves.toBe('PAID');
  });
});
