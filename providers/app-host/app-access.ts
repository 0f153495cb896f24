import { type LambdaClient, UpdateFunctionUrlConfigCommand } from '@aws-sdk/client-lambda';
import { isAwsError } from '../aws-errors.ts';
import { LIVE_ALIAS } from './resources.ts';

/** Opens and closes the address of an application's function, which anyone who knows it can call past the edge. */
export interface AppAccess {
  /** Has the address refuse everything; one without a release is no error. */
  close(applicationId: string): Promise<void>;
  /** Has the address answer again, with the release that it had. */
  open(applicationId: string): Promise<void>;
}

/**
 * Lambda: a function URL that requires signed requests refuses all visitors, and keeps its host name.
 *
 * @param prefix of the functions' names
 */
export function createAppAccess(client: Pick<LambdaClient, 'send'>, prefix: string): AppAccess {
  const setAuthType = async (applicationId: string, AuthType: 'NONE' | 'AWS_IAM') => {
    const of = { FunctionName: prefix + applicationId, Qualifier: LIVE_ALIAS };
    try {
      await client.send(new UpdateFunctionUrlConfigCommand({ ...of, AuthType }));
    } catch (error) {
      if (!isAwsError(error, 'ResourceNotFoundException')) throw error;
    }
  };
  return {
    close: (applicationId) => setAuthType(applicationId, 'AWS_IAM'),
    open: (applicationId) => setAuthType(applicationId, 'NONE'),
  };
}
