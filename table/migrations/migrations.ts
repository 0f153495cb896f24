import { walletVersion } from './0001-wallet-version.ts';
import { deliveryStep } from './0002-delivery-step.ts';
import { aiEntryPartition } from './0003-ai-entry-partition.ts';
import { aiUsagePartition } from './0004-ai-usage-partition.ts';
import { measuredDatabases } from './0005-measured-databases.ts';
import type { Migration } from './migration.ts';

/** All migrations, in the order in which they run. */
export const MIGRATIONS: readonly Migration[] = [
  walletVersion,
  deliveryStep,
  aiEntryPartition,
  aiUsagePartition,
  measuredDatabases,
];
