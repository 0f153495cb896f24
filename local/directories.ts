import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a directory and its missing ancestors, of which `mode` applies to all. Node's own recursion never ends where the system says
 * that an existing parent does not exist, as it does below /proc.
 */
export function createDirectory(path: string, mode?: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST' && statSync(path).isDirectory()) return;
    if (code !== 'ENOENT' || existsSync(dirname(path))) throw error;
    createDirectory(dirname(path), mode);
    createDirectory(path, mode);
  }
}

/** Bounds the repetitions for a directory in which something keeps creating files. */
const MAX_REMOVALS = 100;

/**
 * Removes a directory, also while others remove parts of it: the directory of an ended build, for example. Node's own removal stops without
 * an error at an entry that another thread or process has removed before it, and leaves the remaining entries.
 */
export function removeDirectory(path: string): void {
  for (let count = 0; count < MAX_REMOVALS && existsSync(path); count += 1)
    rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
