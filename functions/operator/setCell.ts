import { CellInput, setCell } from '../../domain/operator/cells.ts';
import { operatorDeps as deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** Operator function: adds or changes a hosting cell. */
export const handler = step(CellInput(), (cell) => setCell(deps, cell));
