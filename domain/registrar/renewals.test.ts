import { expect, test } from 'vitest';
import { AccountDeletion } from '../../table/entities/account-data.ts';
import { Account } from '../../table/entities/accounts.ts';
import { change, create } from '../../table/writes.ts';
import { expectLedgerInvariants } from '../../test/simulation/billing.ts';
import { CARD } from '../../test/simulation/card-payments.ts';
import { type RegistrarSimulation, registrarSimulation, withoutFaults } from '../../test/simulation/registrar.ts';
import { cancelInvoice, invoiceQueue } from '../billing/unpaid-invoices.ts';
import type { Deps } from '../deps.ts';
import { incidentOfExpiry } from '../processes/incidents.ts';
import { sweep } from '../sweep/sweep.ts';
import { updateDomain } from './auto-renew.ts';
import { advanceDomain } from './lifecycle.ts';
import { addYears, lifecycleTimes } from './schedule.ts';

const DAY = 86_400_000;

/** Advances by days and runs each day's jobs. */
async function days(run: RegistrarSimulation, count: number): Promise<void> {
  const until = run.clock.now + count * DAY;
  while (run.clock.now < until) {
    run.clock.now += DAY / 2;
    for (let step = 0; step < 8; step += 1) await run.step();
    await sweep(run.steady, invoiceQueue);
  }
  await run.runUntilIdle();
}

async function opened(cents: number, years = 1, faults = withoutFaults()) {
  const run = registrarSimulation(faults);
  const account = await run.open(cents);
  await run.order(account, 'shop.co.za', years);
  await run.runUntilIdle();
  const domain = () => {
    const [found] = run.domains();
    if (!found) throw new Error('no domain');
    return found;
  };
  return { run, account, domain, first: domain().expiresAt ?? '' };
}
const statuses = (run: RegistrarSimulation) =>
  run
    .invoices()
    .map(({ status }) => status)
    .sort();
const renewals = (run: RegistrarSimulation) => run.operations.filter(({ kind }) => kind === 'RENEW_DOMAIN');

test('adds a year on the same day; 29 February becomes 28', () => {
  expect(addYears('2026-01-31T09:30:00.000Z', 1)).toBe('2027-01-31T09:30:00.000Z');
  expect(addYears('2028-02-29T09:30:00.000Z', 1)).toBe('2029-02-28T09:30:00.000Z');
  expect(addYears('2028-02-29T09:30:00.000Z', 4)).toBe('2032-02-29T09:30:00.000Z');
});

test('invoices a domain 30 days before it expires, paid from the wallet, and renews it for a year', async () => {
  const { run, domain, first } = await opened(100_000);
  await days(run, 330);
  expect(run.invoices()).toHaveLength(1);
  await days(run, 10);
  const invoices = run.invoices();
  expect(invoices.map(({ status, kind }) => [status, kind])).toEqual(Array(2).fill(['PAID', 'DOMAIN']));
  expect(domain()).toMatchObject({
    status: 'ACTIVE',
    expiresAt: addYears(first, 1),
    registryExpiresAt: addYears(first, 1),
  });
  expect(domain().renewal).toBeUndefined();
  expect(renewals(run)).toHaveLength(1);
  expectLedgerInvariants(run.memory);
});

test("renews a term beyond the registry's maximum year by year, without another invoice", async () => {
  const { run, domain, first } = await opened(34_155, 3);
  expect(first).toBe(addYears(domain().registryExpiresAt ?? '', 2));
  await days(run, 345);
  expect(renewals(run)).toHaveLength(1);
  await days(run, 365);
  expect(renewals(run)).toHaveLength(2);
  expect(domain()).toMatchObject({ status: 'ACTIVE', expiresAt: first, registryExpiresAt: first });
  expect(run.invoices()).toHaveLength(1);
});

test('an unpaid renewal expires: its invoice is void and its name free', async () => {
  const { run, domain, first } = await opened(11_385);
  await days(run, 340);
  expect(domain()).toMatchObject({ status: 'ACTIVE', expiresAt: first });
  expect(statuses(run)).toEqual(['PAID', 'UNPAID']);
  await days(run, 24);
  expect(statuses(run)).toEqual(['PAID', 'VOID']);
  expect(domain().status).toBe('ACTIVE');
  expect(run.memory.items('ZONE')).toHaveLength(1);
  await days(run, 3);
  expect(domain().status).toBe('EXPIRED');
  expect(run.names()).toEqual([]);
  expect(run.memory.items('ZONE')).toMatchObject([{ releasedAt: expect.any(String), duePk: 'ZONE' }]);
  expect(renewals(run)).toEqual([]);
  expectLedgerInvariants(run.memory);
});

