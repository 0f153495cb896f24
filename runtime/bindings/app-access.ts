import { LambdaClient } from '@aws-sdk/client-lambda';
import { createAppAccess } from '../../providers/app-host/app-access.ts';
import { required } from '../config.ts';

export const appAccess = createAppAccess(new LambdaClient({}), required('APP_FUNCTION_PREFIX'));
