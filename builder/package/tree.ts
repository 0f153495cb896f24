import { type Dirent, existsSync, type Stats } from 'node:fs';
import { readdir, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Job } from '../../providers/builds/builds.ts';
import { BuildFailure } from '../failure.ts';

/** One thing that goes into the artifact. */
export interface Item {
  /** Its path there, with `/`. */
  path: string;
  source: string;
  size: number;
  executable: boolean;
  /** Where a link points to, relative to its place. */
  link?: string;
}

/** A directory that is packaged, and where in the artifact it goes. */
interface Root {
  from: string;
  to: string;
}

/** What the platform itself puts into the artifact. */
export const RESERVED = ['run.sh', '.service'] as const;

const STANDALONE = '.next/standalone';
const NUXT_OUTPUT = '.output';

/** What of the tree is needed to run: what Next.js or Nuxt made to stand alone, else everything. */
function rootsOf({ framework, startFile }: Pick<Job, 'framework' | 'startFile'>): Root[] {
  if (framework === 'NEXTJS' && startFile.startsWith(`${STANDALONE}/`)) {
    // Next.js leaves these two to whoever hosts it.
    return [STANDALONE, '.next/static', 'public'].map((from) => ({
      from,
      to: from === STANDALONE ? from : `${STANDALONE}/${from}`,
    }));
  }
  if (framework === 'NUXT' && startFile.startsWith(`${NUXT_OUTPUT}/`)) return [{ from: NUXT_OUTPUT, to: NUXT_OUTPUT }];
  return [{ from: '', to: '' }];
}

/** Whether all of the tree is packaged, `node_modules` too: a framework's own output has in it what it needs. */
export const packagesAll = (job: Pick<Job, 'framework' | 'startFile'>): boolean =>
  rootsOf(job).some(({ from }) => from === '');

/** What tools keep for their next run. */
const CACHES = ['.next/cache', 'node_modules/.cache'] as const;

/**
 * Everything that goes into the artifact. Links that lead out of the repository are refused.
 * @param left out: paths of what is not needed to run
 */
export async function collect(
  directory: string,
  job: Pick<Job, 'framework' | 'startFile'>,
  left: ReadonlySet<string>,
): Promise<Item[]> {
  const repository = await realpath(directory);
  const roots = rootsOf(job).filter(({ from }) => existsSync(join(repository, from)));
  for (const { from } of roots) await insideOf(repository, join(repository, from), from);
  const skipped = (path: string): boolean => isOurs(path) || left.has(path);
  const collected = await Promise.all(roots.map((root) => collectRoot(repository, root, skipped)));
  return collected.flat().sort((a, b) => (a.path < b.path ? -1 : 1));
}

const OURS: readonly string[] = ['.git', ...RESERVED, ...CACHES];
const isOurs = (path: string) => OURS.includes(path);

async function collectRoot(
  repository: string,
  { from, to }: Root,
  skipped: (path: string) => boolean,
): Promise<Item[]> {
  const items: Item[] = [];

  /** @param through links that led here, by what they point to: none is followed twice on one way */
  const walk = async (source: string, path: string, through: readonly string[]): Promise<void> => {
    const entries = await readdir(source, { withFileTypes: true });
    await Promise.all(
      entries.map((entry) => {
        const at = path === '' ? entry.name : `${path}/${entry.name}`;
        return skipped(at) ? undefined : add(join(source, entry.name), at, entry, through);
      }),
    );
  };

  const add = async (
    source: string,
    path: string,
    entry: Dirent | Stats,
    through: readonly string[],
  ): Promise<void> => {
    if (entry.isDirectory()) return walk(source, path, through);
    if (entry.isSymbolicLink()) return addLink(source, path, through);
    // Sockets and the like are nothing to package.
    if (!entry.isFile()) return;
    const { size, mode } = await stat(source);
    items.push({ path, source, size, executable: (mode & 0o111) !== 0 });
  };

  const addLink = async (source: string, path: string, through: readonly string[]): Promise<void> => {
    const target = resolve(dirname(source), await readlink(source));
    const inside = await insideOf(repository, target, path);
    const found = await stat(target).catch(() => undefined);
    // A link to nothing, or to what was left out on purpose (a development tool in node_modules/.bin).
    if (!found || pathsTo(inside).some(skipped)) return;
    if (from === '' || pathsTo(inside).includes(from)) {
      const link = relative(dirname(source), target).split(sep).join('/');
      items.push({ path, source, size: link.length, executable: false, link });
    } else if (!through.includes(target)) {
      // It points out of the part that is packaged: what is there goes in its place.
      await add(target, path, found, [...through, target]);
    }
  };

  await walk(join(repository, from), to, []);
  return items;
}

/**
 * Where something is in the repository, by its own path. Throws where it is elsewhere, be it by a link on the way: what is
 * read here is read with rights that the owner's commands do not have.
 */
async function insideOf(repository: string, target: string, path: string): Promise<string> {
  const real = await realpath(target).catch(() => target);
  const [said, is] = [target, real].map((each) => relative(repository, each).split(sep).join('/'));
  if (said === undefined || is === undefined || [said, is].some(isOutside)) {
    throw new BuildFailure(`The link "${path}" points out of the repository, to ${real}.`);
  }
  return said;
}

const isOutside = (path: string): boolean => path === '..' || path.startsWith('../../') || isAbsolute(path);

/** A path and everything above it: `a/b/c` is in `a`, `a/b` and itself. */
const pathsTo = (path: string): string[] =>
  path.split('/').map((_, index, segments) => segments.slice(0, index + 1).join('/'));
