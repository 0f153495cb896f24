import { expect, test } from 'vitest';
import { RegistrarRejected } from '../../providers/registrar/registrar.ts';
import { Domain } from '../../table/entities/registrar.ts';
import { change } from '../../table/writes.ts';
import { expectLedgerInvariants } from '../../test/simulation/billing.ts';
import { registrarSimulation, withoutFaults } from '../../test/simulation/registrar.ts';
import { auditIn } from '../../test/support/memory-table.ts';
import { voidUnpaidInvoice } from '../billing/unpaid-invoices.ts';
import { onDomainInvoicePaid } from './lifecycle.ts';
import { addYears } from './schedule.ts';
import { checkTask, finishTask, refuseTask, submitTask } from './tasks.ts';

const DAY = 86_400_000;
const NAME = 'shop.co.za';
const TASK = { kind: 'RENEW' as const, years: 1, execution: 'renewal', since: new Date(0).toISOString() };

/** A paid order, of which nothing has reached the registrar. */
async function ordered(cents = 500_000, years = 1) {
  const run = registrarSimulation(withoutFaults({ takesMs: () => 1000 }));
  const account = await run.open(cents);
  await run.order(account, NAME, years);
  const domain = () => {
    const [found] = run.domains();
    if (!found) throw new Error('no domain');
    return found;
  };
  const ids = { accountId: account, domainId: domain().id };
  const fulfil = async () => {
    for (const invoice of run.invoices()) await onDomainInvoicePaid(run.steady, invoice);
  };
  const statuses = () => run.invoices().map(({ status }) => status);
  return { run, domain, ids, fulfil, statuses };
}

/** The same order once the registrar has its task. */
async function begun(years = 1) {
  const order = await ordered(500_000, years);
  await order.fulfil();
  return order;
}

test('a request whose response was lost is found and continued', async () => {
  const { run, domain, ids } = await begun();
  const submit = () => submitTask(run.steady, ids);
  const silent = { ...run.steady.registrar };
  silent.register = async (request) => {
    await run.steady.registrar.register(request);
    throw new Error('no response');
  };
  await expect(submitTask({ ...run.steady, registrar: silent }, ids)).rejects.toThrow('no response');
  expect(domain().task?.operationId).toBeUndefined();
  expect(await submit()).toMatchObject({ state: 'PENDING' });
  expect(domain().task?.operationId).toBe('op_0');
  expect(run.operations).toHaveLength(1);
});

test('an operation of an earlier owner that was refused does not refuse this one', async () => {
  const { run, domain, ids } = await begun();
  const now = run.clock.now;
  run.operations.push({
    id: 'op_earlier',
    kind: 'REGISTER_DOMAIN',
    domain: NAME,
    years: 1,
    status: 'REFUSED',
    message: '',
    submittedAt: now,
    doneAt: now,
  });
  await submitTask(run.steady, ids);
  expect(domain().task?.operationId).toBe('op_1');
});

test('a name that the registrar refuses because it has registered it for us is not refunded', async () => {
  const { run, ids } = await begun();
  run.registry.set(NAME, { ours: true, expiresAt: run.clock.now + 365 * DAY, nameservers: [] });
  expect(await submitTask(run.steady, ids)).toMatchObject({ state: 'DONE' });
});

test('a registration that is finished twice at once is announced and recorded once', async () => {
  const { run, domain, ids } = await begun();
  await submitTask(run.steady, ids);
  run.clock.now += 2000;
  expect(await checkTask(run.steady, ids)).toMatchObject({ state: 'DONE' });
  await Promise.all([finishTask(run.steady, ids), finishTask(run.steady, ids)]);
  expect(domain()).toMatchObject({ status: 'ACTIVE' });
  expect(run.registeredEvents()).toHaveLength(1);
  expect(auditIn(run.memory).filter((action) => action.endsWith('domain.registered'))).toHaveLength(1);
});

test.each([
  ['finished', 'domain.renewed', finishTask],
  ['refused', 'domain.renewal-refused', refuseTask],
] as const)('a renewal without an invoice that is %s twice at once is recorded once', async (_, action, end) => {
  const { run, domain, ids } = await begun(3);
  await run.runUntilIdle();
  run.clock.now = Date.parse(domain().registryExpiresAt ?? '') - 20 * DAY;
  await run.advance(domain());
  if (!domain().task) await run.advance(domain());
  expect(domain().task).toMatchObject({ kind: 'RENEW' });
  await Promise.all([end(run.steady, ids), end(run.steady, ids)].map((each) => each.catch(() => {})));
  expect(domain().task).toBeUndefined();
  expect(auditIn(run.memory).filter((each) => each.endsWith(action))).toHaveLength(1);
});

