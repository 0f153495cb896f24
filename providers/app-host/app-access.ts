import { type LambdaClient, UpdateFunctionUrlConfigCommand } from '@aws-sdk/client-lambda';
import { tolerate } from '../aws-errors.ts';
import { LIVE_ALIAS } from './resources.ts';

/** Opens and closes the function URL of an application, which anyone who knows it can call without passing the edge. */
export interface AppAccess {
  /** Makes the function URL refuse all requests. An application without a release is not an error. */
  close(applicationId: string): Promise<void>;
  /** Makes the function URL answer again, with the same release as before. */
  open(applicationId: string): Promise<void>;
}

/**
 * Lambda implementation: a function URL that requires signed requests refuses all visitors, and keeps its host name.
 *
 * @param prefix of the functions' names
 */
export function createAppAccess(client: Pick<LambdaClient, 'send'>, prefix: string): AppAccess {
  const setAuthType = async (applicationId: string, AuthType: 'NONE' | 'AWS_IAM') => {
    const alias = { FunctionName: prefix + applicationId, Qualifier: LIVE_ALIAS };
    const command = new UpdateFunctionUrlConfigCommand({ ...alias, AuthType });
    await tolerate(client.send(command), { ResourceNotFoundException: undefined });
  };
  return {
    close: (applicationId) => setAuthType(applicationId, 'AWS_IAM'),
    open: (applicationId) => setAuthType(applicationId, 'NONE'),
  };
}
