import { isDeepStrictEqual } from 'node:util';
import type { FunctionConfiguration, Layer, Runtime } from '@aws-sdk/client-lambda';
import { MEMORY_MB, TIMEOUT_SECONDS } from './resources.ts';

/** Returns the configuration of an application's function in the form of Lambda's requests. */
export const wantedConfiguration = (
  { roleArn, adapterLayerArn }: { roleArn: string; adapterLayerArn: string },
  nodeVersion: string,
) => ({
  Runtime: `nodejs${nodeVersion}.x` as Runtime,
  Handler: 'run.sh',
  Role: roleArn,
  Layers: [adapterLayerArn],
  MemorySize: MEMORY_MB,
  Timeout: TIMEOUT_SECONDS,
  Environment: {
    Variables: {
      AWS_LAMBDA_EXEC_WRAPPER: '/opt/bootstrap',
      AWS_LWA_INVOKE_MODE: 'response_stream',
      AWS_LWA_READINESS_CHECK_PROTOCOL: 'tcp',
      PORT: '8080',
    },
  },
});

/** True if a function, as Lambda reports it, has the settings that the platform controls. */
export const isConfigured = (found: FunctionConfiguration, wanted: ReturnType<typeof wantedConfiguration>): boolean =>
  isDeepStrictEqual(controlled(found), controlled(wanted));

type Controlled = Pick<
  FunctionConfiguration,
  'Runtime' | 'Handler' | 'Role' | 'MemorySize' | 'Timeout' | 'Environment'
> & {
  Layers?: (string | Layer)[] | undefined;
};

/** Returns the settings that the platform controls, in one form for Lambda's reports and the platform's requests. */
const controlled = ({ Runtime, Handler, Role, MemorySize, Timeout, Environment, Layers = [] }: Controlled) => ({
  Runtime,
  Handler,
  Role,
  MemorySize,
  Timeout,
  variables: Environment?.Variables,
  layers: Layers.map((layer) => (typeof layer === 'string' ? layer : layer.Arn)),
});
