/** An output of a process, such as `process.stdout` and `process.stderr`. */
export interface Output {
  write: NodeJS.WriteStream['write'];
}

const WINDOW_MS = 60_000;

/**
 * Limits the output of an application, because the platform pays for stored logs and a printing loop would hide everything else. Output
 * beyond the limit of a minute is dropped, and one line reports that.
 *
 * @param outputs the outputs, which share one limit
 * @param kibibytes maximum output per minute
 */
export function limitOutput(outputs: readonly Output[], kibibytes: number, now: () => number = Date.now): void {
  let since = now();
  let remaining = kibibytes * 1024;
  for (const output of outputs) {
    const original = output.write.bind(output) as (...given: unknown[]) => boolean;
    output.write = ((chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
      if (now() - since >= WINDOW_MS) {
        since = now();
        remaining = kibibytes * 1024;
      }
      const size = Buffer.byteLength(chunk);
      if (size <= remaining) {
        remaining -= size;
        return original(chunk, ...rest);
      }
      if (remaining >= 0) {
        remaining = -1;
        original(`[… more than ${kibibytes} KiB were printed in a minute: the rest of the minute is left out …]\n`);
      }
      // The caller must not wait for output that is never written.
      const done = rest.at(-1);
      if (typeof done === 'function') queueMicrotask(() => done());
      return true;
    }) as Output['write'];
  }
}
