import type { Deps } from '../domain/deps.ts';
import { together } from '../table/batch-reads.ts';
import { createTable } from '../table/table.ts';
import { callAws } from './aws/client.ts';
import { required } from './config.ts';
import { deps } from './deps.ts';

/** {@link deps} for functions that work on many items at once: what they read at the same moment is one read. */
export const batchDeps: Deps = {
  ...deps,
  table: createTable(
    together((operation, input) => callAws('dynamodb', operation, input)),
    required('TABLE_NAME'),
  ),
};
