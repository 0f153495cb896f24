/** An output of a process; `process.stdout` and `process.stderr` are ones. */
export interface Output {
  write: NodeJS.WriteStream['write'];
}

const WINDOW_MS = 60_000;

/**
 * Limits what an application prints: logs are stored at the platform's cost, and a loop that prints would hide everything else.
 * Beyond the limit of a minute the rest is left out, and one line says so.
 *
 * @param outputs share one limit
 * @param kibibytes that may be printed in a minute
 */
export function limitOutput(outputs: readonly Output[], kibibytes: number, now: () => number = Date.now): void {
  let since = now();
  let left = kibibytes * 1024;
  for (const output of outputs) {
    const original = output.write.bind(output) as (...given: unknown[]) => boolean;
    output.write = ((chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
      if (now() - since >= WINDOW_MS) {
        since = now();
        left = kibibytes * 1024;
      }
      const size = Buffer.byteLength(chunk);
      if (size <= left) {
        left -= size;
        return original(chunk, ...rest);
      }
      if (left >= 0) {
        left = -1;
        original(`[… more than ${kibibytes} KiB were printed in a minute: the rest of it is left out …]\n`);
      }
      // The caller must not wait for what is never written.
      const done = rest.at(-1);
      if (typeof done === 'function') queueMicrotask(() => done());
      return true;
    }) as Output['write'];
  }
}
