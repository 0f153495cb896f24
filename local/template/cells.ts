import * as z from 'zod';
import type { LocalCell } from '../addresses.ts';
import type { Template } from './template.ts';

/** The output of a cell’s stack for `operator/setCell`, as far as the local run reads it. */
const CellOutput = z.object({ account: z.string(), edgeEndpoint: z.string() }).catchall(z.string());

/** A hosting cell beside the home cell, with the resources that its stack created. */
export interface CellOfRun extends LocalCell {
  resources: z.output<typeof CellOutput>;
}

/** Reads the resources of hosting cells from their stacks. */
export const cellsIn = (template: Template, cells: readonly LocalCell[]): CellOfRun[] =>
  cells.map((cell) => {
    const printed = String(template.output(`hosting-local-cell-${cell.id}-apps`, 'Cell'));
    return { ...cell, resources: CellOutput.parse(JSON.parse(printed)) };
  });
