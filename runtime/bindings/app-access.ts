import { LambdaClient } from '@aws-sdk/client-lambda';
import { createAppAccess } from '../../providers/app-host/app-access.ts';
import { APP_HOST_ATTEMPTS } from '../../providers/app-host/app-host.ts';
import { required } from '../config.ts';

export const appAccess = createAppAccess(
  new LambdaClient({ maxAttempts: APP_HOST_ATTEMPTS }),
  required('APP_FUNCTION_PREFIX'),
);
