import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { satisfies, validRange } from 'semver';
import { lockedBy, type PackageManagerName } from '../../providers/builds/detection/lockfile.ts';
import type { Manifest } from '../../providers/builds/detection/manifest.ts';
import { listsPackages } from '../detect/layout.ts';
import { readText } from '../read-text.ts';

/** The package manager of a repository, with its command for installing the locked versions. */
export interface PackageManager {
  name: PackageManagerName;
  /**
   * The npm package that provides it, with its version, such as `pnpm@10.34.9`; undefined for npm, which the image includes.
   */
  tool: string | undefined;
  /** Undefined if there is no lockfile. */
  lockfile: string | undefined;
  /** The install command; undefined if the owner named another one. */
  install: string | undefined;
}

/** pnpm's default version by lockfile format, if the repository names none: the last major version that writes this format. */
const PNPM: Record<string, string> = { '5': '7', '6': '8', '9': '10' };
const PNPM_MAJORS = ['12', '11', '10', '9', '8', '7'];
const YARN_CLASSIC = '1.22.22';
/** Yarn's version by the version of the lockfile's metadata. The newest one applies to later formats and without a lockfile. */
const YARN_BERRY: Record<string, string> = { '4': '2', '5': '3', '6': '3' };
const NEWEST_BERRY = '4';
/** Bun's default version, which reads both formats of its lockfile. */
const BUN = '1';

/** Returns the package manager of a repository, with the version that its lockfile or package.json requires. */
export function packageManagerOf(directory: string, manifest: Manifest): PackageManager {
  const { name, lockfile, version: exact, range } = lockedBy((file) => existsSync(join(directory, file)), manifest);
  const read = () => (lockfile === undefined ? '' : readText(join(directory, lockfile)));
  switch (name) {
    case 'npm':
      return { name, tool: undefined, lockfile, install: lockfile === undefined ? 'npm install' : 'npm ci' };
    case 'pnpm':
      return {
        name,
        tool: `pnpm@${exact ?? pnpmFor(read(), manifest.engines.pnpm ?? range)}`,
        lockfile,
        install: `pnpm install${isBelowSettings(directory) ? ' --ignore-workspace' : ''}${lockfile === undefined ? '' : ' --frozen-lockfile'}`,
      };
    case 'yarn':
      return { name, lockfile, ...yarnFor(read(), exact) };
    case 'bun':
      return {
        name,
        tool: `bun@${exact ?? range ?? BUN}`,
        lockfile,
        install: `bun install${lockfile === undefined ? '' : ' --frozen-lockfile'}`,
      };
  }
}

/**
 * Returns the package manager with which an owner's command begins, in its default version, for a repository that names another one or none.
 * Returns undefined for npm and unknown commands.
 */
export function packageManagerOfCommand(command: string): PackageManager | undefined {
  const name = /^(pnpm|yarn|bun)(?=\s|$)/.exec(command.trim())?.[1];
  if (name === 'pnpm') return { name, tool: `pnpm@${pnpmFor('')}`, lockfile: undefined, install: undefined };
  if (name === 'yarn') return { name, tool: `yarn@${YARN_CLASSIC}`, lockfile: undefined, install: undefined };
  if (name === 'bun') return { name, tool: `bun@${BUN}`, lockfile: undefined, install: undefined };
  return undefined;
}

/** The file of pnpm's workspaces and settings. */
const PNPM_WORKSPACE = 'pnpm-workspace.yaml';

/** Returns true for a directory below a package with pnpm settings but no workspaces. pnpm would install only that package. */
function isBelowSettings(directory: string): boolean {
  if (existsSync(join(directory, PNPM_WORKSPACE))) return false;
  for (let parent = dirname(directory); parent !== dirname(parent); parent = dirname(parent))
    if (existsSync(join(parent, PNPM_WORKSPACE))) return !listsPackages(readText(join(parent, PNPM_WORKSPACE)));
  return false;
}

/**
 * Returns pnpm's version for a lockfile; the newest version for an unknown, later format.
 * @param required range in package.json: pnpm refuses to install with a version outside of it
 */
function pnpmFor(lockfile: string, required?: string): string {
  const format = /^lockfileVersion:\s*['"]?(\d+)/m.exec(lockfile)?.[1];
  const version = format === undefined ? '10' : (PNPM[format] ?? 'latest');
  // Compares the highest possible version of each major, because the exact version is unknown here.
  const allows = (major: string) => satisfies(`${major === 'latest' ? 999 : major}.999.999`, required ?? '');
  if (required === undefined || validRange(required) === null || allows(version)) return version;
  return PNPM_MAJORS.find(allows) ?? required;
}

const berryFor = (lockfile: string): string =>
  YARN_BERRY[/^__metadata:\s+version: (\d+)/m.exec(lockfile)?.[1] ?? ''] ?? NEWEST_BERRY;

/**
 * Returns the package and install command of Yarn. Yarn 1 and later versions are different programs with different lockfile formats.
 */
function yarnFor(lockfile: string, exact: string | undefined): Pick<PackageManager, 'tool' | 'install'> {
  const berry = exact === undefined ? lockfile.includes('\n__metadata:') : !exact.startsWith('1.');
  return berry
    ? {
        tool: `@yarnpkg/cli-dist@${exact ?? berryFor(lockfile)}`,
        // By default, Yarn does not write a lockfile in CI.
        install: `yarn install ${lockfile === '' ? '--no-immutable' : '--immutable'}`,
      }
    : {
        tool: `yarn@${exact ?? YARN_CLASSIC}`,
        install: `yarn install --non-interactive${lockfile === '' ? '' : ' --frozen-lockfile'}`,
      };
}
