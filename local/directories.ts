import { existsSync, mkdirSync, statSync } from 'node:fs';
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
