import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { ExecutionAbortedError, ExecutionTimeoutError, StateMachine } from 'aws-local-stepfunctions';
import * as z from 'zod';
import { type Emulator, jsonOperations, parse, ServiceError, serve } from '../emulators/wire.ts';
import type { PrincipalOf } from '../iam/principals.ts';
import { createFairAdmission } from '../processes/fair-admission.ts';
import { isObject, type Json } from '../template/intrinsics.ts';
import type { Template } from '../template/template.ts';
import { type Execution, openExecutions, type Status } from './executions.ts';
import { definitionFrom, type Machine, machinesOf } from './state-machines.ts';
import { runTask, type TaskPort } from './state-tasks.ts';

export interface StepFunctionsOptions extends Omit<TaskPort, 'principal'> {
  /** Returns the principal of a state machine's role. Default: the administrator. */
  principalOf?: PrincipalOf;
  template: Template;
  dataDir: string;
  port: number;
}

/**
 * Milliseconds after which a task no longer blocks the next one. Tasks run one after another, because no client waits for a single task
 * as for a request. A task that lasts longer waits for something other than the processor.
 */
const MAX_TASK_HOLD_MS = 200;

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

const NEVER = new Promise<never>(() => {});

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

/**
 * Starts an emulator of AWS Step Functions for the template's state machines. Executions that run when the platform
 * stops resume from their current state at the next start; a state may run twice, as on AWS.
 */
