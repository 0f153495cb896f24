import { createAppStarts } from '../../providers/app-host/starts.ts';
import { callAws } from '../aws/client.ts';
import { required } from '../config.ts';

export const appStarts = createAppStarts(
  (operation, input) => callAws('logs', operation, input),
  required('APP_FUNCTION_PREFIX'),
);
