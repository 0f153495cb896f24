import type { CellProviders, InCell } from '../../domain/apps/cells.ts';

/** Returns providers, or the parts of them that a test needs, as those of every cell. */
export const inEveryCell = (providers: { [K in keyof CellProviders]?: unknown }): InCell<keyof CellProviders> => ({
  cellOf: async () => providers as CellProviders,
});
