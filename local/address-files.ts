import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UserError } from './data-directory.ts';
import { createDirectory } from './directories.ts';

/** The files that receive the addresses and keys of a run. */
export interface AddressFiles {
  /** Writes all files atomically: a program that waits for one never reads an incomplete file. */
  write(content: object): void;
}

/** Throws a user error if the path of `LOCAL_JSON` is not a file, or cannot be written. */
export function requireWritable(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false)
    throw new UserError(`LOCAL_JSON must be a file, but ${path} is not.`);
  try {
    createDirectory(dirname(path));
    writeFileSync(`${path}.new`, '', { mode: 0o600 });
    rmSync(`${path}.new`);
  } catch (error) {
    throw new UserError(`LOCAL_JSON cannot be written: ${error instanceof Error ? error.message : error}`);
  }
}

/**
 * Returns the files of a run: `local.json` in its data directory, and the other file if given (`LOCAL_JSON`). Deletes the files of
 * an earlier run, because their existence means that the run is ready.
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
