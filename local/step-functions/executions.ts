import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { Json } from '../template/intrinsics.ts';

const JsonValue = z.json();

/** An execution of a state machine as stored on disk. */
const Execution = z.object({
  arn: z.string(),
  name: z.string(),
  stateMachineArn: z.string(),
  /** JSON, unchanged. */
  input: z.string(),
  status: z.enum(['RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED']),
  /** Epoch milliseconds. */
  startedAt: z.number(),
  stoppedAt: z.number().optional(),
  /** JSON. */
  output: z.string().optional(),
  error: z.string().optional(),
  cause: z.string().optional(),
  /** The current state and its input, from which a restart continues. */
  at: z.object({ state: z.string(), input: JsonValue }).optional(),
  history: z.array(
    z.object({ at: z.number(), type: z.string(), state: z.string().optional(), detail: JsonValue.optional() }),
  ),
});
export type Execution = z.output<typeof Execution>;
export type Status = Execution['status'];

/** Step Functions deletes a finished execution, and allows its name again, after 90 days. */
const RETENTION_MS = 90 * 86_400_000;
/** Maximum number of history entries; the oldest are dropped. */
const MAX_HISTORY = 200;

export interface Executions {
  get(arn: string): Execution | undefined;
  all(): Execution[];
  /** The file is completely written when this returns. */
  save(execution: Execution): void;
  note(execution: Execution, type: string, state?: string, detail?: Json): void;
}

/** Opens the executions of a directory: one file each, so that the cost of saving does not depend on their number. */
export function openExecutions(directory: string, now = Date.now()): Executions {
  mkdirSync(directory, { recursive: true });
  const executions = new Map<string, Execution>();
  for (const file of readdirSync(directory)) {
    if (!file.endsWith('.json')) continue;
    const path = join(directory, file);
    const execution = Execution.parse(JSON.parse(readFileSync(path, 'utf8')));
    if (execution.stoppedAt !== undefined && execution.stoppedAt < now - RETENTION_MS) rmSync(path);
    else executions.set(execution.arn, execution);
  }
  return {
    get: (arn) => executions.get(arn),
    all: () => [...executions.values()],
    save(execution) {
      executions.set(execution.arn, execution);
      const [, , , , , , machine = '', name = ''] = execution.arn.split(':');
      const file = join(directory, `${encodeURIComponent(machine)}.${encodeURIComponent(name)}.json`);
      // A rename is atomic: after a kill the file has the old or the new content.
      writeFileSync(`${file}.new`, JSON.stringify(execution));
      renameSync(`${file}.new`, file);
    },
    note(execution, type, state, detail) {
      const entry: Execution['history'][number] = { at: Date.now(), type };
      if (state !== undefined) entry.state = state;
      if (detail !== undefined) entry.detail = detail;
      execution.history.push(entry);
      if (execution.history.length > MAX_HISTORY) execution.history.shift();
    },
  };
}
