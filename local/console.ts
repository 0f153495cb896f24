import { isObject, parseJson } from '../contract/json.ts';

/** Reports progress to the terminal, or discards it (tests). */
export interface Reporter {
  line(text: string): void;
  /** Runs a step and reports its duration. */
  step<T>(name: string, work: () => Promise<T>): Promise<T>;
}

const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`;

export function createReporter(write: (text: string) => void): Reporter {
  return {
    line: write,
    async step(name, work) {
      const started = performance.now();
      const result = await work();
      write(`  ${name.padEnd(34)} ${seconds(performance.now() - started).padStart(6)}`);
      return result;
    },
  };
}

/** Errors of an output that nothing reads any more: a closed pipe or terminal. */
const CLOSED_OUTPUT = ['EPIPE', 'EIO'];

/**
 * Keeps the run alive when the reader of its output ends. Otherwise `npm start | grep -m1 ready` would end the run with the next
 * line that it prints.
 */
export function ignoreClosedOutput(output: NodeJS.WriteStream): void {
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (!CLOSED_OUTPUT.includes(error.code ?? '')) throw error;
  });
}

/** Shortens an error line of a function's log for the terminal. The function's log contains the full line. */
export function formatErrorLine(functionName: string, text: string): string {
  const line = parseJson(text.trim());
  if (!isObject(line)) return `${functionName}: ${text.trim().split('\n').slice(0, 3).join('\n')}`;
  const { message, errorMessage, errorType, error } = line;
  const inner = isObject(error) ? `${error.name ?? ''}: ${error.message ?? ''}` : error;
  const parts = [message, errorType && `${errorType}: ${errorMessage}`, inner].filter(Boolean).map(String);
  return `${functionName}: ${parts.join(' · ')}`;
}
