import { log } from './log.ts';

/** Logs why a queue of failures has no count in the list. */
export function reportUncounted(queue: string, error: unknown): void {
  log.error('failure queue could not be counted', error, { queue });
}
