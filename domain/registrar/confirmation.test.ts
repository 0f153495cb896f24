import { expect, test } from 'vitest';
import { Domain } from '../../table/entities/registrar.ts';
import { change } from '../../table/writes.ts';
import { expectLedgerInvariants } from '../../test/simulation/billing.ts';
import { type RegistrarSimulation, registrarSimulation } from '../../test/simulation/registrar.ts';
import { seededRandom } from '../../test/simulation/simulation.ts';
import { auditIn } from '../../test/support/memory-table.ts';
import { sweep } from '../sweep/sweep.ts';
import { updateDomain } from './auto-renew.ts';
import type { Unconfirmed } from './confirmation.ts';
import { advanceDomain, domainQueue } from './lifecycle.ts';

const DAY = 86_400_000;
const NAME = 'shop.co.za';

/** A registered domain, a registrar whose answers can be lost, and the days that pass. */
async function registered(cents = 11_385, years = 1) {
  const faults = { lossRate: 0, crashRate: 0 };
  const run: RegistrarSimulation = registrarSimulation(
    Object.assign(faults, {
      random: seededRandom(1),
      takesMs: () => 60_000,
      refuses: () => false,
      registeredByOthers: () => false,
    }),
  );
  const account = await run.open(cents);
  await run.order(account, NAME, years);
  await run.runUntilIdle();
  // Its name servers are confirmed first.
  run.clock.now += DAY / 24;
  await sweep(run.steady, domainQueue);
  const domain = () => {
    const [found] = run.domains();
    if (!found) throw new Error('no domain');
    return found;
  };
  const present = run.registry.get(NAME);
  if (!present) throw new Error('not registered');
  const unconfirmed: (Unconfirmed & { day: number })[] = [];
  const begin = run.clock.now;
  /** The jobs of some days, four times a day; whether their processes may lose answers is the fault plan's business. */
  async function days(count: number): Promise<void> {
    for (let quarter = 0; quarter < count * 4; quarter += 1) {
      run.clock.now += DAY / 4;
      await run.withFaults(async (needs) => {
        const { results, failed } = await sweep(needs, domainQueue);
        if (failed.length > 0) throw failed[0]?.error;
        unconfirmed.push(...results.map((each) => ({ ...each, day: Math.round((run.clock.now - begin) / DAY) })));
      });
      if (faults.lossRate === 0) await run.runUntilIdle();
    }
  }
  return { run, account, domain, present, faults, unconfirmed, days };
}

test('a domain that moved to another registrar is detected within a week and ends seven days later', async () => {
  const { run, domain, present, unconfirmed, days } = await registered();
  await days(20);
  expect(unconfirmed).toEqual([]);
  present.ours = false;
  await days(7);
  expect(domain()).toMatchObject({ status: 'ACTIVE', absentSince: expect.any(String) });
  expect(run.names()).toEqual([NAME]);
  await days(8);
  expect(domain()).toMatchObject({ status: 'EXPIRED', autoRenew: false });
  expect(Date.parse(domain().expiresAt ?? '')).toBeLessThanOrEqual(run.clock.now);
  expect(run.names()).toEqual([]);
  const outcomes = unconfirmed.map(({ outcome }) => outcome);
  expect(outcomes).toEqual([...Array(7).fill('ABSENT'), 'ENDED']);
  expect(auditIn(run.memory)).toEqual(['account.opened', 'domain.registered', 'domain.expired']);
  const count = unconfirmed.length;
  await days(30);
  expect(unconfirmed).toHaveLength(count);
});

test('a registrar that does not answer for two months ends no domain, quarantines none, and delays no invoice', async () => {
  const { run, domain, faults, unconfirmed, days } = await registered();
  await days(300);
  faults.lossRate = 1;
  await days(60);
  expect(domain()).toMatchObject({ status: 'ACTIVE', renewal: { years: 1 } });
  expect(domain().absentSince).toBeUndefined();
  expect(new Set(unconfirmed.map(({ outcome }) => outcome))).toEqual(new Set(['UNKNOWN']));
  expect(run.memory.items('DOMAIN')).toMatchObject([{ duePk: 'DOMAIN' }]);
  expect(run.invoices()).toHaveLength(2);
  expectLedgerInvariants(run.memory);
});

