import { log } from './log.ts';

/** Logs the error of a failure queue that could not be counted. */
export function logCountError(queue: string, error: unknown): void {
  log.error('failure queue could not be counted', error, { queue });
}
