import { createAppMetrics } from '../../providers/app-host/metrics.ts';
import { callAws } from '../aws/client.ts';
import type { RemoteCell } from '../cells.ts';
import { required } from '../config.ts';

export const appMetrics = (cell?: RemoteCell) =>
  createAppMetrics(
    (operation, input) => callAws('monitoring', operation, input, cell?.access),
    cell?.functionPrefix ?? required('APP_FUNCTION_PREFIX'),
  );
