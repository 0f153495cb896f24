import { lstatSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { readTool } from '../commands/child.ts';
import { BuildFailure } from '../failure.ts';
import { readText } from '../read-text.ts';

/** Limits of a repository's size. A larger repository contains files that do not belong in Git. */
export interface RepositoryLimits {
  /** MiB of all files together, and of the data transferred for them. */
  megabytes: number;
  files: number;
}

export const LIMITS: RepositoryLimits = { megabytes: 400, files: 50_000 };

const MEGABYTE = 1024 * 1024;
const POLL_MS = 200;
/** Maximum output of `git ls-tree` in bytes: above the number of files allowed, so that an excess can be counted. */
const MAX_LISTING_BYTES = 256 * MEGABYTE;

const tooLarge = (megabytes: number) =>
  new BuildFailure(`The repository exceeds the limit of ${megabytes} MB: keep large files outside of Git.`);

/**
 * Watches the size of the data that Git fetches into a directory.
 * @returns a signal that aborts with a BuildFailure when the size exceeds the limit, and a function that stops watching
 */
export function watchSize(directory: string, { megabytes }: RepositoryLimits): { signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const packs = join(directory, '.git', 'objects', 'pack');
  const measure = async (): Promise<void> => {
    const names = await readdir(packs).catch(() => []);
    const sizes = await Promise.all(
      names.map((name) =>
        stat(join(packs, name)).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
    );
    if (sizes.reduce((sum, size) => sum + size, 0) > megabytes * MEGABYTE) controller.abort(tooLarge(megabytes));
  };
  const timer = setInterval(() => void measure(), POLL_MS);
  return { signal: controller.signal, end: () => clearInterval(timer) };
}

interface Entry {
  mode: string;
  size: number;
  path: string;
}

/**
 * Lists the files and submodules of the fetched commit before they are written. Throws BuildFailure if they are too many or too large.
 */
export async function listFiles(
  directory: string,
  environment: Record<string, string>,
  { files, megabytes }: RepositoryLimits,
): Promise<Entry[]> {
  const args = ['-C', directory, 'ls-tree', '-r', '-l', '-z', 'HEAD'];
  const { status, stdout } = await readTool('git', args, environment, MAX_LISTING_BYTES);
  if (status !== 0) throw new Error(`git ls-tree exited with ${status}`);
  const entries = stdout
    .split('\0')
    .slice(0, -1)
    .map((line): Entry => {
      const [metadata = '', path = ''] = line.split('\t');
      const [mode = '', , , size = ''] = metadata.split(/ +/);
      return { mode, size: Number(size) || 0, path };
    });
  if (entries.length > files) {
    throw new BuildFailure(`The repository has ${entries.length} files; the limit is ${files}.`);
  }
  if (entries.reduce((sum, { size }) => sum + size, 0) > megabytes * MEGABYTE) throw tooLarge(megabytes);
  return entries;
}

const SUBMODULE = '160000';

/** Returns the paths of a repository's submodules. */
export const submodulesOf = (entries: readonly Entry[]): string[] =>
  entries.filter(({ mode }) => mode === SUBMODULE).map(({ path }) => path);
/** First line of the pointer file that replaces a file stored in Git LFS. */
const POINTER = 'version https://git-lfs.github.com/spec/';
const MAX_POINTER_BYTES = 512;

/** Returns the paths at which a directory has Git LFS pointers instead of files. */
export function pointersIn(directory: string, paths: readonly string[]): string[] {
  const sizeOf = (path: string): number => {
    const found = lstatSync(join(directory, path), { throwIfNoEntry: false });
    return found?.isFile() ? found.size : 0;
  };
  const read = (path: string) => (sizeOf(path) > 0 ? readText(join(directory, path)) : '');
  if (!paths.some((path) => basename(path) === '.gitattributes' && /\bfilter=lfs\b/.test(read(path)))) return [];
  return paths.filter(
    (path) => sizeOf(path) >= POINTER.length && sizeOf(path) <= MAX_POINTER_BYTES && read(path).startsWith(POINTER),
  );
}

/**
 * Throws BuildFailure if the repository contains Git LFS pointers, because the build would treat the pointers as files.
 */
export function refusePointers(directory: string, entries: readonly Entry[]): void {
  const pointers = pointersIn(
    directory,
    entries.map(({ path }) => path),
  );
  if (pointers.length === 0) return;
  throw new BuildFailure(
    `The repository keeps files in Git LFS (${listFirst(pointers)}), which are not fetched: commit the files themselves, or fetch them in the build command.`,
  );
}

/** Formats a list as its first three names and the number of further names. */
export const listFirst = (names: readonly string[]): string =>
  names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ');