test.each([
  ['has not renewed the domain', 'REFUSED', false],
  ['has renewed it: an earlier response was lost', 'DONE', true],
] as const)('a renewal that the registrar rejects, and that %s, is %s', async (_, state, isRenewed) => {
  const { run, domain, ids } = await begun();
  await run.runUntilIdle();
  await run.deps.table.write(Domain, change(Domain, domain(), { set: { task: TASK } }));
  const registered = run.registry.get(NAME) ?? expect.fail('not registered');
  const renew = async () => {
    if (isRenewed) run.registry.set(NAME, { ...registered, expiresAt: registered.expiresAt + 365 * DAY });
    throw new RegistrarRejected('The expiry year differs.');
  };
  const submit = (given: typeof renew) =>
    submitTask({ ...run.steady, registrar: { ...run.steady.registrar, renew: given } }, ids);
  await expect(submit(() => Promise.reject(new Error('no response')))).rejects.toThrow('no response');
  expect(await submit(renew)).toMatchObject({ state });
});

test('a registration that the registrar reports as done and does not list is finished later', async () => {
  const { run, domain, ids } = await begun();
  await submitTask(run.steady, ids);
  run.clock.now += 2000;
  await checkTask(run.steady, ids);
  const unlisted = { ...run.steady.registrar, registered: async () => undefined };
  await expect(finishTask({ ...run.steady, registrar: unlisted }, ids)).rejects.toThrow('does not know it');
  expect(domain()).toMatchObject({ status: 'PENDING', task: { kind: 'REGISTER' } });
  await finishTask(run.steady, ids);
  expect(domain().status).toBe('ACTIVE');
});

test('a paid renewal that begins twice keeps the operation of the first', async () => {
  const { run, domain, ids } = await begun();
  await run.runUntilIdle();
  run.clock.now = Date.parse(domain().expiresAt ?? '') - 20 * DAY;
  for (let check = 0; check < 3 && !domain().renewal; check += 1) await run.advance(domain());
  const { renewal } = domain();
  if (!renewal) throw new Error('no renewal');
  const read = { ...domain(), renewal: { ...renewal, paid: true } };
  await run.advance(read);
  await submitTask(run.steady, ids);
  const { task } = domain();
  expect(task?.operationId).toBeDefined();
  run.clock.now += 1000;
  await run.advance(read);
  expect(domain().task).toEqual(task);
});

test('a paid order begins with the next check of its domain although the stream lost the payment', async () => {
  const { run, domain } = await ordered();
  await run.advance(domain());
  expect(domain().task).toMatchObject({ kind: 'REGISTER' });
  expect(run.executions.size).toBe(1);
});

test('a void order ends with the next check of its domain although the stream lost its end', async () => {
  const { run, domain, ids, statuses } = await ordered(0);
  await voidUnpaidInvoice(run.steady, ids.accountId, domain().invoiceId ?? '');
  expect([statuses(), domain().status]).toEqual([['VOID'], 'PENDING']);
  await run.advance(domain());
  expect(domain().status).toBe('FAILED');
  expect(run.names()).toEqual([]);
  expectLedgerInvariants(run.memory);
});

test.each(['seven days before its end', 'at its end'])(
  'a paid renewal begins with the check %s although the stream lost the payment',
  async (moment) => {
    const { run, domain, statuses } = await begun();
    await run.runUntilIdle();
    const end = Date.parse(domain().expiresAt ?? '');
    run.clock.now = end - 20 * DAY;
    for (let check = 0; check < 3 && !domain().renewal; check += 1) await run.advance(domain());
    expect([statuses(), domain().renewal?.paid]).toEqual([['PAID', 'PAID'], undefined]);
    run.clock.now = moment === 'at its end' ? end : end - 7 * DAY;
    await run.advance(domain());
    expect(domain()).toMatchObject({ status: 'ACTIVE', task: { kind: 'RENEW' } });
    expect(run.executions.has(domain().task?.execution ?? '')).toBe(true);
    await run.runUntilIdle();
    expect(domain()).toMatchObject({ status: 'ACTIVE', expiresAt: addYears(new Date(end).toISOString(), 1) });
    expect(domain().renewal).toBeUndefined();
    expectLedgerInvariants(run.memory);
  },
);

const RENEWAL = { invoiceId: 'inv_next', years: 1 };

test.each([
  ['a confirmation', 'the payment of the renewal', -200, { renewal: RENEWAL }, { renewal: { ...RENEWAL, paid: true } }],
  ['a confirmation', 'the begin of a task', -200, { renewal: RENEWAL }, { task: TASK }],
  ['the end of the term', 'the begin of a task', 0, {}, { task: TASK }],
] satisfies [string, string, number, Partial<Domain>, Partial<Domain>][])(
  '%s that %s overtook changes nothing',
  async (_, __, day, before, overtaking) => {
    const { run, domain } = await begun();
    await run.runUntilIdle();
    const write = (set: Partial<Domain>) => run.deps.table.write(Domain, change(Domain, domain(), { set }));
    await write({ ...before, expiryNotice: { expiresAt: domain().expiresAt ?? '', days: 1, at: '' } });
    const read = domain();
    run.clock.now = Date.parse(read.expiresAt ?? '') + day * DAY;
    await write(overtaking);
    const stored = domain();
    await run.advance(read);
    expect(domain()).toEqual(stored);
  },
);
