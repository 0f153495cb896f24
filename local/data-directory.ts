import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { createDirectory } from './directories.ts';
import { freePort, reusePort } from './processes/ports.ts';

/** An error that the user can fix. Only its message is shown. */
export class UserError extends Error {}

export interface DataDirectory {
  path: string;
  /** `:memory:`: the directory is temporary and deleted at the end of the run. */
  temporary: boolean;
  /**
   * Returns ports by name. Reuses the ports of the previous run if they are free, so that stored addresses remain valid.
   */
  ports<Name extends string>(...names: Name[]): Promise<Record<Name, number>>;
  /** Releases the directory for another run. */
  release(): void;
}

/** Free space below which a disk counts as full: an engine cannot even log why it ended. */
const MIN_FREE_BYTES = 2 ** 20;

/** Returns a hint about why an engine ended: the folder of the logs, or that the disk is full, in which case the logs are empty. */
export function failureHint(
  path: string,
  { bavail, bsize }: { bavail: number; bsize: number } = statfsSync(path),
): string {
  return bavail * bsize < MIN_FREE_BYTES
    ? `The disk of ${path} is full: make room, and start again`
    : `See ${join(path, 'logs')}`;
}

const LOCK = 'lock.db';
const PORTS = 'ports.json';
/** Names that every run creates in addition to its lock. */
const RUN = [PORTS, 'logs'];
/** Lists the files that the directory contained before its first run. The platform neither deletes them nor restricts access to them. */
const NEIGHBORS = 'neighbours.json';

function neighborsIn(path: string): string[] {
  const file = join(path, NEIGHBORS);
  return existsSync(file) ? z.array(z.string()).parse(JSON.parse(readFileSync(file, 'utf8'))) : [];
}

/** Reasons why a directory cannot be used, by error code of the system or of SQLite. */
const UNUSABLE: Record<string | number, string> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not change it',
  EROFS: 'its file system is read-only',
  EEXIST: 'it is a file',
  // Node reports it for a directory below a read-only one that it would create.
  ENOENT: 'it cannot be created there',
  ENOTDIR: 'it is a file, or below one',
  8: 'this user may not write its files',
  14: 'this user may not write there',
};
const SQLITE_BUSY = 5;

/** Returns the code of a system error, or the primary code of an SQLite error: the lowest byte of its extended code. */
function codeOf(error: unknown): string | number | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('errcode' in error) return Number(error.errcode) & 0xff;
  return 'code' in error ? String(error.code) : undefined;
}

/** Runs work on the directory. Throws a user error if the directory cannot be used. */
function withDirectory<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const reason = UNUSABLE[codeOf(error) ?? ''];
    if (reason === undefined) throw error;
    throw new UserError(`${path} cannot be the data directory: ${reason}. Set another DATA_DIR.`);
  }
}

/**
 * Creates the directory and denies other users access to it, because the mode of the files in it depends on the umask. A directory
 * that contained other files before its first run keeps its mode.
 */
function createPrivate(path: string): void {
  createDirectory(path, 0o700);
  const names = readdirSync(path);
  // The directory of a run whose lock was deleted is still the platform's.
  const isOurs = names.includes(LOCK) || RUN.every((each) => names.includes(each));
  if (names.length > 0 && !isOurs) writeFileSync(join(path, NEIGHBORS), JSON.stringify(names));
  if (neighborsIn(path).length > 0) return;
  const { uid, mode } = statSync(path);
  if (uid === process.getuid?.() && (mode & 0o777) !== 0o700) chmodSync(path, 0o700);
}

/**
 * Locks the directory by an SQLite file. The operating system releases the lock when the process ends, however it ends.
 */
function lock(path: string): DatabaseSync {
  const database = new DatabaseSync(join(path, LOCK));
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE IF NOT EXISTS held (at); COMMIT;');
    return database;
  } catch (error) {
    database.close();
    if (codeOf(error) !== SQLITE_BUSY) throw error;
    throw new UserError(
      `Another run of the platform uses ${path}. Stop it first, or set another DATA_DIR and another PORT for this run.`,
    );
  }
}

/**
 * Deletes a data directory, except for the files that it contained before its first run. Returns false if it does not exist. Throws a
 * user error if a run uses it, or if it is not a data directory, so that a wrong name does no harm.
 */
export function deleteDataDirectory(name: string): boolean {
  const path = resolve(name);
  return withDirectory(path, () => {
    if (!statSync(path, { throwIfNoEntry: false })) return false;
    if (!readdirSync(path).includes(LOCK))
      throw new UserError(`${path} is not a data directory of the platform, so nothing was deleted.`);
    lock(path).close();
    const neighbors = neighborsIn(path);
    const names = neighbors.length > 0 ? readdirSync(path).filter((entry) => !neighbors.includes(entry)) : [''];
    for (const entry of names) rmSync(join(path, entry), { recursive: true, force: true });
    return true;
  });
}

/**
 * Opens and locks a data directory; `:memory:` creates a temporary one. Throws a user error if another run uses the
 * directory, or the directory cannot be used.
 */
export function openDataDirectory(name: string): DataDirectory {
  const temporary = name === ':memory:';
  const path = temporary ? mkdtempSync(join(tmpdir(), 'hosting-platform-')) : resolve(name);
  const lockHandle = withDirectory(path, () => {
    createPrivate(path);
    return lock(path);
  });
  return {
    path,
    temporary,
    release: () => lockHandle.close(),
    async ports<Name extends string>(...names: Name[]) {
      const file = join(path, PORTS);
      const ports: Record<string, number> = {};
      try {
        Object.assign(ports, JSON.parse(readFileSync(file, 'utf8')));
      } catch {
        // The first run.
      }
      for (const each of names) {
        const earlier = ports[each];
        if (!(earlier && (await reusePort(earlier)))) ports[each] = await freePort();
      }
      writeFileSync(file, JSON.stringify(ports));
      return Object.fromEntries(names.map((each) => [each, ports[each] ?? 0])) as Record<Name, number>;
    },
  };
}
