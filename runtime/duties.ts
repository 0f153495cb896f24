import { log } from './observability/log.ts';

/**
 * Does several things that have nothing to do with each other: one that fails does not keep the others from being done.
 * Throws in the end if any failed, so that it is seen.
 */
export async function duties(all: Record<string, () => Promise<unknown>>): Promise<Record<string, unknown>> {
  const done: Record<string, unknown> = {};
  const failures: unknown[] = [];
  for (const [name, duty] of Object.entries(all)) {
    try {
      done[name] = await duty();
    } catch (error) {
      log.error(`${name} failed`, error);
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} of the duties failed`);
  return done;
}
