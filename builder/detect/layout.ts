import { existsSync, realpathSync, statSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { BuildFailure } from '../failure.ts';
import { needsInstall, readManifest } from '../install/manifest.ts';
import { readText } from '../read-text.ts';

/** The directories of an application, as absolute paths. */
export interface Layout {
  /** The application's own directory. */
  app: string;
  /** The directory in which its dependencies are installed. */
  install: string;
  /** The packaged directory: the application's, or the repository whose packages it uses. */
  packaged: string;
}

const LOCKFILES = ['package-lock.json', 'npm-shrinkwrap.json', 'pnpm-lock.yaml', 'yarn.lock'];
const has = (directory: string, files: readonly string[]) => files.some((file) => existsSync(join(directory, file)));

/**
 * Returns the layout of a repository. An application that is a workspace of the repository, or names no dependencies
 * beside the repository's, is installed and packaged with it; one with a lockfile of its own stands alone. Throws
 * BuildFailure if there is no such directory.
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
 * Returns true if a directory is one of the repository's workspaces, if the repository does not say which these are, or if
 * the directory lives from the dependencies of a repository with workspaces.
 */
function isPartOf(repository: string, path: string): boolean {
  const { workspaces } = readManifest(repository) ?? {};
  const pnpm = join(repository, 'pnpm-workspace.yaml');
  const pnpmSettings = existsSync(pnpm) ? readText(pnpm) : undefined;
  if (workspaces === undefined && pnpmSettings === undefined) return false;
  const own = readManifest(join(repository, path));
  if (own === undefined || !needsInstall(own)) return true;
  // Without a list, pnpm installs the repository's own package alone.
  if (workspaces === undefined && !listsPackages(pnpmSettings ?? '')) return false;
  const patterns = workspacePatterns(repository);
  const matches = (pattern: string) => posix.matchesGlob(path, posix.normalize(pattern).replace(/\/$/, ''));
  const isException = (pattern: string) => pattern.startsWith('!');
  if (patterns.every(isException)) return true;
  const last = patterns.findLast((pattern) => matches(pattern.replace(/^!/, '')));
  return last !== undefined && !isException(last);
}

/** Returns the patterns that say which directories of a repository are its workspaces. */
export function workspacePatterns(repository: string): string[] {
  const pnpm = join(repository, 'pnpm-workspace.yaml');
  const settings = existsSync(pnpm) ? readText(pnpm) : '';
  const patterns = [...namesIn(readManifest(repository)?.workspaces), ...packagesOf(settings)];
  const endless = patterns.find((pattern) => pathsOf(pattern) > MAX_PATHS);
  if (endless === undefined) return patterns;
  throw new BuildFailure(
    `The pattern "${endless.slice(0, SHOWN)}" of the workspaces stands for more than ${MAX_PATHS} paths: write it without so many braces.`,
  );
}

/** Most paths that the braces of a pattern may stand for: they multiply, and nothing ends their expansion. */
const MAX_PATHS = 1000;
/** Characters of a pattern that are shown. */
const SHOWN = 100;

/** Letters between `A` and `z`: the longest range of letters. */
const MAX_LETTERS = 58;

/** Returns the number of texts that the inside of a pair of braces stands for: `a,b`, `1..9`, `a..z`. */
function alternativesOf(inside: string): number {
  const [, from, to] = /^(-?\d+)\.\.(-?\d+)/.exec(inside) ?? [];
  if (to !== undefined) return Math.abs(Number(to) - Number(from)) + 1;
  return inside.split(',').length * (inside.includes('..') ? MAX_LETTERS : 1);
}

/** Returns the number of paths that the braces of a pattern stand for, or more where they are nested: `{a,b}/{1..3}` are six. */
function pathsOf(pattern: string): number {
  let paths = 1;
  for (let rest = pattern; ; ) {
    const next = rest.replace(/\{([^{}]*)\}/g, (_, inside: string) => {
      paths *= alternativesOf(inside);
      return '';
    });
    if (next === rest) return paths;
    rest = next;
  }
}

/** Returns true if a pnpm-workspace.yaml lists packages, and has not settings alone. */
export const listsPackages = (yaml: string): boolean => /^\uFEFF?(['"]?)packages\1:/m.test(yaml);

/** Returns the patterns of the field `workspaces`: a list, or Yarn's object with one. */
function namesIn(workspaces: unknown): string[] {
  const list =
    workspaces !== null && typeof workspaces === 'object' && 'packages' in workspaces
      ? workspaces.packages
      : workspaces;
  return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : [];
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
