import { expect, test } from 'vitest';
import type { EdgeCertificates, UnusedCertificate } from '../../providers/edge/certificates.ts';
import { Cell } from '../../table/entities/cells.ts';
import { create } from '../../table/writes.ts';
import { simulation } from '../../test/simulation/simulation.ts';
import { CELL_RESOURCES } from '../../test/support/cells.ts';
import type { Placed } from '../apps/cells.ts';
import { createBudget, RUN_BUDGET_MS } from '../sweep/budget.ts';
import { deleteUnusedCertificates } from './unused-certificates.ts';

const HOUR = 3_600_000;

/** Cells with unused certificates by their domains; `awaited-…` have a tenant that waits, `broken-…` cannot be looked at. */
function cells(domains: Record<string, string[]>, lookMs = 10) {
  const { clock, steady } = simulation();
  const looked: string[] = [];
  const certificatesIn = (cellId: string): EdgeCertificates => ({
    async listUnused() {
      const found = domains[cellId];
      if (!found) throw new Error('AccessDenied');
      return found.map((domain) => ({ arn: `arn:${domain}`, domain }));
    },
    async isAwaited({ domain }: UnusedCertificate) {
      looked.push(domain);
      clock.now += lookMs;
      if (domain.startsWith('broken-')) throw new Error(`no answer for ${domain}`);
      return domain.startsWith('awaited-');
    },
    async delete(arn) {
      domains[cellId] = (domains[cellId] ?? []).filter((domain) => arn !== `arn:${domain}`);
      return true;
    },
  });
  const cellOf = async ({ cellId = 'home' }: Placed) => ({ edgeCertificates: certificatesIn(cellId) });
  const deps = { ...steady.deps, cellOf };
  return {
    clock,
    deps,
    looked,
    run: (budgetMs = RUN_BUDGET_MS) => deleteUnusedCertificates(deps, createBudget(deps, budgetMs)),
  };
}

test('a failing cell or certificate does not block others', async () => {
  const { deps, run } = cells({ home: ['broken-1', 'broken-2', 'a', 'awaited-b'], c: ['d'] });
  for (const id of ['b', 'c'])
    await deps.table.transact([create(Cell, { id, open: false, resources: CELL_RESOURCES }, () => new Error('there'))]);
  expect((await run()).toSorted((one, other) => one.cellId.localeCompare(other.cellId))).toEqual([
    { cellId: 'b', unused: 0, deleted: 0, failed: 0, error: new Error('AccessDenied') },
    { cellId: 'c', unused: 1, deleted: 1, failed: 0 },
    { cellId: 'home', unused: 4, deleted: 1, failed: 2, error: new Error('no answer for broken-1') },
  ]);
});

test('each hour starts at another position, so that certificates that stay do not block others', async () => {
  const stay = Array.from({ length: 240 }, (_, index) => `awaited-${index}`);
  const { clock, looked, run } = cells({ home: [...stay, 'last'] });
  let deleted = 0;
  for (let hour = 0; hour < 4; hour += 1) {
    clock.now += HOUR;
    looked.length = 0;
    for (const cleanup of await run()) deleted += cleanup.deleted;
    expect(looked).toHaveLength(100);
  }
  expect(deleted).toBe(1);
});

test.each([30, 97, 100, 200])('runs that end early reach each of %i certificates eventually', async (count) => {
  const stay = Array.from({ length: count - 1 }, (_, index) => `awaited-${index}`);
  const domains = { home: [...stay, 'last'] };
  const { clock, run } = cells(domains, 2000);
  for (let hour = 0; hour < 4 * 24 && domains.home.includes('last'); hour += 1) {
    await run();
    clock.now = Math.ceil(clock.now / HOUR) * HOUR + 60_000;
  }
  expect(domains.home).toEqual(stay);
});

test('a run starts no deletion after its budget is spent', async () => {
  const { looked, run } = cells({ home: ['a', 'b', 'c', 'd'] });
  expect(await run(15)).toEqual([{ cellId: 'home', unused: 4, deleted: 2, failed: 0 }]);
  expect(looked).toHaveLength(2);
});
