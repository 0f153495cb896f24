import { CellInput, setCell } from '../../domain/operator/cells.ts';
import { byHand } from '../../runtime/triggers/by-hand.ts';

/** Operator function: adds or changes a hosting cell. */
export const handler = byHand(CellInput(), (deps, cell) => setCell(deps, cell));
