import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import { type Emulator, jsonOperations, parse, type RequestHandler, ServiceError, serve } from '../emulators/wire.ts';
import type { Template } from '../template/template.ts';
import { ExecutionRunner, type RunnerOptions } from './execution-runner.ts';
import { type Execution, type Executions, openExecutions } from './executions.ts';
import { type Machine, machinesOf } from './state-machines.ts';

export interface StepFunctionsOptions extends RunnerOptions {
  template: Template;
  dataDir: string;
  port: number;
}

/** https://docs.aws.amazon.com/step-functions/latest/apireference/API_StartExecution.html */
const NAME = /^[^\s<>{}[\]?*"#%\\^|~`$&,;:/\p{Cc}]{1,80}$/u;
const MAX_INPUT_BYTES = 262_144;
const Start = z.object({
  stateMachineArn: z.string(),
  name: z.string().regex(NAME).optional(),
  input: z
    .string()
    .refine((text) => Buffer.byteLength(text) <= MAX_INPUT_BYTES)
    .default('{}'),
});
const ExecutionInput = z.object({ executionArn: z.string() });
const Stop = ExecutionInput.extend({ error: z.string().optional(), cause: z.string().optional() });
const List = z.object({
  stateMachineArn: z.string(),
  statusFilter: z.string().optional(),
  maxResults: z.number().int().min(0).max(1000).default(100),
  nextToken: z.string().optional(),
});

const seconds = (milliseconds: number): number => milliseconds / 1000;

/** Returns the fields that DescribeExecution and ListExecutions share. */
const summary = ({ arn, stateMachineArn, name, status, startedAt, stoppedAt }: Execution) => ({
  executionArn: arn,
  stateMachineArn,
  name,
  status,
  startDate: seconds(startedAt),
  ...(stoppedAt === undefined ? {} : { stopDate: seconds(stoppedAt) }),
});

const toHistoryEvent = ({ at, type, state, detail }: Execution['history'][number], index: number) => ({
  id: index + 1,
  previousEventId: index,
  timestamp: seconds(at),
  type,
  ...(state === undefined ? {} : { stateEnteredEventDetails: { name: state } }),
  ...(detail === undefined ? {} : { executionFailedEventDetails: detail }),
});

function assertJson(text: string): void {
  try {
    JSON.parse(text);
  } catch {
    throw new ServiceError('InvalidExecutionInput', 'Invalid State Machine Execution Input: it is not JSON');
  }
}

/** State that the operations work on. */
interface Backend {
  machines: ReadonlyMap<string, Machine>;
  executions: Executions;
  runner: ExecutionRunner;
}

function findExecution({ executions }: Backend, arn: string): Execution {
  const execution = executions.get(arn);
  if (!execution) throw new ServiceError('ExecutionDoesNotExist', `Execution Does Not Exist: '${arn}'`);
  return execution;
}

function findMachine({ machines }: Backend, arn: string): Machine {
  const found = machines.get(arn);
  if (!found) throw new ServiceError('StateMachineDoesNotExist', `State Machine Does Not Exist: '${arn}'`);
  return found;
}

function startExecution(backend: Backend, body: Buffer) {
  const { executions, runner } = backend;
  const { stateMachineArn, name = randomUUID(), input } = parse(Start, body);
  const machine = findMachine(backend, stateMachineArn);
  const arn = `${stateMachineArn.replace(':stateMachine:', ':execution:')}:${name}`;
  const earlier = executions.get(arn);
  if (earlier) {
    // Idempotent while the execution runs. Once it has ended, its name is taken regardless of the input.
    if (earlier.status !== 'RUNNING' || earlier.input !== input) {
      throw new ServiceError('ExecutionAlreadyExists', `Execution Already Exists: '${arn}'`);
    }
    return { executionArn: arn, startDate: seconds(earlier.startedAt) };
  }
  assertJson(input);
  const execution: Execution = {
    arn,
    name,
    stateMachineArn,
    input,
    status: 'RUNNING',
    startedAt: Date.now(),
    history: [],
  };
  executions.note(execution, 'ExecutionStarted');
  executions.save(execution);
  runner.run(machine, execution);
  return { executionArn: arn, startDate: seconds(execution.startedAt) };
}

function listExecutions(backend: Backend, body: Buffer) {
  const { stateMachineArn, statusFilter, maxResults, nextToken = '0' } = parse(List, body);
  findMachine(backend, stateMachineArn);
  const matching = backend.executions
    .all()
    .filter((each) => each.stateMachineArn === stateMachineArn && (!statusFilter || each.status === statusFilter))
    .sort((a, b) => b.startedAt - a.startedAt);
  const end = Number(nextToken) + (maxResults || 100);
  return {
    executions: matching.slice(Number(nextToken), end).map(summary),
    ...(end < matching.length ? { nextToken: String(end) } : {}),
  };
}

const handlerOf = (backend: Backend): RequestHandler =>
  jsonOperations({
    StartExecution: (body) => startExecution(backend, body),
    DescribeExecution(body) {
      const execution = findExecution(backend, parse(ExecutionInput, body).executionArn);
      const { input, output, error, cause } = execution;
      return { ...summary(execution), input, output, error, cause };
    },
    StopExecution(body) {
      const { executionArn, error, cause } = parse(Stop, body);
      const execution = findExecution(backend, executionArn);
      backend.runner.abort(execution, error, cause);
      return { stopDate: seconds(execution.stoppedAt ?? Date.now()) };
    },
    ListExecutions: (body) => listExecutions(backend, body),
    GetExecutionHistory(body) {
      const { history } = findExecution(backend, parse(ExecutionInput, body).executionArn);
      return { events: history.map(toHistoryEvent) };
    },
  });

/**
 * Starts an emulator of AWS Step Functions for the template's state machines. Executions that run when the platform
 * stops resume from their current state at the next start; a state may run twice, as on AWS.
 */
export async function startStepFunctions(options: StepFunctionsOptions): Promise<Emulator> {
  const machines = new Map(machinesOf(options.template).map((machine) => [machine.arn, machine]));
  const executions = openExecutions(join(options.dataDir, 'executions'));
  const runner = new ExecutionRunner(executions, options);
  for (const execution of executions.all()) {
    const machine = machines.get(execution.stateMachineArn);
    if (machine && execution.status === 'RUNNING') runner.run(machine, execution);
  }
  const handle = handlerOf({ machines, executions, runner });
  const emulator = await serve(options.port, 'application/x-amz-json-1.0', handle);
  return {
    ...emulator,
    async stop() {
      runner.stop();
      await emulator.stop();
    },
  };
}
