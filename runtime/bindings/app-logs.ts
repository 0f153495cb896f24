import { createAppLogs } from '../../providers/app-host/logs.ts';
import { callAws } from '../aws/client.ts';
import { required } from '../config.ts';

export const appLogs = createAppLogs(
  (operation, input, options) => callAws('logs', operation, input, options),
  required('APP_FUNCTION_PREFIX'),
  required('APP_FUNCTION_ARN_PREFIX'),
);
