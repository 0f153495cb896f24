import { intoPartition } from './into-partition.ts';
import type { Migration } from './migration.ts';

/** Moves the entries of the AI ledger from the index to a partition of the table: one write unit instead of three. */
export const aiEntryPartition: Migration = {
  name: '0003-ai-entry-partition',
  entity: 'AI_ENTRY',
  to: 2,
  ...intoPartition,
};
