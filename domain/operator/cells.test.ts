import { expect, test } from 'vitest';
import { ApiError } from '../../contract/errors.ts';
import { Cell } from '../../table/entities/cells.ts';
import { simulation } from '../../test/simulation/simulation.ts';
import { inEveryCell, CELL_RESOURCES as resources } from '../../test/support/cells.ts';
import { cellQueue } from '../apps/cell-capacity.ts';
import { listCells, placeApp, readCell } from '../apps/cells.ts';
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
