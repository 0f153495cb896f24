import { intoPartition } from './into-partition.ts';
import type { Migration } from './migration.ts';

/** Moves the daily sums of AI calls from the index to a partition of the table: one write unit instead of two or three. */
export const aiUsagePartition: Migration = {
  name: '0004-ai-usage-partition',
  entity: 'AI_USAGE',
  to: 2,
  ...intoPartition,
};
