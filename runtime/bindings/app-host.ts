import { LambdaClient } from '@aws-sdk/client-lambda';
import { createAppHost } from '../../providers/app-host/app-host.ts';
import { required } from '../config.ts';

export const appHost = createAppHost(new LambdaClient({}), {
  prefix: required('APP_FUNCTION_PREFIX'),
  roleArn: required('APP_FUNCTION_ROLE_ARN'),
  adapterLayerArn: required('APP_ADAPTER_LAYER_ARN'),
});
