/** Milliseconds that an invocation waits at least for a busy environment before another one is started: most are shorter. */
const MIN_MS = 15;
/** At most: what the start of a thread, or of an environment on a stalled machine, takes does not tell what the next one will. */
const MAX_MS = 100;

/**
 * Returns how long an invocation waits for a busy environment before another one is started: as long as the last start took. On a busy
 * machine, where an import takes long, the start of more environments would only delay the running invocations
 * (docs/decisions/0062-speed-and-footprint.md).
 *
 * @param lastStartMs undefined before the first start
 */
export const busyTimeoutMs = (lastStartMs: number | undefined): number =>
  Math.min(MAX_MS, Math.max(MIN_MS, lastStartMs ?? MIN_MS));
