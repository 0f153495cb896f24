import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

/**
 * Replaces a file as a whole: whenever this process is killed, `readReplaced` finds the old text or the new one.
 *
 * No rename has an existing target. Renaming over one is atomic too, but ext4 then writes the data to the disk before it
 * returns (its mount option `auto_da_alloc`, https://docs.kernel.org/admin-guide/ext4.html): on a busy disk this takes 10 to 100 ms,
 * in which nothing else of the run goes on.
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

/** Returns the text of a file that `replaceFile` wrote; undefined if there is none. */
export function readReplaced(file: string): string | undefined {
  // The second is left when the process was killed between the two renames.
  for (const name of [file, `${file}.old`]) {
    try {
      return readFileSync(name, 'utf8');
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
  return undefined;
}
