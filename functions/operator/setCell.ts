import { CellInput, setCell } from '../../domain/operator/cells.ts';
import { operatorFunction } from '../../runtime/triggers/operator-function.ts';

/** Operator function: adds or changes a hosting cell. */
export const handler = operatorFunction(CellInput(), (deps, cell) => setCell(deps, cell));
