import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  /** Writes the changes of an execution before it returns. */
  save(execution: Execution): void;
  note(execution: Execution, type: string, state?: string, detail?: Json): void;
}

/** A line of an execution's file: the changed fields, and the new entries of the history. */
const Line = Execution.partial();

/**
 * Opens the executions of a directory. Each has its own file, so that the cost of saving does not depend on their number. Saving only
 * appends to a file: replacing it by renaming would make ext4 flush its content to the disk, and the whole run would wait.
 */
export function openExecutions(directory: string): Executions {
  const now = Date.now();
  mkdirSync(directory, { recursive: true });
  const executions = new Map<string, Execution>();
  /** Number of entries that were added to an execution's history since its last line. */
  const unsaved = new Map<string, number>();
  for (const file of readdirSync(directory)) {
    const path = join(directory, file);
    const execution = file.endsWith('.json') ? readExecution(path) : undefined;
    if (execution && (execution.stoppedAt ?? now) >= now - RETENTION_MS) executions.set(execution.arn, execution);
    // Removes executions that have expired, and incomplete ones: the run was killed before it answered StartExecution.
    else rmSync(path);
  }
  return {
    get: (arn) => executions.get(arn),
    all: () => [...executions.values()],
    save(execution) {
      const { arn, input, startedAt, history, ...changing } = execution;
      const entries = unsaved.get(arn) ?? 0;
      const added = entries === 0 ? [] : history.slice(-entries);
      const [, , , , , , machine = '', name = ''] = arn.split(':');
      const file = join(directory, `${encodeURIComponent(machine)}.${encodeURIComponent(name)}.json`);
      // Begins with a newline, because a kill or a full disk may have truncated the previous line.
      if (executions.has(arn)) appendFileSync(file, `\n${JSON.stringify({ ...changing, history: added })}`);
      else writeFileSync(file, JSON.stringify(execution));
      // Only now: an execution that cannot be saved does not exist, so that its start may be repeated.
      executions.set(arn, execution);
      unsaved.delete(arn);
    },
    note(execution, type, state, detail) {
      const entry: Execution['history'][number] = { at: Date.now(), type };
      if (state !== undefined) entry.state = state;
      if (detail !== undefined) entry.detail = detail;
      unsaved.set(execution.arn, (unsaved.get(execution.arn) ?? 0) + 1);
      append(execution.history, [entry]);
    },
  };
}

function append(history: Execution['history'], entries: Execution['history']): void {
  history.push(...entries);
  if (history.length > MAX_HISTORY) history.splice(0, history.length - MAX_HISTORY);
}

/** Returns undefined for an execution whose first line is incomplete. */
function readExecution(path: string): Execution | undefined {
  const [first, ...changes] = readFileSync(path, 'utf8').split('\n').map(parseLine);
  if (first === undefined) return undefined;
  const execution = Execution.parse(first);
  for (const change of changes) {
    if (change === undefined) continue;
    const { history = [], ...fields } = Line.parse(change);
    Object.assign(execution, fields);
    append(execution.history, history);
  }
  return execution;
}

/** Returns undefined for a line that a kill has truncated. */
function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
