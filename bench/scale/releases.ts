import { LambdaClient } from '@aws-sdk/client-lambda';
import { createAppHost } from '../../providers/app-host/app-host.ts';

/** The state of a function as Lambda reports it: everything is ready, and its settings are older ones. */
const FUNCTION = {
  FunctionName: 'app',
  State: 'Active',
  LastUpdateStatus: 'Successful',
  Version: '2',
  Runtime: 'nodejs22.x',
};

/** Each Lambda operation that changes something, or reads anything but a function, counts for the rate of the control plane. */
const isCounted = (command: string) =>
  !['GetFunctionCommand', 'GetFunctionConfigurationCommand', 'InvokeCommand'].includes(command);

/**
 * Runs one release of an application that has releases already, against a Lambda that accepts everything.
 * @returns its control plane requests, those of removing an old release included
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
