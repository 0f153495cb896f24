import type { Manifest } from './manifest.ts';

export type PackageManagerName = 'npm' | 'pnpm' | 'yarn' | 'bun';

/** Lockfiles and their package managers, in order of precedence. */
const LOCKFILES: readonly (readonly [lockfile: string, PackageManagerName])[] = [
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
];
const NAMES: readonly string[] = LOCKFILES.map(([, name]) => name);
const isName = (name: string): name is PackageManagerName => NAMES.includes(name);

export interface LockedBy {
  name: PackageManagerName;
  /** Undefined if there is no lockfile. */
  lockfile: string | undefined;
  /** The version that package.json names; undefined if it names none, or another package manager. */
  version: string | undefined;
  /** The range of versions that it names in the place of one. */
  range: string | undefined;
}

type Named = Pick<Manifest, 'packageManager' | 'devEngines'>;

/** Returns the package manager that package.json names: by `packageManager`, else by the first of `devEngines`, as Corepack does. */
function namedBy({ packageManager, devEngines }: Named): { name: string; version?: string; range?: string } {
  const [, exact, version] = /^([a-z]+)@([\w.-]+)/.exec(packageManager ?? '') ?? [];
  if (exact !== undefined) return { name: exact, ...(version === undefined ? {} : { version }) };
  const [{ name = '', version: range = '' } = {}] = [devEngines?.packageManager ?? []].flat();
  return { name, ...(/^\d+\.\d+\.\d+[\w.-]*$/.test(range) ? { version: range } : { range }) };
}

/**
 * Returns the package manager of a repository's lockfile. Of several lockfiles, the one of the manager that package.json
 * names takes precedence, then the first in the order of LOCKFILES.
 *
 * @param exists tells whether a file is beside package.json
 */
export function lockedBy(exists: (file: string) => boolean, manifest: Named): LockedBy {
  const { name: named, version, range } = namedBy(manifest);
  const present = LOCKFILES.filter(([lockfile]) => exists(lockfile));
  const [lockfile, found] = present.find(([, of]) => of === named) ?? present[0] ?? [];
  // Without a lockfile, an unknown package manager counts as one that is not supported.
  const name = found ?? (isName(named) ? named : named === '' ? 'npm' : 'bun');
  return { name, lockfile, ...(name === named ? { version, range } : { version: undefined, range: undefined }) };
}
