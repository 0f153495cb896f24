import { LambdaClient } from '@aws-sdk/client-lambda';
import { createAppAccess } from '../../providers/app-host/app-access.ts';
import { APP_HOST_ATTEMPTS } from '../../providers/app-host/app-host.ts';
import { sdkTimeouts } from '../../providers/aws-timeouts.ts';
import type { RemoteCell } from '../cells.ts';
import { required } from '../config.ts';

export const appAccess = (cell?: RemoteCell) =>
  createAppAccess(
    new LambdaClient({ ...sdkTimeouts(), maxAttempts: APP_HOST_ATTEMPTS, ...cell?.access }),
    cell?.functionPrefix ?? required('APP_FUNCTION_PREFIX'),
  );
