import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

/**
 * Replaces a file atomically: whenever this process is killed, `readReplaced` returns either the old text or the new one.
 *
 * It never renames over an existing file. That would be atomic too, but ext4 would flush the data to the disk before it returns (its
 * mount option `auto_da_alloc`, https://docs.kernel.org/admin-guide/ext4.html). On a busy disk this takes 10 to 100 ms, for which the
 * whole run is blocked.
 */
export function replaceFile(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  rmSync(`${file}.old`, { force: true });
  try {
    renameSync(file, `${file}.old`);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  renameSync(`${file}.new`, file);
}

/** Returns the text of a file that `replaceFile` wrote; undefined if the file does not exist. */
export function readReplaced(file: string): string | undefined {
  // Only the second file exists if the process was killed between the two renames.
  for (const name of [file, `${file}.old`]) {
    try {
      return readFileSync(name, 'utf8');
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
  return undefined;
}
