import {
  DescribeExecutionCommand,
  type SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import { tolerate } from '../aws-errors.ts';

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
      const command = new StartExecutionCommand({
        stateMachineArn,
        name,
        input: JSON.stringify({ ...origin(), ...input }),
      });
      // The execution has already run, for example if the stream is replayed.
      await tolerate(client.send(command), { ExecutionAlreadyExists: undefined });
    },

    async status(name) {
      const command = new DescribeExecutionCommand({ executionArn: arnOf(name) });
      const found = await tolerate(client.send(command), { ExecutionDoesNotExist: undefined });
      if (!found) return 'MISSING';
      return found.status === 'RUNNING' || found.status === 'PENDING_REDRIVE' ? 'RUNNING' : 'ENDED';
    },

    async stop(name, cause) {
      const command = new StopExecutionCommand({ executionArn: arnOf(name), cause });
      await tolerate(client.send(command), { ExecutionDoesNotExist: undefined });
    },
  };
}
