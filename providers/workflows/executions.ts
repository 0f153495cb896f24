import {
  DescribeExecutionCommand,
  type SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import { isAwsError } from '../aws-errors.ts';

export type ExecutionStatus = 'RUNNING' | 'ENDED' | 'MISSING';

/** The executions of one state machine. The name of an execution is derived from its subject, so that starting it again has no effect. */
export interface Executions {
  start(name: string, input: object): Promise<void>;
  status(name: string): Promise<ExecutionStatus>;
  stop(name: string, cause: string): Promise<void>;
}

/** Step Functions implementation. Names have at most 80 characters of letters, digits, `-` and `_`. */
export function createExecutions(
  client: SFNClient,
  stateMachineArn: string,
  /** Returns metadata that is added to the input: the id of the request that caused the execution. */
  origin: () => { requestId?: string } = () => ({}),
): Executions {
  const arnOf = (name: string) => `${stateMachineArn.replace(':stateMachine:', ':execution:')}:${name}`;
  return {
    async start(name, input) {
      try {
        await client.send(
          new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify({ ...origin(), ...input }) }),
        );
      } catch (error) {
        // The execution has already run, for example if the stream is replayed.
        if (!isAwsError(error, 'ExecutionAlreadyExists')) throw error;
      }
    },

    async status(name) {
      try {
        const { status } = await client.send(new DescribeExecutionCommand({ executionArn: arnOf(name) }));
        return status === 'RUNNING' || status === 'PENDING_REDRIVE' ? 'RUNNING' : 'ENDED';
      } catch (error) {
        if (isAwsError(error, 'ExecutionDoesNotExist')) return 'MISSING';
        throw error;
      }
    },

    async stop(name, cause) {
      try {
        await client.send(new StopExecutionCommand({ executionArn: arnOf(name), cause }));
      } catch (error) {
        if (!isAwsError(error, 'ExecutionDoesNotExist')) throw error;
      }
    },
  };
}
