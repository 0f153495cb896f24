import { expect, test } from 'vitest';
import type { QuotaMeasure } from '../../providers/quotas/measures.ts';
import { Cell } from '../../table/entities/cells.ts';
import { change, create } from '../../table/writes.ts';
import { simulation } from '../../test/simulation/simulation.ts';
import { CELL_RESOURCES } from '../../test/support/cells.ts';
import { measureQuotas } from './quotas.ts';

const MINUTE = 60_000;
/** Quotas whose use a test sets; an error is thrown by the measure. */
function quotas() {
  const { clock, steady } = simulation();
  const used: Record<string, number | Error> = { route53Zones: 100, lambdaCodeStorage: 10, cell: 60 };
  let calls = 0;
  const measureOf = (quota: QuotaMeasure['quota'], key: string, limit: number): QuotaMeasure => ({
    quota,
    region: 'af-south-1',
    async measure() {
      calls += 1;
      const value = used[key] ?? 0;
      if (value instanceof Error) throw value;
      return { used: value, limit };
    },
  });
  const cellOf = async ({ cellId = 'home' }: { cellId?: string | undefined }) => {
    if (used[`reach ${cellId}`] instanceof Error) throw used[`reach ${cellId}`];
    return { quotaMeasures: [measureOf('lambdaCodeStorage', cellId === 'home' ? 'lambdaCodeStorage' : 'cell', 75)] };
  };
  const run = () => measureQuotas({ ...steady.deps, cellOf }, [measureOf('route53Zones', 'route53Zones', 500)]);
  const percents = async () =>
    (await run()).quotas.map(({ quota, cellId, percent }) => [quota, cellId, percent && Math.round(percent)]);
  return { clock, deps: steady.deps, used, run, percents, calls: () => calls };
}

test('the quotas of all cells are measured once an hour, and reported every minute', async () => {
  const { clock, deps, used, run, percents, calls } = quotas();
  await deps.table.transact([
    create(Cell, { id: 'b', open: true, resources: CELL_RESOURCES }, () => new Error('there')),
  ]);
  const first = [
    ['route53Zones', 'home', 20],
    ['lambdaCodeStorage', 'home', 13],
    ['lambdaCodeStorage', 'b', 80],
  ];
  expect(await percents()).toEqual(first);
  used.route53Zones = 450;
  clock.now += 59 * MINUTE;
  expect((await run()).isNew).toBe(false);
  expect(await percents()).toEqual(first);
  expect(calls()).toBe(3);
  clock.now += MINUTE;
  expect((await percents())[0]).toEqual(['route53Zones', 'home', 90]);
  expect(calls()).toBe(6);
});

test('measures again after the clock was set back', async () => {
  const { clock, used, run, percents } = quotas();
  clock.now += 365 * 24 * 60 * MINUTE;
  await run();
  clock.now -= 365 * 24 * 60 * MINUTE;
  used.route53Zones = 450;
  expect((await percents())[0]).toEqual(['route53Zones', 'home', 90]);
});

test('a failing measure does not affect the others, and its last value is reported for three hours', async () => {
  const { clock, used, run, percents } = quotas();
  await run();
  used.route53Zones = new Error('AccessDenied');
  used.lambdaCodeStorage = 60;
  clock.now += 60 * MINUTE;
  const { failures } = await run();
  expect(failures).toMatchObject([{ quota: 'route53Zones', cellId: 'home', error: { message: 'AccessDenied' } }]);
  expect(await percents()).toEqual([
    ['route53Zones', 'home', 20],
    ['lambdaCodeStorage', 'home', 80],
  ]);
  clock.now += 121 * MINUTE;
  expect((await percents())[0]).toEqual(['route53Zones', 'home', undefined]);
  used.route53Zones = 0;
  clock.now += 60 * MINUTE;
  expect((await percents())[0]).toEqual(['route53Zones', 'home', 0]);
});

test('measures the Lambda concurrency of a cell only while the cell is open', async () => {
  const { deps, clock } = quotas();
  const lambda = {
    measure: async () => ({ used: 700, limit: 1000 }),
    quota: 'lambdaConcurrency' as const,
    region: 'r',
  };
  const cellOf = async ({ cellId }: { cellId?: string | undefined }) => ({
    quotaMeasures: cellId === 'home' ? [] : [lambda],
  });
  const percentsIn = async () => (await measureQuotas({ ...deps, cellOf }, [])).quotas.map(({ percent }) => percent);
  await deps.table.transact([
    create(Cell, { id: 'b', open: false, resources: CELL_RESOURCES }, () => new Error('there')),
  ]);
  expect(await percentsIn()).toEqual([]);
  await deps.table.transact([change(Cell, { id: 'b' }, { set: { open: true } })]);
  clock.now += 60 * MINUTE;
  expect(await percentsIn()).toEqual([70]);
});

test('reports the quotas of an unreachable cell as missing, and measures the home cell', async () => {
  const { deps, used, run } = quotas();
  await deps.table.transact([
    create(Cell, { id: 'b', open: true, resources: CELL_RESOURCES }, () => new Error('there')),
  ]);
  used['reach b'] = new Error('the role is gone');
  const { quotas: found, failures } = await run();
  expect(failures).toMatchObject([{ cellId: 'b', error: { message: 'the role is gone' } }]);
  expect(found.map(({ cellId, percent }) => [cellId, percent === undefined])).toEqual([
    ['home', false],
    ['home', false],
    ['b', true],
  ]);
});
