import { log } from './log.ts';

/** Logs the error of a failure queue that could not be counted. */
export function logCountError(queue: string, error: unknown): void {
  log.error('failure queue could not be counted', error, { queue });
}

/** Logs the error of a message that could not be replayed, and stays in its failure queue. */
export function logReplayError(queue: string, error: unknown): void {
  log.error('failed message could not be replayed', error, { queue });
}
