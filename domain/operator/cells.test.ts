import { expect, test } from 'vitest';
import { ApiError } from '../../contract/errors.ts';
import { AuditEntry } from '../../table/entities/audit.ts';
import { Cell } from '../../table/entities/cells.ts';
import { simulation } from '../../test/simulation/simulation.ts';
import { inEveryCell, CELL_RESOURCES as resources } from '../../test/support/cells.ts';
import { cellQueue } from '../apps/cell-capacity.ts';
import { listCells, placeApp, readCell } from '../apps/cells.ts';
import { BY_OPERATOR, committing } from '../audit/record.ts';
import { sweep } from '../sweep/sweep.ts';
import { setCell } from './cells.ts';

test('a cell takes new applications once it is registered and measured, until an operator closes it', async () => {
  const { deps } = simulation().steady;
  const place = async () => placeApp(deps, await listCells(deps)).cellId;
  await setCell(deps, { id: 'b', open: true, resources });
  const capacityMeter = { measure: async () => ({ concurrency: 400, codeBytes: 75e9 }) };
  await sweep({ ...deps, ...inEveryCell({ capacityMeter }) }, cellQueue);
  expect(await deps.table.get(Cell, { id: 'b' })).toMatchObject({ open: true, room: 20 });
  expect(await place()).toBe('b');
  await setCell(deps, { id: 'b', open: false });
  expect(await place()).toBeUndefined();
  expect((await readCell(deps, 'b')).resources).toEqual(resources);
});

test('a cell without resources, and the home cell with them, are refused', async () => {
  const { deps } = simulation().steady;
  await expect(setCell(deps, { id: 'b', open: true })).rejects.toThrow(
    new ApiError('invalid_request', 'resources: required for the new cell b'),
  );
  await expect(setCell(deps, { id: 'home', open: true, resources })).rejects.toThrow(
    new ApiError('invalid_request', 'resources: the home cell uses the resources of the platform'),
  );
  await expect(readCell(deps, 'b')).rejects.toThrow('there is no hosting cell b');
});

test('an operator whose change another one precedes changes what that one has set, as the audit log says', async () => {
  const { memory, steady } = simulation();
  const deps = { ...steady.deps, commit: committing(steady.deps, BY_OPERATOR) };
  const cell = (open: boolean, appsDomain: string) => ({ id: 'b', open, resources: { ...resources, appsDomain } });
  for (const [one, two] of [
    [cell(true, 'one.example'), cell(false, 'two.example')],
    [cell(false, 'three.example'), cell(true, 'four.example')],
  ] as const) {
    let isPreceded = false;
    const get: typeof deps.table.get = async (entity, key) => {
      const read = await deps.table.get(entity, key);
      if (!isPreceded) {
        isPreceded = true;
        await setCell(deps, two);
      }
      return read;
    };
    const { open } = one;
    expect(await setCell({ ...deps, table: { ...deps.table, get } }, one)).toEqual({ id: 'b', open });
    expect(await deps.table.get(Cell, { id: 'b' })).toMatchObject({ open, resources: one.resources });
    const [, audited] = memory
      .items('AUDIT')
      .slice(-2)
      .map((item) => AuditEntry.parse(item));
    expect(audited).toMatchObject({
      before: { open: two.open, appsDomain: two.resources.appsDomain },
      after: { open, appsDomain: one.resources.appsDomain },
    });
  }
});
