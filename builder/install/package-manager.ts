import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from './manifest.ts';

/** Which package manager a repository is written for, and how it installs exactly what is locked. */
export interface PackageManager {
  name: 'npm' | 'pnpm' | 'yarn' | 'bun';
  /** The package that brings it, with its version, e.g. `pnpm@10.34.9`; undefined where the image has it: npm. */
  tool: string | undefined;
  /** Undefined where nothing is locked. */
  lockfile: string | undefined;
  /** The install command that goes with it; undefined for one that is not supported. */
  install: string | undefined;
}

/** What is read when, and in which order where there are several. */
const LOCKFILES: [lockfile: string, PackageManager['name']][] = [
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
];

/** The versions to take where the repository does not name one: the last that write the lockfile's format. */
const PNPM: Record<string, string> = { '5': '7', '6': '8', '9': '10' };
const YARN_CLASSIC = '1.22.22';
const YARN_BERRY = '4';

/**
 * The package manager that a repository's lockfile asks for. Of several lockfiles the one of the manager in the field
 * `packageManager` counts, else the first in the order above.
 */
export function packageManagerOf(directory: string, manifest: Manifest): PackageManager {
  const [, named, version] = /^([a-z]+)@([\w.-]+)/.exec(manifest.packageManager ?? '') ?? [];
  const present = LOCKFILES.filter(([lockfile]) => existsSync(join(directory, lockfile)));
  const [lockfile, name = named ?? 'npm'] = present.find(([, of]) => of === named) ?? present[0] ?? [];
  const exact = name === named ? version : undefined;
  const read = () => (lockfile === undefined ? '' : readFileSync(join(directory, lockfile), 'utf8'));
  switch (name) {
    case 'npm':
      return { name, tool: undefined, lockfile, install: lockfile === undefined ? 'npm install' : 'npm ci' };
    case 'pnpm':
      return {
        ...{ name, tool: `pnpm@${exact ?? pnpmFor(read())}`, lockfile },
        install: lockfile === undefined ? 'pnpm install' : 'pnpm install --frozen-lockfile',
      };
    case 'yarn':
      return { name, lockfile, ...yarnFor(read(), exact) };
    default:
      return { name: 'bun', tool: undefined, lockfile, install: undefined };
  }
}

/** The version of pnpm for a lockfile; the newest for a format that came later. */
function pnpmFor(lockfile: string): string {
  const format = /^lockfileVersion:\s*['"]?(\d+)/m.exec(lockfile)?.[1];
  return format === undefined ? '10' : (PNPM[format] ?? 'latest');
}

/** Yarn 1 and what came after it: two programs, whose lockfiles tell them apart. */
function yarnFor(lockfile: string, exact: string | undefined): Pick<PackageManager, 'tool' | 'install'> {
  const berry = exact === undefined ? lockfile.includes('\n__metadata:') : !exact.startsWith('1.');
  const frozen = (flag: string) => (lockfile === '' ? '' : ` ${flag}`);
  return berry
    ? { tool: `@yarnpkg/cli-dist@${exact ?? YARN_BERRY}`, install: `yarn install${frozen('--immutable')}` }
    : {
        tool: `yarn@${exact ?? YARN_CLASSIC}`,
        install: `yarn install --non-interactive${frozen('--frozen-lockfile')}`,
      };
}
