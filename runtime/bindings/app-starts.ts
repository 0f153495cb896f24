import { createAppStarts } from '../../providers/app-host/starts.ts';
import { callAws } from '../aws/client.ts';
import type { RemoteCell } from '../cells.ts';
import { required } from '../config.ts';

export const appStarts = (cell?: RemoteCell) =>
  createAppStarts(
    (operation, input) => callAws('logs', operation, input, cell?.access),
    cell?.functionPrefix ?? required('APP_FUNCTION_PREFIX'),
  );