test('a domain that ends while the sweep of invoices stands still takes no money for its unpaid renewal', async () => {
  const { run, account, domain, first } = await opened(11_385);
  await days(run, 340);
  run.clock.now = Date.parse(first);
  await run.runUntilIdle();
  expect(domain().status).toBe('EXPIRED');
  await run.give(account, 20_000);
  await run.pay(account);
  expect(statuses(run)).toEqual(['PAID', 'VOID']);
  expectLedgerInvariants(run.memory);
});

test('a renewal paid late, but in time, succeeds', async () => {
  const { run, account, domain, first } = await opened(11_385);
  await days(run, 350);
  await run.give(account, 20_000);
  await run.pay(account);
  await days(run, 2);
  expect(domain()).toMatchObject({ status: 'ACTIVE', expiresAt: addYears(first, 1) });
  expect(renewals(run)).toHaveLength(1);
});

test('a renewal that is paid while it is switched off is not lost: the domain is renewed', async () => {
  const { run, account: accountId, domain, first } = await opened(100_000);
  run.clock.now = Date.parse(first) - 29 * DAY;
  const commit: Deps['commit'] = async (...given) => {
    await run.advance(domain());
    return await run.steady.commit(...given);
  };
  const switched = updateDomain(
    { ...run.steady, commit },
    { accountId, keyId: '' },
    { id: domain().id, autoRenew: false },
  );
  await expect(switched).rejects.toMatchObject({ code: 'conflict' });
  await run.runUntilIdle();
  expect(domain()).toMatchObject({ status: 'ACTIVE', autoRenew: true, expiresAt: addYears(first, 1) });
  expect(renewals(run)).toHaveLength(1);
});

test('a domain of a deleted account is not invoiced, whatever it says', async () => {
  const { run, account, domain } = await opened(100_000);
  const at = new Date(run.clock.now).toISOString();
  const deletion = { accountId: account, status: 'DELETED' as const, requestedAt: at, endsAt: at, deletedAt: at };
  await run.deps.table.transact([create(AccountDeletion, deletion)]);
  await days(run, 370);
  expect(domain().status).toBe('EXPIRED');
  expect(run.invoices()).toHaveLength(1);
});

test('a renewal refused by the registrar is refunded once and not bought again', async () => {
  let refusing = false;
  const { run, domain, first } = await opened(100_000, 1, withoutFaults({ refuses: () => refusing }));
  refusing = true;
  await days(run, 350);
  expect(domain()).toMatchObject({ status: 'ACTIVE', expiresAt: first, autoRenew: false });
  expect(statuses(run)).toEqual(['PAID', 'VOID']);
  await days(run, 20);
  expect(domain().status).toBe('EXPIRED');
  expect(run.invoices()).toHaveLength(2);
  expectLedgerInvariants(run.memory);
});

test('a domain whose renewal was refused is renewed once its owner has it renewed again', async () => {
  let refusing = false;
  const { run, account, domain, first } = await opened(100_000, 1, withoutFaults({ refuses: () => refusing }));
  refusing = true;
  await days(run, 340);
  expect(domain()).toMatchObject({ expiresAt: first, autoRenew: false });
  refusing = false;
  const caller = { accountId: account, keyId: '' };
  const { data } = await updateDomain(run.steady, caller, { id: domain().id, autoRenew: true });
  expect(data).toMatchObject({ autoRenew: true, status: 'ACTIVE' });
  await days(run, 2);
  expect(domain()).toMatchObject({ autoRenew: true, expiresAt: addYears(first, 1) });
  expect(statuses(run)).toEqual(['PAID', 'PAID', 'VOID']);
  expectLedgerInvariants(run.memory);
});

test('a domain that is not to be renewed has no invoice for it any more, and expires', async () => {
  const { run, account, domain } = await opened(11_385);
  await days(run, 340);
  expect(statuses(run)).toEqual(['PAID', 'UNPAID']);
  const set = (autoRenew: boolean) =>
    updateDomain(run.steady, { accountId: account, keyId: '' }, { id: domain().id, autoRenew });
  expect((await set(false)).data.autoRenew).toBe(false);
  await run.runUntilIdle();
  expect(statuses(run)).toEqual(['PAID', 'VOID']);
  await run.give(account, 100_000);
  await days(run, 27);
  expect(domain().status).toBe('EXPIRED');
  expect(run.invoices()).toHaveLength(2);
  await expect(set(true)).rejects.toMatchObject({ code: 'conflict' });
  expectLedgerInvariants(run.memory);
});

