import { existsSync, globSync, realpathSync, statSync } from 'node:fs';
import { basename, join, posix, relative } from 'node:path';
import { quoteWord } from '../../providers/builds/detection/command-line.ts';
import { frameworkOf } from '../../providers/builds/detection/frameworks.ts';
import type { PackageManagerName } from '../../providers/builds/detection/lockfile.ts';
import {
  type Manifest,
  NO_CONFIG,
  type NodemonConfig,
  parseNodemonConfig,
} from '../../providers/builds/detection/manifest.ts';
import type { Packages } from '../../providers/builds/detection/script-command.ts';
import { BuildFailure } from '../failure.ts';
import { readManifest } from '../install/manifest.ts';
import { readText } from '../read-text.ts';
import { workspacePatterns } from './layout.ts';

/** Returns the package.json of a directory below another; undefined if there is none. */
function manifestBelow(directory: string, path: string): Manifest | undefined {
  const at = join(directory, path);
  if (statSync(at, { throwIfNoEntry: false })?.isDirectory() !== true) return undefined;
  // Links to the outside are not followed, because the builder can read files that the owner's commands cannot.
  return relative(realpathSync(directory), realpathSync(at)).startsWith('..') ? undefined : readManifest(at);
}

/** As {@link manifestBelow}, but returns undefined for an invalid package.json, such as a test fixture of the repository. */
function readableManifest(directory: string, path: string): Manifest | undefined {
  try {
    return manifestBelow(directory, path);
  } catch (error) {
    if (!(error instanceof BuildFailure)) throw error;
    return undefined;
  }
}

/** Returns the paths that match the patterns of a repository's workspaces. */
const workspacesOf = (repository: string): string[] =>
  globSync(
    workspacePatterns(repository).filter((pattern) => !pattern.startsWith('!')),
    { cwd: repository },
  ).map((path) => path.replaceAll('\\', '/').replace(/\/$/, ''));

/** Returns the configuration in a directory's nodemon.json; undefined if there is none inside the application. */
function nodemonConfig(directory: string, path: string): NodemonConfig | undefined {
  const file = join(directory, path, 'nodemon.json');
  if (!existsSync(file) || relative(realpathSync(directory), realpathSync(file)).startsWith('..')) return undefined;
  return parseNodemonConfig(readText(file));
}

/** Returns the packages below an application's directory, whose scripts the start script may run. */
export function packagesBelow(directory: string, manifest: Manifest | undefined): Packages {
  const manifestOf = (path: string): Manifest | undefined => (path === '' ? manifest : manifestBelow(directory, path));
  return {
    scriptsOf: (path) => manifestOf(path)?.scripts,
    nodemonConfigOf: (path) => nodemonConfig(directory, path) ?? manifestOf(path)?.nodemonConfig ?? NO_CONFIG,
    directoryOf(workspace) {
      const wanted = posix.normalize(workspace).replace(/\/$/, '');
      return workspacesOf(directory).find((path) => path === wanted || manifestOf(path)?.name === workspace);
    },
  };
}

/** Returns the directories near a repository's root that have a package.json. */
export const packagesNear = (repository: string): string[] =>
  globSync(['*/package.json', '*/*/package.json'], { cwd: repository })
    .map((path) => posix.dirname(path.replaceAll('\\', '/')))
    .filter((path) => !path.split('/').includes('node_modules'))
    .sort();

/**
 * Returns the packages of a repository that may be applications: those with a start script, then those with a known framework.
 * @param ofMonorepo true if the repository is not an application itself. If it has no workspaces, packages near its root are considered.
 */
export function applicationsBelow(repository: string, ofMonorepo: boolean): string[] {
  const workspaces = workspacesOf(repository);
  const manifests = (ofMonorepo && workspaces.length === 0 ? packagesNear(repository) : workspaces)
    .filter((path) => !path.split('/').includes('node_modules'))
    .sort()
    .flatMap((path) => {
      const manifest = readableManifest(repository, path);
      return manifest === undefined ? [] : [{ path, manifest }];
    });
  const starts = manifests.filter(({ manifest }) => manifest.scripts.start !== undefined);
  const others = manifests.filter((found) => !starts.includes(found) && frameworkOf(found.manifest) !== undefined);
  return [...starts, ...others].map(({ path }) => path);
}

/**
 * Returns the packages of a repository with a build script on which a workspace depends, also by way of others, in the order in which they
 * must be built.
 */
export function usedBuiltPackages(repository: string, manifest: Manifest | undefined): string[] {
  const manifests = workspacesOf(repository).flatMap((path) => readableManifest(repository, path) ?? []);
  const byName = new Map(
    manifests.flatMap((found) => (found.name === undefined ? [] : [[found.name, found] as const])),
  );
  const seen = new Set<string | undefined>([manifest?.name]);
  const builtFor = ({ dependencies, devDependencies }: Manifest): string[] =>
    Object.keys({ ...dependencies, ...devDependencies }).flatMap((name) => {
      const used = seen.has(name) ? undefined : byName.get(name);
      if (used === undefined) return [];
      seen.add(name);
      return [...builtFor(used), ...(used.scripts.build === undefined ? [] : [name])];
    });
  return manifest === undefined ? [] : builtFor(manifest);
}

const oneByOne = (build: (name: string) => string) => (names: readonly string[]) => names.map(build).join(' && ');

/** Commands that build packages of a workspace in an order, by package manager. */
const WORKSPACE_BUILDS: Readonly<Record<PackageManagerName, (names: readonly string[]) => string>> = {
  npm: (names) => `npm run build ${names.map((name) => `-w ${name}`).join(' ')}`,
  pnpm: oneByOne((name) => `pnpm --filter ${name} run build`),
  yarn: oneByOne((name) => `yarn workspace ${name} run build`),
  bun: oneByOne((name) => `bun run --filter ${name} build`),
};

/**
 * Returns the command by which the package manager builds a workspace after the packages that it uses; undefined if it uses none that is
 * built, or has no build script itself.
 */
export function workspaceBuild(
  repository: string,
  manifest: Manifest | undefined,
  manager: PackageManagerName,
): string | undefined {
  const used = usedBuiltPackages(repository, manifest);
  if (used.length === 0 || manifest?.name === undefined || manifest.scripts.build === undefined) return undefined;
  return WORKSPACE_BUILDS[manager]([...used, manifest.name].map(quoteWord));
}

/** Configuration files of monorepo tools, and the command that builds one package together with the packages that it uses. */
const MONOREPO_BUILDS: readonly [file: string, command: (name: string) => string][] = [
  // Without this mode, Turborepo withholds variables that turbo.json does not list, including those of the application.
  ['turbo.json', (name) => `npx turbo run build --filter=${name} --env-mode=loose`],
  ['nx.json', (name) => `npx nx build ${name}`],
];

/** Returns the command that builds a workspace with the packages that it uses; undefined if the repository has no known monorepo tool. */
export function monorepoBuild(
  repository: string,
  directory: string,
  manifest: Pick<Manifest, 'name'> | undefined,
): string | undefined {
  if (repository === directory) return undefined;
  const [, command] = MONOREPO_BUILDS.find(([file]) => existsSync(join(repository, file))) ?? [];
  return command?.(manifest?.name ?? basename(directory));
}
