import { createAppLogs } from '../../providers/app-host/logs.ts';
import { callAws } from '../aws/client.ts';
import { required } from '../config.ts';

export const appLogs = createAppLogs(
  (operation, input) => callAws('logs', operation, input),
  required('APP_FUNCTION_PREFIX'),
  required('APP_FUNCTION_ARN_PREFIX'),
);
