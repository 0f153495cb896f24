import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the 32-byte key in a file that only the owner may read. The first call generates it. */
export function keyFromFile(directory: string, name: string): Buffer {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, name);
  try {
    writeFileSync(file, randomBytes(32), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  return readFileSync(file);
}
