import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { freePort, isFree } from './processes/ports.ts';

/** Something that the user can put right: its message is all that is shown. */
export class Trouble extends Error {}

export interface DataDirectory {
  path: string;
  /** `:memory:`: the directory is a temporary one that goes with the run. */
  temporary: boolean;
  /** Ports by name: those of the last run where they are still free, so that stored addresses stay true. */
  ports<Name extends string>(...names: Name[]): Promise<Record<Name, number>>;
  /** Lets another run have it. */
  release(): void;
}

/** Free ports, all different. */
async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}

/** Whoever holds the lock of this file has the directory; the system takes it back however its holder ends. */
function lock(path: string): DatabaseSync {
  const database = new DatabaseSync(join(path, 'lock.db'));
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE IF NOT EXISTS held (at); COMMIT;');
    return database;
  } catch {
    database.close();
    throw new Trouble(
      `Another run of the platform is using ${path}. End it first, or give this one a directory of its own (DATA_DIR) and another PORT.`,
    );
  }
}

/** Opens the data directory for this run alone; `:memory:` makes one that goes with it. Throws {@link Trouble}. */
export function openDataDirectory(name: string): DataDirectory {
  const temporary = name === ':memory:';
  const path = temporary ? mkdtempSync(join(tmpdir(), 'hosting-platform-')) : resolve(name);
  mkdirSync(path, { recursive: true });
  const held = lock(path);
  return {
    path,
    temporary,
    release: () => held.close(),
    async ports<Name extends string>(...names: Name[]) {
      const file = join(path, 'ports.json');
      const ports: Record<string, number> = {};
      try {
        Object.assign(ports, JSON.parse(readFileSync(file, 'utf8')));
      } catch {
        // The first run.
      }
      const free = await Promise.all(names.map(async (each) => (ports[each] ? await isFree(ports[each]) : false)));
      const fresh = await freePorts(free.filter((yes) => !yes).length);
      for (const [index, each] of names.entries()) if (!free[index]) ports[each] = fresh.pop() ?? 0;
      writeFileSync(file, JSON.stringify(ports));
      return Object.fromEntries(names.map((each) => [each, ports[each] ?? 0])) as Record<Name, number>;
    },
  };
}
