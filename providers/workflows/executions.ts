import {
  DescribeExecutionCommand,
  type SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import { isAwsError } from '../aws-errors.ts';

export type ExecutionStatus = 'RUNNING' | 'ENDED' | 'MISSING';

/** The executions of one state machine, each named after what it is about, so that a second start is the same start. */
export interface Executions {
  start(name: string, input: object): Promise<void>;
  status(name: string): Promise<ExecutionStatus>;
  stop(name: string, cause: string): Promise<void>;
}

/** Step Functions. Names hold 80 characters of letters, digits, `-` and `_`. */
export function createExecutions(
  client: SFNClient,
  stateMachineArn: string,
  /** Returns what the input carries beside it: the id of the request that it belongs to. */
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
        if (!isAwsError(error, 'ExecutionAlreadyExists')) throw error; // it ran already: a replay of the stream
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
