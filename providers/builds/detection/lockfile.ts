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
  /** The range of versions that package.json names instead of one version. */
  range: string | undefined;
}

type PackageManagerFields = Pick<Manifest, 'packageManager' | 'devEngines'>;

/** Returns the package manager that package.json names: in `packageManager`, else the first in `devEngines`, as Corepack does. */
function namedPackageManager({ packageManager, devEngines }: PackageManagerFields): {
  name: string;
  version?: string;
  range?: string;
} {
  const [, exact, version] = /^([a-z]+)@([\w.-]+)/.exec(packageManager ?? '') ?? [];
  if (exact !== undefined) return { name: exact, ...(version === undefined ? {} : { version }) };
  const [{ name = '', version: range = '' } = {}] = [devEngines?.packageManager ?? []].flat();
  return { name, ...(/^\d+\.\d+\.\d+[\w.-]*$/.test(range) ? { version: range } : { range }) };
}

/**
 * Returns the package manager of a repository's lockfile. Among several lockfiles, that of the manager named in package.json takes
 * precedence, then the first in the order of LOCKFILES.
 *
 * @param exists returns true if a file exists in the directory of package.json
 */
export function lockedBy(exists: (file: string) => boolean, manifest: PackageManagerFields): LockedBy {
  const { name: named, version, range } = namedPackageManager(manifest);
  const present = LOCKFILES.filter(([lockfile]) => exists(lockfile));
  const [lockfile, found] = present.find(([, manager]) => manager === named) ?? present[0] ?? [];
  // Every package manager reads the dependencies of package.json, so npm replaces an unknown one.
  const name = found ?? (isName(named) ? named : 'npm');
  return { name, lockfile, ...(name === named ? { version, range } : { version: undefined, range: undefined }) };
}
