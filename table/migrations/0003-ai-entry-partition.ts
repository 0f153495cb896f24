import { intoPartition } from './into-partition.ts';
import type { Migration } from './migration.ts';

/** Entries of the ledger of AI credits are a partition of the table, and in no index: one write unit in place of three. */
export const aiEntryPartition: Migration = {
  name: '0003-ai-entry-partition',
  entity: 'AI_ENTRY',
  to: 2,
  ...intoPartition,
};
