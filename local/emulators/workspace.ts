import { createHash, randomUUID } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, realpathSync, renameSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/**
 * A directory for the code of others: builds and unpacked applications. Node, npm and most tools look for
 * `node_modules` and `package.json` in every directory above, so it must not lie inside a project, and `.local` does:
 * an application that forgot a dependency would find the platform's. Nothing here is needed after a restart.
 */
export function workspace(dataDir: string, name: string): string {
  const inside = resolve(dataDir, name);
  const directory = insideProject(inside) ? join(ownTemporary(), fingerprint(dataDir), name) : inside;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return directory;
}

/** Takes a directory away at once, and removes what was in it in its own time. Resolves when that is done; never rejects. */
export async function discard(directory: string): Promise<void> {
  if (!existsSync(directory)) return;
  const gone = `${directory}.${randomUUID()}${GONE}`;
  renameSync(directory, gone);
  await rm(gone, { recursive: true, force: true }).catch((error: unknown) => console.error(error));
}
/** How the names of discarded directories end: a killed run leaves some behind. */
const GONE = '.gone';

function insideProject(directory: string): boolean {
  for (let at = directory, up = dirname(at); at !== up; at = up, up = dirname(at)) {
    if (existsSync(join(up, 'package.json')) || existsSync(join(up, 'node_modules'))) return true;
  }
  return false;
}

/** `/tmp` is everybody's: the name carries our user id, and a directory that somebody else made there is refused. */
function ownTemporary(): string {
  const uid = process.getuid?.() ?? 0;
  const directory = join(realpathSync(tmpdir()), `hosting-platform-${uid}`);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const found = lstatSync(directory);
  if (!found.isDirectory() || (process.getuid && found.uid !== uid))
    throw new Error(`${directory} belongs to another user`);
  return directory;
}

const fingerprint = (dataDir: string) => createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 12);
