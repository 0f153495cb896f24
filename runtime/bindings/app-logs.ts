import { createAppLogs } from '../../providers/app-host/logs.ts';
import { callAws } from '../aws/client.ts';
import type { RemoteCell } from '../cells.ts';
import { required } from '../config.ts';

export const appLogs = (cell?: RemoteCell) =>
  createAppLogs(
    (operation, input, options) => callAws('logs', operation, input, { ...options, ...cell?.access }),
    cell?.functionPrefix ?? required('APP_FUNCTION_PREFIX'),
    cell?.functionArnPrefix ?? required('APP_FUNCTION_ARN_PREFIX'),
  );
