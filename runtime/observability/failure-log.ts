import { log } from './log.ts';

/** Logs the error because of which a failure queue has no count in the list. */
export function reportUncounted(queue: string, error: unknown): void {
  log.error('failure queue could not be counted', error, { queue });
}
