import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
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

const LOCK = 'lock.db';

/** Names that a directory may hold before its first run: output of a run that is redirected there, and what file systems put there. */
const HARMLESS = /^(local\.json|logs|.+\.log|lost\+found|\.DS_Store)$/;

/**
 * Creates the directory, and closes it to other users of this machine: the table, sign-ins and logs in it have the modes that the
 * umask gives them. Throws a user error for one with other files and none of a run: a reset would delete them.
 */
function createPrivate(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const names = readdirSync(path);
  if (!names.includes(LOCK) && !names.every((name) => HARMLESS.test(name)))
    throw new UserError(`${path} holds other files. Set DATA_DIR to a new or an empty directory.`);
  if (statSync(path).uid === process.getuid?.()) chmodSync(path, 0o700);
}

/**
 * Locks the directory through a SQLite file. The operating system releases the lock when the process ends in any way.
 */
function lock(path: string): DatabaseSync {
  const database = new DatabaseSync(join(path, LOCK));
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE IF NOT EXISTS held (at); COMMIT;');
    return database;
  } catch {
    database.close();
    throw new UserError(
      `Another run of the platform uses ${path}. Stop it first, or set another DATA_DIR and another PORT for this run.`,
    );
  }
}

/**
 * Opens and locks a data directory; `:memory:` creates a temporary one. Throws a user error if another run uses the
 * directory, or it holds other files.
 */
export function openDataDirectory(name: string): DataDirectory {
  const temporary = name === ':memory:';
  const path = temporary ? mkdtempSync(join(tmpdir(), 'hosting-platform-')) : resolve(name);
  createPrivate(path);
  const lockHandle = lock(path);
  return {
    path,
    temporary,
    release: () => lockHandle.close(),
    async ports<Name extends string>(...names: Name[]) {
      const file = join(path, 'ports.json');
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
