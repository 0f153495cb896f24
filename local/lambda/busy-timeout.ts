/** Minimum wait: most invocations end within it. */
const MIN_MS = 15;
/** Maximum wait: the start of a thread, or on a stalled machine, takes long and does not predict the duration of the next start. */
const MAX_MS = 100;

/**
 * Returns the time for which an invocation waits for a busy environment before another one is started: the duration of the last start. On a
 * busy machine, where an import takes long, starting more environments would only delay the running invocations
 * (docs/decisions/0062-speed-and-footprint.md).
 *
 * @param lastStartMs undefined before the first start
 */
export const busyTimeoutMs = (lastStartMs: number | undefined): number =>
  Math.min(MAX_MS, Math.max(MIN_MS, lastStartMs ?? MIN_MS));