export async function startStepFunctions(options: StepFunctionsOptions): Promise<Emulator> {
  const machines = new Map(machinesOf(options.template).map((machine) => [machine.arn, machine]));
  const executions = openExecutions(join(options.dataDir, 'executions'));
  const running = new Map<string, (status: Status, error?: string, cause?: string) => void>();
  const admit = createFairAdmission({ concurrency: 1, maxHoldMs: MAX_TASK_HOLD_MS });
  let stopping = false;

  /**
   * Runs a task. At shutdown a task neither starts nor settles: a task that ends because its services stop has not failed, and the
   * state machine must not react to it. The next start runs it again.
   */
  const untilStop = async <T>(invoke: () => Promise<T>): Promise<T> => {
    try {
      return await (stopping ? NEVER : invoke());
    } finally {
      if (stopping) await NEVER;
    }
  };

  const run = (machine: Machine, execution: Execution): void => {
    const { arn, name, startedAt } = execution;
    const port: TaskPort = {
      lambda: {
        invoke: (task, input) => admit(machine.arn, () => untilStop(() => options.lambda.invoke(task, input))),
      },
      principal: options.principalOf?.(machine.role, name.slice(0, 64)),
    };
    const handlers = Object.fromEntries(
      machine.tasks.map(({ name: state, resource }) => [state, (input: Json) => runTask(resource, input, port)]),
    );
    const definition = definitionFrom(machine, execution.at?.state, seconds(Date.now() - startedAt));
    const engine = new StateMachine(definition, { validationOptions: { noValidate: true } });
    const input: Json = execution.at ? execution.at.input : JSON.parse(execution.input);
    const { result, eventLogs, abort } = engine.run(input, { overrides: { taskResourceLocalHandlers: handlers } });

    const end = (status: Status, outcome: Pick<Execution, 'output' | 'error' | 'cause'>): void => {
      // Nothing is written at shutdown; the next start resumes from here.
      if (stopping || execution.status !== 'RUNNING') return;
      running.delete(arn);
      Object.assign(execution, { status, stoppedAt: Date.now(), ...outcome });
      executions.note(execution, `Execution${STATUS_EVENTS[status]}`);
      executions.save(execution);
    };
    running.set(arn, (status, error, cause) => {
      end(status, { ...(error ? { error } : {}), ...(cause ? { cause } : {}) });
      abort();
    });
    watch(execution, eventLogs).catch((error: unknown) => console.error(error));
    const ended = result.then(
      (output) => end('SUCCEEDED', { output: JSON.stringify(output) }),
      (error: unknown) => {
        const { status, ...outcome } = outcomeOf(error);
        if (status === 'FAILED' && !stopping) {
          console.error(`execution ${name} failed: ${outcome.error}: ${outcome.cause}`);
        }
        end(status, outcome);
      },
    );
    // A full disk, for example. The next start resumes from the last saved state.
    ended.catch((error: unknown) => console.error(`the end of execution ${name} could not be saved:`, error));
  };

  /** Saves the execution's current state. */
  const watch = async (execution: Execution, events: AsyncIterable<object>): Promise<void> => {
    const states = machines.get(execution.stateMachineArn)?.definition.States;
    for await (const raw of events) {
      if (stopping || execution.status !== 'RUNNING') return;
      const { type, state, Error: error, Cause } = Event.parse(raw);
      const detail =
        error === undefined ? undefined : { error, cause: typeof Cause === 'string' ? Cause : String(Cause) };
      executions.note(execution, type, state?.name, detail);
      // Only top-level states: a state within a Parallel or Map state cannot be resumed separately.
      if (type === 'StateEntered' && state && isObject(states) && Object.hasOwn(states, state.name)) {
        execution.at = { state: state.name, input: state.input };
        executions.save(execution);
      }
    }
  };

  const find = (arn: string): Execution => {
    const execution = executions.get(arn);
    if (!execution) throw new ServiceError('ExecutionDoesNotExist', `Execution Does Not Exist: '${arn}'`);
    return execution;
  };
  const machine = (arn: string): Machine => {
    const found = machines.get(arn);
    if (!found) throw new ServiceError('StateMachineDoesNotExist', `State Machine Does Not Exist: '${arn}'`);
    return found;
  };

  const start = (body: Buffer) => {
    const { stateMachineArn, name = randomUUID(), input } = parse(Start, body);
    const found = machine(stateMachineArn);
    const arn = `${stateMachineArn.replace(':stateMachine:', ':execution:')}:${name}`;
    const earlier = executions.get(arn);
    if (earlier) {
      // Idempotent while the execution runs. Once it has ended, its name is taken regardless of the input.
      if (earlier.status !== 'RUNNING' || earlier.input !== input) {
        throw new ServiceError('ExecutionAlreadyExists', `Execution Already Exists: '${arn}'`);
      }
      return { executionArn: arn, startDate: seconds(earlier.startedAt) };
    }
    try {
      JSON.parse(input);
    } catch {
      throw new ServiceError('InvalidExecutionInput', 'Invalid State Machine Execution Input: it is not JSON');
    }
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
    run(found, execution);
    return { executionArn: arn, startDate: seconds(execution.startedAt) };
  };

  for (const execution of executions.all()) {
    if (execution.status !== 'RUNNING') continue;
    const found = machines.get(execution.stateMachineArn);
    if (found) run(found, execution);
  }

  const emulator = await serve(
    options.port,
    'application/x-amz-json-1.0',
    jsonOperations({
      StartExecution: start,
      DescribeExecution(body) {
        const execution = find(parse(ExecutionInput, body).executionArn);
        const { input, output, error, cause } = execution;
        return { ...summary(execution), input, output, error, cause };
      },
      StopExecution(body) {
        const { executionArn, error, cause } = parse(Stop, body);
        const execution = find(executionArn);
        running.get(executionArn)?.('ABORTED', error, cause);
        return { stopDate: seconds(execution.stoppedAt ?? Date.now()) };
      },
      ListExecutions(body) {
        const { stateMachineArn, statusFilter, maxResults, nextToken = '0' } = parse(List, body);
        machine(stateMachineArn);
        const matching = executions
          .all()
          .filter((each) => each.stateMachineArn === stateMachineArn && (!statusFilter || each.status === statusFilter))
          .sort((a, b) => b.startedAt - a.startedAt);
        const end = Number(nextToken) + (maxResults || 100);
        return {
          executions: matching.slice(Number(nextToken), end).map(summary),
          ...(end < matching.length ? { nextToken: String(end) } : {}),
        };
      },
      GetExecutionHistory(body) {
        const { history } = find(parse(ExecutionInput, body).executionArn);
        return {
          events: history.map(({ at, type, state, detail }, index) => ({
            id: index + 1,
            previousEventId: index,
            timestamp: seconds(at),
            type,
            ...(state === undefined ? {} : { stateEnteredEventDetails: { name: state } }),
            ...(detail === undefined ? {} : { executionFailedEventDetails: detail }),
          })),
        };
      },
    }),
  );
  return {
    ...emulator,
    async stop() {
      // Does not abort the executions, which would end them: untilStop suspends their tasks.
      stopping = true;
      await emulator.stop();
    },
  };
}

/** Returns the outcome of an execution that the engine rejects with an error. */
function outcomeOf(error: unknown): Pick<Execution, 'status' | 'error' | 'cause'> {
  if (error instanceof ExecutionTimeoutError) return { status: 'TIMED_OUT', error: 'States.Timeout' };
  if (error instanceof ExecutionAbortedError) return { status: 'ABORTED' };
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const failure = reason instanceof Error ? reason : new Error(String(reason));
  return { status: 'FAILED', error: failure.name, cause: failure.message };
}

const STATUS_EVENTS: Record<Status, string> = {
  RUNNING: 'Started',
  SUCCEEDED: 'Succeeded',
  FAILED: 'Failed',
  TIMED_OUT: 'TimedOut',
  ABORTED: 'Aborted',
};

/** The fields of the engine's events that are used. */
const Event = z.object({
  type: z.string(),
  state: z.object({ name: z.string(), input: z.json() }).optional(),
  Error: z.string().optional(),
  Cause: z.unknown().optional(),
});
