import * as z from 'zod';
import type { LocalCell } from '../addresses.ts';
import type { Template } from './template.ts';

/** The part of the output of a cell’s stack for `operator/setCell` that the local run reads. */
const CellOutput = z.object({ account: z.string(), edgeEndpoint: z.string() }).catchall(z.string());

/** A hosting cell other than the home cell, with the resources of its stack. */
export interface CellOfRun extends LocalCell {
  resources: z.output<typeof CellOutput>;
}

/** Reads the resources of hosting cells from their stacks. */
export const cellsIn = (template: Template, cells: readonly LocalCell[]): CellOfRun[] =>
  cells.map((cell) => {
    const output = String(template.output(`hosting-local-cell-${cell.id}-apps`, 'Cell'));
    return { ...cell, resources: CellOutput.parse(JSON.parse(output)) };
  });
