import { createAppRequests } from '../../providers/app-host/requests.ts';
import { callAws } from '../aws/client.ts';
import type { RemoteCell } from '../cells.ts';
import { required } from '../config.ts';

export const appRequests = (cell?: RemoteCell) =>
  createAppRequests(
    (operation, input) => callAws('logs', operation, input, cell?.access),
    cell?.functionPrefix ?? required('APP_FUNCTION_PREFIX'),
  );
