import { LambdaClient } from '@aws-sdk/client-lambda';
import { APP_HOST_ATTEMPTS, createAppHost } from '../../providers/app-host/app-host.ts';
import { required } from '../config.ts';

export const appHost = createAppHost(new LambdaClient({ maxAttempts: APP_HOST_ATTEMPTS }), {
  prefix: required('APP_FUNCTION_PREFIX'),
  roleArn: required('APP_FUNCTION_ROLE_ARN'),
  adapterLayerArn: required('APP_ADAPTER_LAYER_ARN'),
});
