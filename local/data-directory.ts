import {
  chmodSync,
  existsSync,
  mkdirSync,
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
import { freePort, reusePort } from './processes/ports.ts';

/** An error that the user can fix. Only its message is shown. */
export class UserError extends Error {}

export interface DataDirectory {
  path: string;
  /** `:memory:`: the directory is temporary and deleted at the end of the run. */
  temporary: boolean;
  /**
   * Returns ports by name. Ports of the previous run are reused while they are free, so that stored addresses stay
   * valid.
   */
  ports<Name extends string>(...names: Name[]): Promise<Record<Name, number>>;
  /** Releases the directory for another run. */
  release(): void;
}

/** Space in bytes below which an engine that ended could write nothing any more, its reason included. */
const NO_SPACE = 2 ** 20;

/** Returns where to look for the reason that an engine ended: the logs, which are empty where the disk is full. */
export function whereToLook(
  path: string,
  { bavail, bsize }: { bavail: number; bsize: number } = statfsSync(path),
): string {
  return bavail * bsize < NO_SPACE
    ? `The disk of ${path} is full: make room, and start again`
    : `See ${join(path, 'logs')}`;
}

const LOCK = 'lock.db';
const PORTS = 'ports.json';
/** Names that every run leaves, beside its lock. */
const RUN = [PORTS, 'logs'];
/** The names of what a directory held before its first run, where it held anything: not ours to delete, or to close to others. */
const NEIGHBOURS = 'neighbours.json';

function neighboursIn(path: string): string[] {
  const file = join(path, NEIGHBOURS);
  return existsSync(file) ? z.array(z.string()).parse(JSON.parse(readFileSync(file, 'utf8'))) : [];
}

/** Reasons for which a directory cannot be used, by the code of the system's error or SQLite's. */
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

/** Returns the code of a system error or, as a number, of SQLite, whose extended codes have the code in the lowest byte. */
function codeOf(error: unknown): string | number | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('errcode' in error) return Number(error.errcode) & 0xff;
  return 'code' in error ? String(error.code) : undefined;
}

/** Does what needs the directory. Throws a user error where the directory cannot be used. */
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
 * Creates the directory, and closes it to other users of this machine: the table, sign-ins and logs in it have the modes that the
 * umask gives them. One that held other files before its first run keeps its mode.
 */
function createPrivate(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const names = readdirSync(path);
  // A run whose lock was deleted has no neighbours.
  const isOurs = names.includes(LOCK) || RUN.every((each) => names.includes(each));
  if (names.length > 0 && !isOurs) writeFileSync(join(path, NEIGHBOURS), JSON.stringify(names));
  if (neighboursIn(path).length > 0) return;
  const { uid, mode } = statSync(path);
  if (uid === process.getuid?.() && (mode & 0o777) !== 0o700) chmodSync(path, 0o700);
}

/**
 * Locks the directory through a SQLite file. The operating system releases the lock when the process ends in any way.
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
 * Deletes a data directory, but for what it held before its first run. Returns false if there is none. Throws a user error if a
 * run uses it, and for a directory without the data of a run, so that a wrong name does no harm.
 */
export function deleteDataDirectory(name: string): boolean {
  const path = resolve(name);
  return withDirectory(path, () => {
    if (!statSync(path, { throwIfNoEntry: false })) return false;
    if (!readdirSync(path).includes(LOCK))
      throw new UserError(`${path} is not a data directory of the platform, so nothing was deleted.`);
    lock(path).close();
    const neighbours = neighboursIn(path);
    const names = neighbours.length > 0 ? readdirSync(path).filter((each) => !neighbours.includes(each)) : [''];
    for (const each of names) rmSync(join(path, each), { recursive: true, force: true });
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
