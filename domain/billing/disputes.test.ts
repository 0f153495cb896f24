import { describe, expect, test } from 'vitest';
import { billingRules } from '../../events/billing.ts';
import { consume } from '../../events/consume.ts';
import { PaymentsNotConfigured } from '../../providers/payments/payments.ts';
import { TopUp } from '../../table/entities/billing.ts';
import { create } from '../../table/writes.ts';
import { expectLedgerInvariants } from '../../test/simulation/billing.ts';
import { CARD, cardSimulation, RAND } from '../../test/simulation/card-payments.ts';
import { jobsOf } from '../../test/simulation/jobs.ts';
import { recoverDisputes } from './disputes.ts';
import { issueInvoice, issuePaidInvoice } from './invoices.ts';
import { receivePayment } from './payment-callbacks.ts';
import { newTopUp } from './top-ups.ts';
import { readNothing, withWallet } from './wallet.ts';

const MINUTE = 60_000;

describe('a dispute', () => {
  test('freezes its amount and stops automatic charges; a won dispute lifts the freeze', async () => {
    const run = await cardSimulation();
    const reference = await run.payIn(500);
    await run.settings('100.00', { threshold: '10000.00' });
    for (let repetition = 0; repetition < 3; repetition += 1) {
      expect((await run.tellDispute(reference, 500, 'OPEN')).output).toEqual({ data: { settled: true } });
    }
    await expect(run.buy('PLAN', 1)).rejects.toMatchObject({
      code: 'insufficient_funds',
      message: expect.stringContaining('R500.00 of the wallet is frozen'),
    });
    await run.topUpAutomatically();
    expect([run.charged, (await run.account()).card, (await run.account()).autoTopUp?.enabled]).toEqual([
      [],
      undefined,
      false,
    ]);
    for (let repetition = 0; repetition < 3; repetition += 1) await run.tellDispute(reference, 500, 'WON');
    await expect(run.buy('PLAN', 500)).resolves.toBe('PAID');
    expect(run.reported).toEqual(['OPEN', 'WON']);
    expectLedgerInvariants(run.memory);
  });

  test('is named with the amount that a top-up has to replace, whether or not the balance would be enough', async () => {
    const run = await cardSimulation({ walletCents: 100 * RAND });
    const reference = await run.payIn(500);
    await run.tellDispute(reference, 500, 'OPEN');
    const frozen = 'is missing while R500.00 of the wallet is frozen, because a card payment is disputed.';
    for (const [price, missing] of [
      [300, 200],
      [700, 600],
    ] as const) {
      const message = `Insufficient wallet balance: R${missing}.00 ${frozen} Top up first, or contact support.`;
      await expect(run.buy('PLAN', price)).rejects.toMatchObject({ code: 'insufficient_funds', message });
    }
    await run.payIn(200);
    await expect(run.buy('PLAN', 300)).resolves.toBe('PAID');
  });

  test('of spent money becomes a debt when it is lost, and new money pays the debt first', async () => {
    const run = await cardSimulation();
    const reference = await run.payIn(500);
    await run.buy('PLAN', 400);
    await run.tellDispute(reference, 500, 'LOST');
    expect([(await run.account()).walletCents, (await run.account()).frozenCents]).toEqual([-400 * RAND, 0]);
    await run.tellDispute(reference, 500, 'LOST');
    await run.payIn(450);
    await expect(run.buy('PLAN', 51)).rejects.toMatchObject({ code: 'insufficient_funds' });
    await expect(run.buy('PLAN', 50)).resolves.toBe('PAID');
    expect(run.reported).toEqual(['OPEN', 'LOST']);
    expectLedgerInvariants(run.memory);
  });

  test('that is partly lost deducts that part, and lifts the whole freeze', async () => {
    const run = await cardSimulation();
    const reference = await run.payIn(1000);
    await run.tellDispute(reference, 1000, 'OPEN');
    expect((await run.account()).frozenCents).toBe(1000 * RAND);
    await run.tellDispute(reference, 200, 'LOST');
    const { walletCents, frozenCents } = await run.account();
    expect([walletCents, frozenCents]).toEqual([800 * RAND, 0]);
    expect(run.memory.items('DISPUTE').map(({ amountCents }) => amountCents)).toEqual([200 * RAND]);
    expectLedgerInvariants(run.memory);
  });

  test('freezes its own amount: another one that ends lifts its own freeze only', async () => {
    const run = await cardSimulation();
    const [first, second] = [await run.payIn(500), await run.payIn(300)];
    await run.tellDispute(first, 500, 'OPEN', '77');
    await run.tellDispute(second, 300, 'OPEN', '78');
    expect((await run.account()).frozenCents).toBe(800 * RAND);
    await run.tellDispute(first, 500, 'WON', '77');
    expect((await run.account()).frozenCents).toBe(300 * RAND);
  });

  test('that two callbacks close at once lifts one freeze, even if another one of the same amount has begun since', async () => {
    const run = await cardSimulation();
    const [first, second] = [await run.payIn(500), await run.payIn(500)];
    await run.tellDispute(first, 500, 'OPEN', '77');
    const { deps } = run;
    const { commit } = deps;
    deps.commit = async (...args) => {
      deps.commit = commit;
      await run.tellDispute(first, 500, 'WON', '77');
      await run.tellDispute(second, 500, 'OPEN', '78');
      return await commit(...args);
    };
    await run.tellDispute(first, 500, 'WON', '77');
    expect((await run.account()).frozenCents).toBe(500 * RAND);
    expect(run.reported).toEqual(['OPEN', 'WON', 'OPEN']);
  });

  test('that arrives between the read and the write of a purchase stops the purchase', async () => {
    const run = await cardSimulation();
    const reference = await run.payIn(500);
    let isFirst = true;
    const purchase = withWallet(run.deps, run.accountId, readNothing, async (wallet) => {
      if (isFirst) {
        isFirst = false;
        await run.tellDispute(reference, 500, 'OPEN');
      }
      issuePaidInvoice(run.deps, wallet, { kind: 'PLAN', lines: [run.line(100)] });
      return await run.deps.commit(wallet.writes(), undefined);
    });
    await expect(purchase).rejects.toMatchObject({ code: 'insufficient_funds' });
  });

  test.each([
    ['WON', 1000],
    ['LOST', 200],
  ] as const)('that ends as %s pays the invoices that its freeze left unpaid', async (status, rand) => {
    const run = await cardSimulation();
    const reference = await run.payIn(1000);
    await run.tellDispute(reference, 1000, 'OPEN');
    await withWallet(run.deps, run.accountId, readNothing, async (wallet) => {
      issueInvoice(run.deps, wallet, { kind: 'PLAN', lines: [run.line(300)] });
      await run.deps.commit(wallet.writes(), undefined);
    });
    const from = run.memory.records.length;
    await run.tellDispute(reference, rand, status);
    await consume(billingRules({ ...run.deps, ...jobsOf(run.deps) }))({ Records: run.memory.records.slice(from) });
    expect(run.memory.items('INVOICE')).toMatchObject([{ status: 'PAID' }]);
    expectLedgerInvariants(run.memory);
  });

  test.each([
    ['has frozen the balance', 1000, 500],
    ['has frozen more than the balance and the top-up', 0, undefined],
  ])('that %s starts an automatic top-up if that can be spent', async (_what, walletRand, charged) => {
    const run = await cardSimulation();
    const reference = await run.payIn(1000);
    if (walletRand === 0) await run.buy('PLAN', 1000);
    await run.settings('500.00');
    await run.tellDispute(reference, 1000, 'OPEN');
    // The owner enables it again with another card.
    await run.settings('500.00');
    const from = run.memory.records.length;
    await run.setAccount({ card: CARD });
    await consume(billingRules({ ...run.deps, ...jobsOf(run.deps) }))({ Records: run.memory.records.slice(from) });
    const started = run.memory.items('TOP_UP').filter(({ automatic }) => automatic);
    expect(started).toMatchObject(charged === undefined ? [] : [{ amountCents: charged * RAND }]);
  });

  test('that freezes the balance is considered for an automatic top-up', async () => {
    const run = await cardSimulation({ walletCents: 1000 * RAND });
    await run.settings('500.00');
    await run.setAccount({ card: CARD });
    const from = run.memory.records.length;
    await run.setAccount({ frozenCents: 1000 * RAND });
    await consume(billingRules({ ...run.deps, ...jobsOf(run.deps) }))({ Records: run.memory.records.slice(from) });
    expect(run.memory.items('TOP_UP')).toHaveLength(1);
  });

  test('whose callback was lost is found within an hour, and closed when the provider has closed it', async () => {
    const run = await cardSimulation();
    const [first, second] = [await run.payIn(500), await run.payIn(300)];
    run.disputeSilently(first, 500, 'OPEN', '77');
    const hour = async () => {
      const found = [];
      for (let minute = 0; minute < 60; minute += 1) {
        run.clock.now += MINUTE;
        const compared = await recoverDisputes(run.deps);
        if (compared) found.push(compared);
      }
      return found;
    };
    expect(await hour()).toMatchObject([{ recovered: [{ id: '77', status: 'OPEN' }], failed: [] }]);
    expect((await run.account()).frozenCents).toBe(500 * RAND);
    expect(await hour()).toMatchObject([{ recovered: [], failed: [] }]);
    run.provider.isAway = true;
    expect(await hour()).toMatchObject([{ recovered: [], failed: [{ message: 'away' }] }]);
    run.provider.isAway = false;
    run.disputeSilently('of-another-shop', 10, 'OPEN', '76');
    run.disputeSilently(first, 500, 'WON', '77');
    run.disputeSilently(first, 500, 'OPEN', '78');
    run.disputeSilently(second, 300, 'LOST', '79');
    run.unreadable.id = '78';
    expect(await hour()).toMatchObject([
      {
        recovered: [
          { id: '77', status: 'WON' },
          { id: '79', status: 'LOST' },
        ],
        failed: [{ message: 'unreadable' }],
      },
    ]);
    expect(await hour()).toMatchObject([{ recovered: [], failed: [{ message: 'unreadable' }] }]);
    expect([(await run.account()).walletCents, (await run.account()).frozenCents]).toEqual([500 * RAND, 0]);
    expect(run.reported).toEqual(['OPEN', 'WON', 'OPEN', 'LOST']);
    expectLedgerInvariants(run.memory);
  });

  test('is never looked up while card payments are not set up', async () => {
    const run = await cardSimulation();
    const listDisputes = async () => {
      throw new PaymentsNotConfigured('no key');
    };
    run.clock.now -= run.clock.now % (60 * MINUTE);
    const deps = { ...run.deps, payments: { ...run.deps.payments, listDisputes } };
    expect(await recoverDisputes(deps)).toEqual({ recovered: [], failed: [] });
  });

  test('about a payment of no account, or one that did not succeed, changes nothing', async () => {
    const run = await cardSimulation();
    expect((await run.tellDispute('pay-unknown', 500, 'OPEN')).output).toEqual({ data: { settled: false } });
    expect((await receivePayment(run.deps, { disputeId: '404' })).output).toEqual({ data: { settled: false } });
    const open = newTopUp(run.deps, { accountId: run.accountId, amountCents: 500 * RAND, automatic: false });
    await run.deps.table.transact([create(TopUp, open)]);
    expect((await run.tellDispute(open.id.replace('_', '-'), 500, 'OPEN')).output).toEqual({
      data: { settled: false },
    });
    expect(run.reported).toEqual([]);
  });
});
