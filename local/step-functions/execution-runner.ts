import { ExecutionAbortedError, ExecutionTimeoutError, StateMachine } from 'aws-local-stepfunctions';
import * as z from 'zod';
import type { PrincipalOf } from '../iam/principals.ts';
import { createFairAdmission } from '../processes/fair-admission.ts';
import { isObject, type Json } from '../template/intrinsics.ts';
import type { Execution, Executions, Status } from './executions.ts';
import { definitionFrom, type Machine } from './state-machines.ts';
import { runTask, type TaskPort } from './state-tasks.ts';

export interface RunnerOptions extends Omit<TaskPort, 'principal'> {
  /** Returns the principal of a state machine's role. Default: the administrator. */
  principalOf?: PrincipalOf;
}

type Outcome = Pick<Execution, 'output' | 'error' | 'cause'>;

/**
 * Milliseconds after which a task no longer blocks the next one. Tasks run one after another, because no client waits for a single task
 * as for a request. A task that lasts longer waits for something other than the processor.
 */
const MAX_TASK_HOLD_MS = 200;

const NEVER = new Promise<never>(() => {});

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

/** Runs executions with the engine, and saves their states as they enter them. */
export class ExecutionRunner {
  readonly #executions: Executions;
  readonly #options: RunnerOptions;
  readonly #admit = createFairAdmission({ concurrency: 1, maxHoldMs: MAX_TASK_HOLD_MS });
  /** Stops the engine's run of an execution, by the execution's ARN. */
  readonly #aborts = new Map<string, () => void>();
  #stopping = false;

  constructor(executions: Executions, options: RunnerOptions) {
    this.#executions = executions;
    this.#options = options;
  }

  /** Starts an execution, or continues it from its saved state. */
  run(machine: Machine, execution: Execution): void {
    const definition = definitionFrom(machine, execution.at?.state, (Date.now() - execution.startedAt) / 1000);
    const engine = new StateMachine(definition, { validationOptions: { noValidate: true } });
    const input: Json = execution.at ? execution.at.input : JSON.parse(execution.input);
    const { result, eventLogs, abort } = engine.run(input, {
      overrides: { taskResourceLocalHandlers: this.#handlersOf(machine, execution) },
    });
    this.#aborts.set(execution.arn, abort);
    this.#watch(machine, execution, eventLogs).catch((error: unknown) => console.error(error));
    const ended = result.then(
      (output) => this.#end(execution, 'SUCCEEDED', { output: JSON.stringify(output) }),
      (error: unknown) => this.#reject(execution, error),
    );
    // A full disk, for example. The next start resumes from the last saved state.
    ended.catch((error: unknown) => console.error(`the end of execution ${execution.name} could not be saved:`, error));
  }

  /** Ends a running execution. Leaves an execution that has ended unchanged. */
  abort(execution: Execution, error?: string, cause?: string): void {
    const abort = this.#aborts.get(execution.arn);
    if (!abort) return;
    this.#end(execution, 'ABORTED', { ...(error ? { error } : {}), ...(cause ? { cause } : {}) });
    abort();
  }

  /** Suspends all executions for the next start, and does not abort them, which would end them. */
  stop(): void {
    this.#stopping = true;
  }

  #handlersOf(machine: Machine, { name }: Execution): Record<string, (input: Json) => Promise<Json>> {
    const { lambda, principalOf } = this.#options;
    const port: TaskPort = {
      lambda: {
        invoke: (task, input) => this.#admit(machine.arn, () => this.#untilStop(() => lambda.invoke(task, input))),
      },
      principal: principalOf?.(machine.role, name.slice(0, 64)),
    };
    return Object.fromEntries(
      machine.tasks.map(({ name: state, resource }) => [state, (input: Json) => runTask(resource, input, port)]),
    );
  }

  /**
   * Runs a task. At shutdown a task neither starts nor settles: a task that ends because its services stop has not failed, and the
   * state machine must not react to it. The next start runs it again.
   */
  async #untilStop<T>(invoke: () => Promise<T>): Promise<T> {
    try {
      return await (this.#stopping ? NEVER : invoke());
    } finally {
      if (this.#stopping) await NEVER;
    }
  }

  /** Saves the execution's current state at each of the engine's events. */
  async #watch(machine: Machine, execution: Execution, events: AsyncIterable<object>): Promise<void> {
    const { States: states } = machine.definition;
    for await (const raw of events) {
      if (this.#stopping || execution.status !== 'RUNNING') return;
      const { type, state, Error: error, Cause } = Event.parse(raw);
      const detail =
        error === undefined ? undefined : { error, cause: typeof Cause === 'string' ? Cause : String(Cause) };
      this.#executions.note(execution, type, state?.name, detail);
      // Only top-level states: a state within a Parallel or Map state cannot be resumed separately.
      if (type === 'StateEntered' && state && isObject(states) && Object.hasOwn(states, state.name)) {
        execution.at = { state: state.name, input: state.input };
        this.#executions.save(execution);
      }
    }
  }

  #reject(execution: Execution, error: unknown): void {
    const { status, ...outcome } = outcomeOf(error);
    if (status === 'FAILED' && !this.#stopping) {
      console.error(`execution ${execution.name} failed: ${outcome.error}: ${outcome.cause}`);
    }
    this.#end(execution, status, outcome);
  }

  #end(execution: Execution, status: Status, outcome: Outcome): void {
    // Nothing is written at shutdown; the next start resumes from here.
    if (this.#stopping || execution.status !== 'RUNNING') return;
    this.#aborts.delete(execution.arn);
    Object.assign(execution, { status, stoppedAt: Date.now(), ...outcome });
    this.#executions.note(execution, `Execution${STATUS_EVENTS[status]}`);
    this.#executions.save(execution);
  }
}

/** Returns the outcome of an execution that the engine rejects with an error. */
function outcomeOf(error: unknown): Pick<Execution, 'status' | 'error' | 'cause'> {
  if (error instanceof ExecutionTimeoutError) return { status: 'TIMED_OUT', error: 'States.Timeout' };
  if (error instanceof ExecutionAbortedError) return { status: 'ABORTED' };
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const failure = reason instanceof Error ? reason : new Error(String(reason));
  return { status: 'FAILED', error: failure.name, cause: failure.message };
}
