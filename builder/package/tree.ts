import { type Dirent, existsSync, type Stats } from 'node:fs';
import { readdir, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, posix, relative, resolve, sep } from 'node:path';
import { MAX_ENTRIES } from '../../providers/archives/zip.ts';
import type { Start } from '../detect/existing-start.ts';
import { BuildFailure } from '../failure.ts';

/** A file or link of the artifact. */
export interface Item {
  /** Path in the artifact, with `/`. */
  path: string;
  source: string;
  size: number;
  executable: boolean;
  /** Target of a link, relative to the link's directory. */
  link?: string;
}

/** Returns the size of items in bytes. */
export const sizeOf = (items: readonly Item[]): number => items.reduce((sum, { size }) => sum + size, 0);

/** A packaged directory and its path in the artifact. */
interface Root {
  from: string;
  to: string;
}

/** Paths of the artifact that the platform writes. */
export const RESERVED = ['run.sh', '.service'] as const;

/**
 * Throws BuildFailure if a start uses a file of the owner that the platform replaces by its own: `sh run.sh` would start itself endlessly.
 * @param directory the application's directory, relative to the packaged directory
 */
export function assertUnreserved(start: Start, directory: string, packaged: string): void {
  const words =
    start.kind === 'shell' ? start.command.split(/[\s;&|()<>'"]+/) : start.kind === 'node' ? [start.file] : [];
  // With `cd`, the directory in which the shell uses a file is unknown.
  if (words.includes('cd')) return;
  for (const word of words) {
    const [top = ''] = posix.join(directory, start.directory, word).split('/');
    if (!RESERVED.some((name) => name === top) || !existsSync(join(packaged, top))) continue;
    throw new BuildFailure(
      `The application is started with "${word}", but the platform adds its own file "${top}" to a release: rename yours.`,
    );
  }
}

/** Matches the standalone output of Next.js, and the path of the package that was built, with which a file begins. */
const STANDALONE = /^((?:[^/]+\/){0,3}?)\.next\/standalone(?=\/)/;
/** The output of Nitro, which Nuxt and other frameworks use. */
const NITRO_OUTPUT = '.output';

/**
 * Returns the directories that are needed at run time: the standalone output of Next.js or Nitro, the files of a site, otherwise the whole
 * repository.
 * @param directory the application's directory, relative to the repository
 */
function packageRoots(start: Start, directory: string): Root[] {
  const inRepository = (path: string) => posix.join(directory, path).replace(/^\.$/, '');
  const whole = (from: string) => ({ from, to: from });
  if (start.kind === 'site') return [whole(inRepository(start.directory))];
  if (start.kind === 'node' && start.directory === '') {
    // The output may be that of a package below, if the root of a monorepo is the application.
    const [standalone, base = ''] = STANDALONE.exec(start.file) ?? [];
    if (standalone !== undefined) {
      // Next.js expects the hosting platform to copy these two directories.
      const copied = ['.next/static', 'public'].map((path) => ({
        from: inRepository(posix.join(base, path)),
        to: inRepository(posix.join(posix.dirname(start.file), path)),
      }));
      return [whole(inRepository(standalone)), ...copied];
    }
    if (start.file.startsWith(`${NITRO_OUTPUT}/`)) return [whole(inRepository(NITRO_OUTPUT))];
  }
  return [whole('')];
}

/**
 * Returns true if the whole repository is packaged, including `node_modules`. A framework's standalone output contains its own dependencies.
 */
export const isWholeTreePackaged = (start: Start, directory: string): boolean =>
  packageRoots(start, directory).some(({ from }) => from === '');

/**
 * Collects the items of the artifact. Throws BuildFailure for links that point out of the repository.
 * @param packaged the directory whose contents are packaged
 * @param directory the application's directory, relative to the packaged directory
 * @param excluded paths that are not needed at run time
 * @param cloned the repository, whose other directories the packaged one may link to (`"shared": "file:../shared"`)
 */
export async function collect(
  packaged: string,
  start: Start,
  directory: string,
  excluded: ReadonlySet<string>,
  cloned = packaged,
): Promise<Item[]> {
  const [base, repository] = await Promise.all([realpath(packaged), realpath(cloned)]);
  const roots = packageRoots(start, directory).filter(({ from }) => existsSync(join(base, from)));
  for (const { from } of roots) await assertInsideRepo(base, join(base, from), from);
  const isSkipped = (path: string): boolean => isPlatformPath(path) || excluded.has(path);
  const collected = await Promise.all(roots.map((root) => collectRoot({ base, repository }, root, isSkipped)));
  // If the build has already copied these directories into its standalone output, the files of the first root take precedence.
  const items = new Map(collected.reverse().flatMap((list) => list.map((item) => [item.path, item] as const)));
  return [...items.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

const PLATFORM_PATHS: readonly string[] = ['.git', ...RESERVED];
/** Submodules have a `.git` too. */
const isPlatformPath = (path: string) => PLATFORM_PATHS.includes(path) || path.endsWith('/.git');

async function collectRoot(
  { base, repository }: { base: string; repository: string },
  { from, to }: Root,
  isSkipped: (path: string) => boolean,
): Promise<Item[]> {
  const items: Item[] = [];
  let followed = 0;

  /**
   * Adds a directory's entries.
   * @param through targets of the links on the current path, which are not followed twice
   */
  const walk = async (source: string, path: string, through: readonly string[]): Promise<void> => {
    const entries = await readdir(source, { withFileTypes: true });
    await Promise.all(
      entries.map((entry) => {
        const at = path === '' ? entry.name : `${path}/${entry.name}`;
        if (isSkipped(at)) return undefined;
        const from = join(source, entry.name);
        // Node replaces bytes that are not UTF-8, so the file cannot be found under the resulting name.
        if (entry.name.includes('\uFFFD') && !existsSync(from)) {
          throw new BuildFailure(`The name of the file "${at}" is not in UTF-8: rename it.`);
        }
        return add(from, at, entry, through);
      }),
    );
  };

  const add = async (
    source: string,
    path: string,
    entry: Dirent | Stats,
    through: readonly string[],
  ): Promise<void> => {
    // Directories that link to each other have as many paths as there are orders of them.
    if (through.length > 0) followed += 1;
    if (followed > MAX_ENTRIES)
      throw new BuildFailure(
        `The links in "${from}" point to more than 65,000 files and directories: package directories without links.`,
      );
    if (entry.isDirectory()) return walk(source, path, through);
    if (entry.isSymbolicLink()) return addLink(source, path, through);
    // Skips sockets and other special files.
    if (!entry.isFile()) return;
    const { size, mode } = await stat(source);
    items.push({ path, source, size, executable: (mode & 0o111) !== 0 });
  };

  const addLink = async (source: string, path: string, through: readonly string[]): Promise<void> => {
    const found = await stat(source).catch(() => undefined);
    // A broken link is harmless, wherever it points: `notes -> /Users/me/notes`.
    if (!found) return;
    const target = await targetOf(source);
    await assertInsideRepo(repository, target, path);
    const targetPath = pathFrom(base, target);
    // Skips links to excluded files (such as a development tool in node_modules/.bin).
    if (pathsTo(targetPath).some(isSkipped)) return;
    const below = pathFrom(join(base, from), target);
    if (!isOutside(below)) {
      // From the link's path in the artifact, which differs from its source behind a link that was followed.
      const link = posix.relative(posix.dirname(path), posix.join(to, below)) || '.';
      items.push({ path, source, size: link.length, executable: false, link });
    } else {
      // The link points out of the packaged directory, so its target is packaged instead.
      const real = await realpath(target);
      if (!through.includes(real)) await add(target, path, found, [...through, real]);
    }
  };

  await walk(join(base, from), to, []);
  return items;
}

/**
 * Returns the target of a link as the kernel resolves it: in `current/../assets`, `..` is the parent of the directory to which the link
 * `current` points. Further links in the target are kept where they change nothing.
 */
async function targetOf(link: string): Promise<string> {
  const stated = resolve(dirname(link), await readlink(link));
  const [real, statedReal] = await Promise.all([link, stated].map((file) => realpath(file).catch(() => undefined)));
  return real === undefined || real === statedReal ? stated : real;
}

/** Throws BuildFailure if a target lies outside of the repository, also through another link: the builder can read files that the owner's commands cannot. */
async function assertInsideRepo(repository: string, target: string, path: string): Promise<void> {
  const real = await realpath(target).catch(() => target);
  if ([target, real].some((file) => isOutside(pathFrom(repository, file))))
    throw new BuildFailure(`The link "${path}" points out of the repository, to ${real}.`);
}

/** Returns the path of a file relative to a directory, with `/`. */
const pathFrom = (directory: string, file: string): string => relative(directory, file).split(sep).join('/');

const isOutside = (path: string): boolean => path === '..' || path.startsWith('../') || isAbsolute(path);

/** Returns a path and all its parents: `a/b/c`, `a/b` and `a`. */
const pathsTo = (path: string): string[] =>
  path.split('/').map((_, index, segments) => segments.slice(0, index + 1).join('/'));
