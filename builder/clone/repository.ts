import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { BuildFailure } from '../failure.ts';

/** How large a repository may be: more is no application, or what does not belong into Git. */
export interface RepositoryLimits {
  /** Of all files together, and of what is transferred for them. */
  megabytes: number;
  files: number;
}

export const LIMITS: RepositoryLimits = { megabytes: 400, files: 50_000 };

const MEGABYTE = 1024 * 1024;
const LOOK_MS = 200;
/** `git ls-tree` of as many files as are allowed, and of some more to be counted. */
const LONGEST_LISTING = 256 * MEGABYTE;

const tooLarge = (megabytes: number) =>
  new BuildFailure(
    `The repository is larger than ${megabytes} MB, the most that is built: keep large files outside of Git.`,
  );

/**
 * Aborts while what git has fetched into a directory is larger than allowed.
 * @returns the signal, whose reason is the failure, and what ends the watch
 */
export function watchSize(directory: string, { megabytes }: RepositoryLimits): { signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const packs = join(directory, '.git', 'objects', 'pack');
  const look = async (): Promise<void> => {
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
  const timer = setInterval(() => void look(), LOOK_MS);
  return { signal: controller.signal, end: () => clearInterval(timer) };
}

interface Entry {
  mode: string;
  size: number;
  path: string;
}

/** The files of the commit that was fetched, before any of them is written. Throws where they are too many or too large. */
export async function listFiles(
  directory: string,
  environment: Record<string, string>,
  { files, megabytes }: RepositoryLimits,
): Promise<Entry[]> {
  const args = ['-C', directory, 'ls-tree', '-r', '-l', '-z', 'HEAD'];
  const { stdout } = await promisify(execFile)('git', args, { env: environment, maxBuffer: LONGEST_LISTING });
  const entries = stdout
    .split('\0')
    .slice(0, -1)
    .map((line): Entry => {
      const [about = '', path = ''] = line.split('\t');
      const [mode = '', , , size = ''] = about.split(/ +/);
      return { mode, size: Number(size) || 0, path };
    });
  if (entries.length > files) {
    throw new BuildFailure(`The repository has ${entries.length} files; at most ${files} are built.`);
  }
  if (entries.reduce((sum, { size }) => sum + size, 0) > megabytes * MEGABYTE) throw tooLarge(megabytes);
  const submodules = entries.filter(({ mode }) => mode === SUBMODULE);
  if (submodules.length > 0) {
    throw new BuildFailure(
      `The repository has submodules (${some(submodules)}), which are not fetched: add what is needed as packages or files.`,
    );
  }
  return entries;
}

const SUBMODULE = '160000';
/** What stands in the place of a file that is kept in Git LFS: three short lines. */
const POINTER = 'version https://git-lfs.github.com/spec/';
const LONGEST_POINTER = 512;

/** Throws where files are only named in the repository and kept elsewhere (Git LFS): the build would take the names for them. */
export async function refusePointers(directory: string, entries: readonly Entry[]): Promise<void> {
  const read = (path: string) => (existsSync(join(directory, path)) ? readFile(join(directory, path), 'utf8') : '');
  const attributes = entries.filter(({ path }) => /(^|\/)\.gitattributes$/.test(path));
  const settings = await Promise.all(attributes.map(({ path }) => read(path)));
  if (!settings.some((text) => /\bfilter=lfs\b/.test(text))) return;
  const pointers: Entry[] = [];
  for (const entry of entries) {
    if (!entry.mode.startsWith('100') || entry.size < POINTER.length || entry.size > LONGEST_POINTER) continue;
    if ((await read(entry.path)).startsWith(POINTER)) pointers.push(entry);
  }
  if (pointers.length === 0) return;
  throw new BuildFailure(
    `The repository keeps files in Git LFS (${some(pointers)}), which are not fetched: commit them as they are, or fetch them in the build.`,
  );
}

/** The first few by name. */
const some = (entries: readonly Entry[]): string =>
  entries.length > 3
    ? `${entries
        .slice(0, 3)
        .map(({ path }) => path)
        .join(', ')} and ${entries.length - 3} more`
    : entries.map(({ path }) => path).join(', ');
