import { intoPartition } from './into-partition.ts';
import type { Migration } from './migration.ts';

/** The sums of a day's AI calls are a partition of the table, and in no index: one write unit in place of two or three. */
export const aiUsagePartition: Migration = {
  name: '0004-ai-usage-partition',
  entity: 'AI_USAGE',
  to: 2,
  ...intoPartition,
};
