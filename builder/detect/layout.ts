import { existsSync, realpathSync, statSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { BuildFailure } from '../failure.ts';
import { needsInstall, readManifest } from '../install/manifest.ts';
import { readText } from '../read-text.ts';

/** The directories of an application, as absolute paths. */
export interface Layout {
  /** The application's directory. */
  app: string;
  /** The directory in which its dependencies are installed. */
  install: string;
  /** The packaged directory: the application's, or the repository whose packages it uses. */
  packaged: string;
}

const LOCKFILES = ['package-lock.json', 'npm-shrinkwrap.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb'];
const has = (directory: string, files: readonly string[]) => files.some((file) => existsSync(join(directory, file)));

/**
 * Returns the layout of a repository. An application that is a workspace of the repository, or has no dependencies of its own, is installed
 * and packaged together with the repository. An application with its own lockfile is not. Throws BuildFailure if the directory does not
 * exist.
 */
export function layoutOf(repository: string, rootDirectory: string | null): Layout {
  const path = posix.normalize(rootDirectory ?? '.').replace(/\/$/, '');
  const app = path === '.' ? repository : join(repository, path);
  if (app === repository) return { app, install: repository, packaged: repository };
  if (statSync(app, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new BuildFailure(`The root directory "${rootDirectory}" was not found in the repository.`);
  }
  if (relative(realpathSync(repository), realpathSync(app)).startsWith('..')) {
    throw new BuildFailure(`The root directory "${rootDirectory}" is outside of the repository.`);
  }
  return isPartOf(repository, path) && !has(app, LOCKFILES)
    ? { app, install: repository, packaged: repository }
    : { app, install: app, packaged: app };
}

/**
 * Returns true if the repository has workspaces and the directory is one of them, or the repository does not list them, or the directory
 * has no dependencies of its own.
 */
function isPartOf(repository: string, path: string): boolean {
  const { workspaces } = readManifest(repository) ?? {};
  const pnpm = join(repository, 'pnpm-workspace.yaml');
  const pnpmSettings = existsSync(pnpm) ? readText(pnpm) : undefined;
  if (workspaces === undefined && pnpmSettings === undefined) return false;
  const own = readManifest(join(repository, path));
  if (own === undefined || !needsInstall(own)) return true;
  // Without a list of packages, pnpm installs only the root package.
  if (workspaces === undefined && !listsPackages(pnpmSettings ?? '')) return false;
  const patterns = workspacePatterns(repository);
  const matches = (pattern: string) => posix.matchesGlob(path, posix.normalize(pattern).replace(/\/$/, ''));
  const isException = (pattern: string) => pattern.startsWith('!');
  if (patterns.every(isException)) return true;
  const last = patterns.findLast((pattern) => matches(pattern.replace(/^!/, '')));
  return last !== undefined && !isException(last);
}

/** Returns the patterns of a repository's workspaces. Throws BuildFailure if they expand to too many paths. */
export function workspacePatterns(repository: string): string[] {
  const pnpm = join(repository, 'pnpm-workspace.yaml');
  const settings = existsSync(pnpm) ? readText(pnpm) : '';
  const patterns = [...namesIn(readManifest(repository)?.workspaces), ...packagesOf(settings)];
  if (patterns.reduce((sum, pattern) => sum + pathsOf(pattern), 0) <= MAX_PATHS) return patterns;
  throw new BuildFailure(
    `The workspace patterns expand to more than ${MAX_PATHS} paths: use "*" instead of braces and single paths.`,
  );
}

/** Maximum paths to which the patterns of the workspaces may expand. Several braces multiply, and the expansion has no limit of its own. */
const MAX_PATHS = 1000;
/** Maximum length of a pattern in characters, which is Linux's maximum for paths. */
const MAX_PATTERN = 4096;
/** Characters from `A` to `z`: the longest range of letters. */
const MAX_LETTERS = 58;
/** Placeholder for nested braces that have been counted. */
const NESTED = '\0';

/** Returns the number of alternatives inside a pair of braces: `a,b`, `1..9`, `a..z`. */
function alternativesOf(inside: string): number {
  // The end of a range may itself contain braces: `{1..{8,9}000000}`.
  if (inside.includes('..') && inside.includes(NESTED)) return Number.POSITIVE_INFINITY;
  const [, from, to] = /^(-?\d+)\.\.(-?\d+)/.exec(inside) ?? [];
  if (to !== undefined) return Math.abs(Number(to) - Number(from)) + 1;
  return inside.split(',').length * (inside.includes('..') ? MAX_LETTERS : 1);
}

/** Returns the number of paths to which a pattern expands, or more if its braces are nested: `{a,b}/{1..3}` expands to six. */
function pathsOf(pattern: string): number {
  if (pattern.length > MAX_PATTERN) return Number.POSITIVE_INFINITY;
  let paths = 1;
  for (let rest = pattern; ; ) {
    const next = rest.replace(/\{([^{}]*)\}/g, (_, inside: string) => {
      paths *= alternativesOf(inside);
      return NESTED;
    });
    if (next === rest) return paths;
    rest = next;
  }
}

/** Returns true if a pnpm-workspace.yaml lists packages and not only settings. */
export const listsPackages = (yaml: string): boolean => /^\uFEFF?(['"]?)packages\1:/m.test(yaml);

/** Returns the patterns of the field `workspaces`: a list, or Yarn's object with a list. */
function namesIn(workspaces: unknown): string[] {
  const list =
    workspaces !== null && typeof workspaces === 'object' && 'packages' in workspaces
      ? workspaces.packages
      : workspaces;
  return Array.isArray(list) ? list.filter((pattern) => typeof pattern === 'string') : [];
}

/** Returns the patterns of a pnpm-workspace.yaml: the items of its list `packages`. */
function packagesOf(yaml: string): string[] {
  const [, inline, rest = ''] = /^\uFEFF?['"]?packages['"]?:[ \t]*(?:\[([^\]]*)\])?(.*)/ms.exec(yaml) ?? [];
  const lines = rest.split('\n').map((line) => line.replace(/(^|\s)#.*$/, '').trim());
  const end = lines.findIndex((line) => line !== '' && !line.startsWith('- '));
  // A comma inside of braces belongs to its pattern.
  const items = inline?.split(/,(?![^{]*\})/) ?? lines.slice(0, end < 0 ? undefined : end).map((line) => line.slice(2));
  return items.map((item) => item.trim().replace(/^(['"])(.*)\1$/, '$2')).filter((item) => item !== '');
}
