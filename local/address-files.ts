import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UserError } from './data-directory.ts';

/** The files that receive the addresses and keys of a run. */
export interface AddressFiles {
  /** Writes them, each as a whole: a program that waits for one never reads a part of it. */
  write(content: object): void;
}

/** Throws a user error where `LOCAL_JSON` is not the path of a file, or of one that this user may not write. */
export function requireWritable(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false)
    throw new UserError(`LOCAL_JSON must be a file, and ${path} is none.`);
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(`${path}.new`, '', { mode: 0o600 });
    rmSync(`${path}.new`);
  } catch (error) {
    throw new UserError(`LOCAL_JSON cannot be written: ${error instanceof Error ? error.message : error}`);
  }
}

/**
 * Returns the files of a run: `local.json` in its data directory and, where one is given, another (`LOCAL_JSON`). Deletes those of
 * an earlier run, because a file that exists means that the run is ready.
 */
export function openAddressFiles(dataDir: string, other?: string): AddressFiles {
  const files = new Set([join(dataDir, 'local.json'), ...(other ? [other] : [])]);
  for (const file of files) rmSync(file, { force: true });
  return {
    write(content) {
      const text = `${JSON.stringify(content, undefined, 2)}\n`;
      for (const file of files) {
        writeFileSync(`${file}.new`, text, { mode: 0o600 });
        renameSync(`${file}.new`, file);
      }
    },
  };
}
