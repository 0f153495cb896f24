import { expect, test } from 'vitest';
import { expectBooksToBeRight } from '../test/simulation/billing.ts';
import { chances, type DomainWorld, domainWorld, type Fate } from '../test/domain-world.ts';

/**
 * Whatever the registrar does and whatever dies: in the end each order is either registered, once, and paid for, once; or it
 * is not, and no money is gone. Each story is another interleaving of faults, from a number that can be drawn again.
 */
const STORIES = 250;
const HOUR = 3_600_000;

function fateOf(seed: number): Fate {
  const chance = chances(seed);
  return {
    chance,
    death: chance() * 0.05,
    loss: chance() * 0.3,
    refuses: (domain) => domain.startsWith('refused'),
    overtakes: (domain) => domain.startsWith('overtaken'),
    // Now and then a registry takes a day.
    takes: () => (chance() < 0.1 ? chance() * 24 * HOUR : chance() * 60_000),
  };
}

/** Throws unless registrations, invoices and money agree. */
function expectAgreement(world: DomainWorld): void {
  expectBooksToBeRight(world.memory);
  const invoices = new Map(world.invoices().map((invoice) => [invoice.id, invoice]));
  const active = world.domains().filter(({ status }) => status === 'ACTIVE');
  for (const { status, name, invoiceId = '' } of world.domains()) {
    const registered = world.operations.filter((each) => each.domain === name && each.status === 'DONE').length;
    const ours = world.registry.get(name)?.ours === true;
    const found = { name, invoice: invoices.get(invoiceId)?.status, registered, ours };
    if (status === 'ACTIVE') expect(found).toEqual({ name, invoice: 'PAID', registered: 1, ours: true });
    else expect([status, found]).toEqual(['FAILED', { name, invoice: 'VOID', registered: 0, ours: false }]);
  }
  expect(world.names().sort()).toEqual(active.map(({ name }) => name).sort());
  const told = world.registeredEvents().map(({ data }) => (data as { domain: string }).domain);
  expect(told.sort()).toEqual(active.map(({ name }) => name).sort());
}

async function story(seed: number): Promise<{ steps: number; active: number; failed: number }> {
  const world = domainWorld(fateOf(seed));
  const [rich, poor, broke] = [await world.open(500_000), await world.open(0), await world.open(0)];
  const orders: [string, string, number?][] = [
    [rich, 'good.co.za'],
    [rich, 'refused.com'],
    [rich, 'overtaken.net'],
    [rich, 'long.co.za', 3],
    [poor, 'poor.co.za'],
    [poor, 'refused-poor.com'],
    [broke, 'lapsed.org'],
    [broke, 'good.co.za'],
  ];
  for (const [account, name, years] of orders) {
    await world.reckless(() => world.order(account, name, years));
    await world.happen();
  }
  let steps = 0;
  for (; steps < 30; steps += 1) await world.happen();
  if (seed % 2) {
    await world.give(poor, 100_000);
    for (let tries = 0; tries < 5; tries += 1) await world.pay(poor);
  }
  steps += await world.toTheEnd();
  expectAgreement(world);
  const statuses = world.domains().map(({ status }) => status);
  const count = (status: string) => statuses.filter((each) => each === status).length;
  return { steps, active: count('ACTIVE'), failed: count('FAILED') };
}

test('a registrar that refuses, loses answers, is overtaken or takes a day, and processes that die: no money is lost or made', async () => {
  const total = { steps: 0, active: 0, failed: 0 };
  for (let seed = 1; seed <= STORIES; seed += 1) {
    const { steps, active, failed } = await story(seed).catch((error: unknown) => {
      throw new Error(`story ${seed}`, { cause: error });
    });
    total.steps += steps;
    total.active += active;
    total.failed += failed;
  }
  const { steps, active, failed } = total;
  console.log(`${STORIES} interleavings, ${steps} steps: ${active} domains registered, ${failed} refunded or let go`);
  expect(active).toBeGreaterThan(STORIES);
  expect(failed).toBeGreaterThan(STORIES);
}, 120_000);