test('a registrar that does not answer during the grace period prolongs it, and a single denial ends nothing', async () => {
  const { domain, present, faults, days } = await registered();
  present.ours = false;
  await days(8);
  const { absentSince } = domain();
  expect(absentSince).toBeDefined();
  faults.lossRate = 1;
  await days(30);
  expect(domain()).toMatchObject({ status: 'ACTIVE', absentSince });
  faults.lossRate = 0;
  present.ours = true;
  await days(1);
  expect(domain().status).toBe('ACTIVE');
  expect(domain().absentSince).toBeUndefined();
  present.ours = false;
  await days(9);
  expect(domain().status).toBe('ACTIVE');
  expect(Date.parse(domain().absentSince ?? '')).toBeGreaterThan(Date.parse(absentSince ?? ''));
});

test('an unpaid renewal of a domain that moved is void when it ends', async () => {
  const { run, domain, present, days } = await registered();
  await days(336);
  expect(domain().renewal).toBeDefined();
  present.ours = false;
  await days(16);
  expect(domain().status).toBe('EXPIRED');
  expect(run.invoices().map(({ status }) => status)).toEqual(['PAID', 'VOID']);
  expectLedgerInvariants(run.memory);
});

test('a renewal that is paid after the domain moved is refunded', async () => {
  const { run, account, domain, present, days } = await registered();
  await days(336);
  present.ours = false;
  await days(8);
  await run.give(account, 20_000);
  await run.pay(account);
  await days(8);
  expect(domain().status).toBe('EXPIRED');
  expect(run.invoices().map(({ status }) => status)).toEqual(['PAID', 'VOID']);
  expect(run.operations.filter(({ kind }) => kind === 'RENEW_DOMAIN')).toEqual([]);
  expectLedgerInvariants(run.memory);
});

test.each([
  ['confirms', async () => ({ expiresAt: new Date(), nameservers: [] })],
  ['denies', async () => undefined],
  ['does not answer for', () => Promise.reject(new Error('busy'))],
])('a domain whose renewal is switched on while the registrar %s it is invoiced next', async (_, answer) => {
  const { run, account, domain } = await registered(100_000);
  const caller = { accountId: account, keyId: '' };
  const set = (autoRenew: boolean) => updateDomain(run.steady, caller, { id: domain().id, autoRenew });
  await set(false);
  const end = Date.parse(domain().expiresAt ?? '');
  run.clock.now = end - 5 * DAY;
  const expiryNotice = { expiresAt: domain().expiresAt, days: 7, at: '' };
  await run.deps.table.write(Domain, change(Domain, domain(), { set: { expiryNotice } }));
  const registrar = {
    ...run.steady.registrar,
    registered: async () => {
      await set(true);
      return await answer();
    },
  };
  await advanceDomain({ ...run.steady, registrar }, domain());
  expect(Date.parse(domain().dueAt ?? '')).toBeLessThanOrEqual(run.clock.now);
  await sweep(run.steady, domainQueue);
  expect(run.invoices()).toHaveLength(2);
});

test('the confirmation of a domain that cannot be renewed any more is recorded', async () => {
  const { run, domain } = await registered();
  run.clock.now = Date.parse(domain().expiresAt ?? '') - 5 * DAY;
  const expiryNotice = { expiresAt: domain().expiresAt, days: 7, at: '' };
  await run.deps.table.write(Domain, change(Domain, domain(), { set: { expiryNotice } }));
  await advanceDomain({ ...run.steady, tlds: async () => [] }, domain());
  expect(domain()).toMatchObject({ autoRenew: true, confirmedAt: new Date(run.clock.now).toISOString() });
  expect(Date.parse(domain().dueAt ?? '')).toBeGreaterThan(run.clock.now);
});

test('a domain that moved is neither invoiced nor renewed meanwhile', async () => {
  const { run, domain, present, days } = await registered(100_000);
  present.ours = false;
  await days(8);
  const { expiresAt } = domain();
  run.clock.now = Date.parse(expiresAt ?? '') - 20 * DAY;
  await run.withFaults((needs) =>
    sweep(
      { ...needs, registrar: { ...needs.registrar, registered: () => Promise.reject(new Error('busy')) } },
      domainQueue,
    ),
  );
  expect(run.invoices()).toHaveLength(1);
  expect(domain().status).toBe('ACTIVE');
});

test('a domain that moved just before a term that is paid already was to be renewed ends as well', async () => {
  const { run, domain, present, days } = await registered(22_770, 2);
  // After the weekly confirmation, and before the registry's term is renewed.
  run.clock.now = Date.parse(domain().registryExpiresAt ?? '') - 31 * DAY;
  const confirmation = { confirmedAt: new Date(run.clock.now).toISOString() };
  await run.deps.table.write(Domain, change(Domain, domain(), { set: confirmation }));
  present.ours = false;
  await days(8 + 8);
  expect(domain()).toMatchObject({ status: 'EXPIRED', autoRenew: false });
  expect(run.names()).toEqual([]);
});
