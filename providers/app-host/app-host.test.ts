import { InvalidParameterValueException, type LambdaClient, ResourceNotFoundException } from '@aws-sdk/client-lambda';
import { expect, test } from 'vitest';
import { createAppHost } from './app-host.ts';
import { RuntimeRetired } from './resources.ts';

/** A client that knows no function and refuses to create one. */
const refusing = (message: string): LambdaClient =>
  ({
    send: async ({ constructor: { name } }: object) => {
      if (name === 'GetFunctionCommand') throw new ResourceNotFoundException({ message: '', $metadata: {} });
      throw new InvalidParameterValueException({ message, $metadata: {} });
    },
  }) as unknown as LambdaClient;
const release = (message: string) =>
  createAppHost(refusing(message), { prefix: 'app-', roleArn: '', adapterLayerArn: '' }).release(
    { applicationId: 'app_1', nodeVersion: '20', concurrency: 20 },
    { bucket: 'b', key: 'k' },
  );

test('a version of Node that Lambda does not take any more is told apart from other refusals', async () => {
  const retired =
    'The runtime parameter of nodejs20.x is no longer supported for creating or updating AWS Lambda functions.';
  await expect(release(retired)).rejects.toThrow(new RuntimeRetired('20'));
  await expect(release('Unzipped size must be smaller than 262144000 bytes')).rejects.toThrow(/^Unzipped size/);
});
