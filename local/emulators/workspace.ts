import { createHash, randomUUID } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, realpathSync, renameSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/**
 * Returns a directory for customers' code: builds and unpacked applications. Node, npm and most tools search all parent
 * directories for `node_modules` and `package.json`. So the directory must not be inside of a project, as `.local` is: an
 * application with a missing dependency would use the platform's. The content is not needed after a restart.
 */
export function workspace(dataDir: string, name: string): string {
  const preferred = resolve(dataDir, name);
  const directory = isInsideProject(preferred) ? join(platformTemporary(), fingerprint(dataDir), name) : preferred;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return directory;
}

/**
 * Removes a directory: renames it immediately and then deletes it. Resolves when it is deleted. Never rejects.
 */
export async function discard(directory: string): Promise<void> {
  if (!existsSync(directory)) return;
  const trash = `${directory}.${randomUUID()}${DISCARDED_SUFFIX}`;
  try {
    renameSync(directory, trash);
    await rm(trash, { recursive: true, force: true });
  } catch (error) {
    console.error(error);
  }
}
/** Suffix of discarded directories, which a killed run may leave behind. */
const DISCARDED_SUFFIX = '.gone';

function isInsideProject(directory: string): boolean {
  for (let child = directory, parent = dirname(child); child !== parent; child = parent, parent = dirname(child)) {
    if (existsSync(join(parent, 'package.json')) || existsSync(join(parent, 'node_modules'))) return true;
  }
  return false;
}

/**
 * Returns the platform's directory in the shared `/tmp`. The name contains the user id. Throws if another user owns the
 * directory.
 */
function platformTemporary(): string {
  const uid = process.getuid?.() ?? 0;
  const directory = join(realpathSync(tmpdir()), `hosting-platform-${uid}`);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const found = lstatSync(directory);
  if (!found.isDirectory() || (process.getuid && found.uid !== uid))
    throw new Error(`${directory} belongs to another user`);
  return directory;
}

const fingerprint = (dataDir: string) => createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 12);
