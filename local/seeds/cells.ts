import { functionNamed } from '../lambda/functions.ts';
import type { Lambda } from '../lambda/lambda.ts';
import type { FunctionSpec } from '../lambda/pool.ts';
import type { CellOfRun } from '../template/cells.ts';

/** Registers the hosting cells of a run at each start, including the home cell, so that the capacity of all cells is measured. */
export async function seedCells(
  cells: readonly CellOfRun[],
  functions: readonly FunctionSpec[],
  lambda: Pick<Lambda, 'invoke'>,
): Promise<void> {
  if (cells.length === 0) return;
  const operator = functionNamed(functions, 'operator/setCell');
  const inputs = [{ id: 'home', open: true }, ...cells.map(({ id, resources }) => ({ id, open: true, resources }))];
  await Promise.all(inputs.map((input) => lambda.invoke(operator.name, input)));
}