test.each([
  ['less than two days before the end', 363.5, undefined, /too late/],
  ['where its extension is no longer sold', 300, [], /no longer sold/],
])('automatic renewal is not switched on %s', async (_, after, offer, message) => {
  const { run, account, domain } = await opened(100_000);
  const set = (autoRenew: boolean) =>
    updateDomain(
      { ...run.steady, ...(offer ? { tlds: async () => offer } : {}) },
      { accountId: account, keyId: '' },
      { id: domain().id, autoRenew },
    );
  await set(false);
  run.clock.now = Date.parse(domain().registeredAt ?? '') + after * DAY;
  await expect(set(true)).rejects.toMatchObject({ code: 'conflict', message: expect.stringMatching(message) });
  expect(domain().autoRenew).toBe(false);
});

test.each(['before', 'after'])(
  'a renewal that its owner switches off just %s the invoice is computed is not charged',
  async (moment) => {
    const { run, account, domain } = await opened(100_000);
    const read = domain();
    run.clock.now = Date.parse(lifecycleTimes(read).invoices ?? '');
    let switched: Promise<unknown> | undefined;
    const switchOff = async () => {
      switched ??= updateDomain(run.steady, { accountId: account, keyId: '' }, { id: read.id, autoRenew: false });
      await switched;
    };
    const needs: typeof run.steady = {
      ...run.steady,
      tlds: async () => {
        if (moment === 'before') await switchOff();
        return await run.steady.tlds();
      },
      commit: async (...given) => {
        await switchOff();
        return await run.steady.commit(...given);
      },
    };
    await advanceDomain(needs, read);
    expect(domain()).toMatchObject({ autoRenew: false });
    expect(domain().renewal).toBeUndefined();
    expect(run.invoices()).toHaveLength(1);
  },
);

/** Returns the notifications of a domain, day by day, as the stream makes them of its notices. */
async function noticesOf({ run, domain }: Awaited<ReturnType<typeof opened>>, count: number) {
  const notices = new Map<string, string>();
  for (let day = 0; day < count; day += 1) {
    await days(run, 1);
    for (const { subjectId, title } of incidentOfExpiry(domain()))
      notices.set(subjectId.replace(/^.*-/, ''), title.replace(/^.*\d\. /, ''));
  }
  return Object.fromEntries(notices);
}

test('a domain whose renewal is paid at once gives no notice', async () => {
  const found = await opened(100_000);
  await days(found.run, 330);
  expect(await noticesOf(found, 30)).toEqual({});
  expect(found.domain().expiryNotice?.reason).toBeUndefined();
});

test('a domain that the wallet cannot renew says so 30 and 7 days before, and a day before that it expires', async () => {
  const found = await opened(11_385);
  await days(found.run, 330);
  expect(await noticesOf(found, 36)).toEqual({
    30: 'Your wallet cannot pay for its renewal. Add money to renew it.',
    7: 'Your wallet cannot pay for its renewal. Add money to renew it.',
    1: 'It does not renew automatically.',
  });
});

test('a renewal that is paid after the first notice gives no other', async () => {
  const found = await opened(11_385);
  await days(found.run, 330);
  expect(Object.keys(await noticesOf(found, 10))).toEqual(['30']);
  await found.run.give(found.account, 20_000);
  await found.run.pay(found.account);
  await days(found.run, 2);
  expect(Object.keys(await noticesOf(found, 25))).toEqual(['30']);
});

test('the card is charged for an unpaid renewal before it is too late if the stream has lost its invoice', async () => {
  const { run, account, domain } = await opened(11_385);
  await days(run, 340);
  expect(domain().renewal).toBeDefined();
  const autoTopUp = { enabled: true, thresholdCents: 0, amountCents: 50_000 };
  await run.deps.table.write(Account, change(Account, { id: account }, { set: { card: CARD, autoTopUp } }));
  await days(run, 7);
  const { autoTopUpHistory } = (await run.deps.table.get(Account, { id: account })) ?? {};
  expect(autoTopUpHistory).toMatchObject([{ amountCents: 50_000 }]);
  expect(statuses(run)).toEqual(['PAID', 'UNPAID']);
});

test('a renewal that operators void is shown as switched off within a week if the stream has lost the voiding', async () => {
  const { run, account, domain } = await opened(11_385);
  await days(run, 340);
  await cancelInvoice(run.deps, account, domain().renewal?.invoiceId ?? '');
  expect(domain()).toMatchObject({ autoRenew: true, renewal: expect.anything() });
  run.clock.now += 7 * DAY;
  await run.advance(domain());
  expect(domain().autoRenew).toBe(false);
  expect(domain().renewal).toBeUndefined();
});
