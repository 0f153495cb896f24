import { isObject, type Json } from './template/intrinsics.ts';

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

/** Errors of an output that is not read any more: a closed pipe, a closed terminal. */
const UNREAD = ['EPIPE', 'EIO'];

/**
 * Lets the run go on when what read its output has ended: `npm start | grep -m1 ready` would otherwise end it with the next line
 * that it prints.
 */
export function surviveLostReader(output: NodeJS.WriteStream): void {
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (!UNREAD.includes(error.code ?? '')) throw error;
  });
}

const parse = (line: string): Json => {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
};

/** Shortens an error line of a function's log for the terminal. The function's log contains the full line. */
export function formatErrorLine(functionName: string, text: string): string {
  const line = parse(text.trim());
  if (!isObject(line)) return `${functionName}: ${text.trim().split('\n').slice(0, 3).join('\n')}`;
  const { message, errorMessage, errorType, error } = line;
  const inner = isObject(error) ? `${error.name ?? ''}: ${error.message ?? ''}` : error;
  const parts = [message, errorType && `${errorType}: ${errorMessage}`, inner].filter(Boolean).map(String);
  return `${functionName}: ${parts.join(' · ')}`;
}
