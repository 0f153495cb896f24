import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { Json } from '../template/intrinsics.ts';

const JsonValue = z.json();

/** One execution of a state machine, as it is kept on disk. */
const Execution = z.object({
  arn: z.string(),
  name: z.string(),
  stateMachineArn: z.string(),
  /** JSON, as it came. */
  input: z.string(),
  status: z.enum(['RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED']),
  /** Epoch milliseconds. */
  startedAt: z.number(),
  stoppedAt: z.number().optional(),
  /** JSON. */
  output: z.string().optional(),
  error: z.string().optional(),
  cause: z.string().optional(),
  /** The state that it is in, and what it went in with: where a restart goes on. */
  at: z.object({ state: z.string(), input: JsonValue }).optional(),
  history: z.array(
    z.object({ at: z.number(), type: z.string(), state: z.string().optional(), detail: JsonValue.optional() }),
  ),
});
export type Execution = z.output<typeof Execution>;
export type Status = Execution['status'];

/** Step Functions forgets a finished execution, and lets its name be used again, after 90 days. */
const KEPT_MS = 90 * 86_400_000;
/** History entries kept; the first ones go. */
const LONGEST_HISTORY = 200;

export interface Executions {
  get(arn: string): Execution | undefined;
  all(): Execution[];
  /** On disk, whole, when this returns. */
  save(execution: Execution): void;
  note(execution: Execution, type: string, state?: string, detail?: Json): void;
}

/** Opens the executions of a directory: a file each, so that saving one costs the same however many there are. */
export function openExecutions(directory: string, now = Date.now()): Executions {
  mkdirSync(directory, { recursive: true });
  const executions = new Map<string, Execution>();
  for (const file of readdirSync(directory)) {
    if (!file.endsWith('.json')) continue;
    const path = join(directory, file);
    const execution = Execution.parse(JSON.parse(readFileSync(path, 'utf8')));
    if (execution.stoppedAt !== undefined && execution.stoppedAt < now - KEPT_MS) rmSync(path);
    else executions.set(execution.arn, execution);
  }
  return {
    get: (arn) => executions.get(arn),
    all: () => [...executions.values()],
    save(execution) {
      executions.set(execution.arn, execution);
      const [, , , , , , machine = '', name = ''] = execution.arn.split(':');
      const file = join(directory, `${encodeURIComponent(machine)}.${encodeURIComponent(name)}.json`);
      // A rename is atomic: after a kill the file is the old one or the new one.
      writeFileSync(`${file}.new`, JSON.stringify(execution));
      renameSync(`${file}.new`, file);
    },
    note(execution, type, state, detail) {
      const entry: Execution['history'][number] = { at: Date.now(), type };
      if (state !== undefined) entry.state = state;
      if (detail !== undefined) entry.detail = detail;
      execution.history.push(entry);
      if (execution.history.length > LONGEST_HISTORY) execution.history.shift();
    },
  };
}
