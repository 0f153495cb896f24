import { expect, test } from 'vitest';
import { expectBooksToBeRight } from '../test/simulation/billing.ts';
import { chances, type DomainWorld, domainWorld, type Fate } from '../test/domain-world.ts';
import { yearsLater } from './domain-times.ts';

const DAY = 86_400_000;

/** A registrar that does in a minute what it is asked. */
function calm(more: Partial<Fate> = {}): Fate {
  return {
    ...{ chance: chances(1), death: 0, loss: 0, refuses: () => false, overtakes: () => false, takes: () => 60_000 },
    ...more,
  };
}

/** Lets days go by, and everything that each brings. */
async function days(world: DomainWorld, count: number): Promise<void> {
  const until = world.clock.now + count * DAY;
  while (world.clock.now < until) {
    world.clock.now += DAY / 2;
    for (let step = 0; step < 8; step += 1) await world.happen();
  }
  await world.toTheEnd();
}

async function opened(cents: number, years = 1, fate = calm()) {
  const world = domainWorld(fate);
  const account = await world.open(cents);
  await world.order(account, 'shop.co.za', years);
  await world.toTheEnd();
  const domain = () => {
    const [found] = world.domains();
    if (!found) throw new Error('no domain');
    return found;
  };
  return { world, account, domain, first: domain().expiresAt ?? '' };
}
const statuses = (world: DomainWorld) =>
  world
    .invoices()
    .map(({ status }) => status)
    .sort();
const renewals = (world: DomainWorld) => world.operations.filter(({ kind }) => kind === 'RENEW_DOMAIN');

test('a year is added on the same day; 29 February becomes 28', () => {
  expect(yearsLater('2026-01-31T09:30:00.000Z', 1)).toBe('2027-01-31T09:30:00.000Z');
  expect(yearsLater('2028-02-29T09:30:00.000Z', 1)).toBe('2029-02-28T09:30:00.000Z');
  expect(yearsLater('2028-02-29T09:30:00.000Z', 4)).toBe('2032-02-29T09:30:00.000Z');
});

test('a domain is invoiced 30 days before its end, paid from the wallet and renewed for a year', async () => {
  const { world, domain, first } = await opened(100_000);
  await days(world, 330);
  expect(world.invoices()).toHaveLength(1);
  await days(world, 10);
  const invoices = world.invoices();
  expect(invoices.map(({ status, kind }) => [status, kind])).toEqual(Array(2).fill(['PAID', 'DOMAIN']));
  expect(domain()).toMatchObject({
    status: 'ACTIVE',
    expiresAt: yearsLater(first, 1),
    registryExpiresAt: yearsLater(first, 1),
  });
  expect(domain().renewal).toBeUndefined();
  expect(renewals(world)).toHaveLength(1);
  expectBooksToBeRight(world.memory);
}, 60_000);

test('a term that the registry does not sell at once is renewed year by year, without another invoice', async () => {
  const { world, domain, first } = await opened(34_155, 3);
  expect(first).toBe(yearsLater(domain().registryExpiresAt ?? '', 2));
  await days(world, 345);
  expect(renewals(world)).toHaveLength(1);
  await days(world, 365);
  expect(renewals(world)).toHaveLength(2);
  expect(domain()).toMatchObject({ status: 'ACTIVE', expiresAt: first, registryExpiresAt: first });
  expect(world.invoices()).toHaveLength(1);
}, 60_000);

test('one that nobody pays for ends, its invoice is void and its name free', async () => {
  const { world, domain, first } = await opened(11_385);
  await days(world, 340);
  expect(domain()).toMatchObject({ status: 'ACTIVE', expiresAt: first });
  expect(statuses(world)).toEqual(['PAID', 'UNPAID']);
  await days(world, 24);
  expect(statuses(world)).toEqual(['PAID', 'VOID']);
  expect(domain().status).toBe('ACTIVE');
  await days(world, 3);
  expect(domain().status).toBe('EXPIRED');
  expect(world.names()).toEqual([]);
  expect(renewals(world)).toEqual([]);
  expectBooksToBeRight(world.memory);
}, 60_000);

test('one that is paid for late, but in time, is renewed', async () => {
  const { world, account, domain, first } = await opened(11_385);
  await days(world, 350);
  await world.give(account, 20_000);
  await world.pay(account);
  await days(world, 2);
  expect(domain()).toMatchObject({ status: 'ACTIVE', expiresAt: yearsLater(first, 1) });
  expect(renewals(world)).toHaveLength(1);
}, 60_000);

test('a renewal that the registrar refuses is refunded, once, and not bought again', async () => {
  let refusing = false;
  const { world, domain, first } = await opened(100_000, 1, calm({ refuses: () => refusing }));
  refusing = true;
  await days(world, 350);
  expect(domain()).toMatchObject({ status: 'ACTIVE', expiresAt: first, autoRenew: false });
  expect(statuses(world)).toEqual(['PAID', 'VOID']);
  await days(world, 20);
  expect(domain().status).toBe('EXPIRED');
  expect(world.invoices()).toHaveLength(2);
  expectBooksToBeRight(world.memory);
}, 60_000);
