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
  /** The version in the field `packageManager`; undefined if it names none, or another package manager. */
  version: string | undefined;
}

/**
 * Returns the package manager of a repository's lockfile. Of several lockfiles, the one of the manager in the field
 * `packageManager` takes precedence, then the first in the order of LOCKFILES.
 *
 * @param exists tells whether a file is beside package.json
 */
export function lockedBy(exists: (file: string) => boolean, manifest: Pick<Manifest, 'packageManager'>): LockedBy {
  const [, named = '', version] = /^([a-z]+)@([\w.-]+)/.exec(manifest.packageManager ?? '') ?? [];
  const present = LOCKFILES.filter(([lockfile]) => exists(lockfile));
  const [lockfile, found] = present.find(([, of]) => of === named) ?? present[0] ?? [];
  // Without a lockfile, an unknown package manager counts as one that is not supported.
  const name = found ?? (isName(named) ? named : named === '' ? 'npm' : 'bun');
  return { name, lockfile, version: name === named ? version : undefined };
}
