import { createDatabaseMetrics } from '../../providers/databases/metrics.ts';
import { callAws } from '../aws/client.ts';
import { required } from '../config.ts';

const region = required('DATABASE_REGION');

export const databaseMetrics = createDatabaseMetrics((operation, input) =>
  callAws('monitoring', operation, input, { region }),
);
