import { createAppMetrics } from '../../providers/app-host/metrics.ts';
import { callAws } from '../aws/client.ts';
import { required } from '../config.ts';

export const appMetrics = createAppMetrics(
  (operation, input) => callAws('monitoring', operation, input),
  required('APP_FUNCTION_PREFIX'),
);
