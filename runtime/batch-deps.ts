import type { Deps } from '../domain/deps.ts';
import { batchReads } from '../table/batch-reads.ts';
import { createTable } from '../table/table.ts';
import { callAws } from './aws/client.ts';
import { required } from './config.ts';
import { deps } from './deps.ts';

/** {@link deps} for functions that process many items concurrently: concurrent reads become one batch read. */
export const batchDeps: Deps = {
  ...deps,
  table: createTable(
    batchReads((operation, input, policy) => callAws('dynamodb', operation, input, policy)),
    required('TABLE_NAME'),
  ),
};
