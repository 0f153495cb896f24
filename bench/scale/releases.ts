import { LambdaClient } from '@aws-sdk/client-lambda';
import { createAppHost } from '../../providers/app-host/app-host.ts';

/** Lambda's description of a function that is ready and has outdated settings. */
const FUNCTION = {
  FunctionName: 'app',
  State: 'Active',
  LastUpdateStatus: 'Successful',
  Version: '2',
  Runtime: 'nodejs22.x',
};

/** True for operations that count towards the control plane's rate: all except invocations and reads of functions. */
const isCounted = (command: string) =>
  !['GetFunctionCommand', 'GetFunctionConfigurationCommand', 'InvokeCommand'].includes(command);

/**
 * Runs one release of an application that already has releases, against a Lambda stub that accepts every request.
 * @returns the number of control plane requests, including those that remove an old release
 */
export async function countControlPlaneRequests(): Promise<number> {
  const client = new LambdaClient({
    region: 'us-east-1',
    credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
  });
  let counted = 0;
  client.middlewareStack.add(
    (_, context) => async () => {
      if (isCounted(String(context.commandName))) counted += 1;
      const output = {
        Configuration: FUNCTION,
        ...FUNCTION,
        FunctionVersion: '1',
        FunctionUrl: 'https://a.example/',
        $metadata: {},
      };
      return { output, response: {} };
    },
    { step: 'initialize', priority: 'low' },
  );
  const host = createAppHost(client, { prefix: 'app-', roleArn: 'arn:role', adapterLayerArn: 'arn:layer' });
  const app = { applicationId: 'app', nodeVersion: '22', concurrency: 20 };
  const release = await host.release(app, { bucket: 'bucket', key: 'key' });
  await host.switchTo('app', release);
  await host.removeRelease('app', '1');
  return counted;
}
