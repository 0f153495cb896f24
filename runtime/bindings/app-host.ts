import { LambdaClient } from '@aws-sdk/client-lambda';
import { APP_HOST_ATTEMPTS, createAppHost } from '../../providers/app-host/app-host.ts';
import { copyObject } from '../aws/objects.ts';
import type { RemoteCell } from '../cells.ts';
import { required } from '../config.ts';

const copyInto =
  ({ codeBucket, access }: RemoteCell) =>
  async ({ bucket, key }: { bucket: string; key: string }) => {
    await copyObject({ bucket, key }, codeBucket, access);
    return { bucket: codeBucket, key };
  };

export const appHost = (cell?: RemoteCell) =>
  createAppHost(new LambdaClient({ maxAttempts: APP_HOST_ATTEMPTS, ...cell?.access }), {
    prefix: cell?.functionPrefix ?? required('APP_FUNCTION_PREFIX'),
    roleArn: cell?.functionRoleArn ?? required('APP_FUNCTION_ROLE_ARN'),
    adapterLayerArn: cell?.adapterLayerArn ?? required('APP_ADAPTER_LAYER_ARN'),
    ...(cell ? { copy: copyInto(cell) } : {}),
  });
