import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const KEY_BYTES = 32;

/** Returns the 32-byte key in a file that only the owner may read. The first call generates it. */
export function keyFromFile(directory: string, name: string): Buffer {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, name);
  // A full disk may have left an empty file, which would be a key that everyone knows.
  if (statSync(file, { throwIfNoEntry: false })?.size !== KEY_BYTES) {
    writeFileSync(`${file}.new`, randomBytes(KEY_BYTES), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }
  return readFileSync(file);
}
