import { createHash } from 'node:crypto';
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from '../../providers/builds/detection/manifest.ts';
import { readText } from '../read-text.ts';
import type { InstallPlan } from './install.ts';

/** Files in addition to the lockfile that influence an installation. */
const SETTINGS = ['package.json', '.npmrc', '.yarnrc', '.yarnrc.yml', 'pnpm-workspace.yaml', '.pnpmfile.cjs'] as const;
/**
 * Matches commands that delete existing packages before they install. Caching is useless for them, except for the default command, which the
 * builder replaces.
 */
const DELETES_PACKAGES = /\bnpm\s+(ci|clean-install)\b/;

/** Matches a dependency on a directory or file of the repository: `file:./lib`, `./lib`. */
const LOCAL = /^(file|link|portal|exec):|^[.~]{0,2}\//;
/** Matches a local dependency in a lockfile, which also contains overrides, but not packages such as `load-json-file: 4.0.0`. */
const LOCKED_LOCAL = /"link": true|(?<![\w-])(file|link|portal):(?=\S)/;

/**
 * Returns a cache key of everything that determines the result of an installation: lockfile, settings, command, Node version and platform.
 * Returns undefined if the result also depends on the registry's current state (no lockfile) or on files of the repository (a local
 * package), or if it is not only in `node_modules` (workspaces).
 */
export function dependencyKey(
  directory: string,
  { command, manager, nothing }: InstallPlan,
  manifest: Manifest | undefined,
  nodeVersion: string,
): string | undefined {
  const contentOf = (path: string): string => {
    const file = join(directory, path);
    return existsSync(file) ? readText(file) : '';
  };
  if (nothing !== undefined || !manager?.lockfile || !manifest || manifest.workspaces !== undefined) return undefined;
  // Bun would not run the install scripts of restored packages again, which may write outside of node_modules.
  if (manager.name === 'bun') return undefined;
  if (/^packages:/m.test(contentOf('pnpm-workspace.yaml'))) return undefined;
  const { dependencies, devDependencies, optionalDependencies, peerDependencies } = manifest;
  const specifiers = [dependencies, devDependencies, optionalDependencies, peerDependencies].flatMap(Object.values);
  if (specifiers.some((specifier) => LOCAL.test(String(specifier))) || LOCKED_LOCAL.test(contentOf(manager.lockfile))) {
    return undefined;
  }
  // Without an install script, npm compiles the application's own addon during the installation, outside of node_modules.
  const { install, preinstall } = manifest.scripts;
  if (existsSync(join(directory, 'binding.gyp')) && install === undefined && preinstall === undefined) return undefined;
  if (DELETES_PACKAGES.test(command) && command !== manager.install) return undefined;
  const hash = createHash('sha256');
  hash.update(JSON.stringify([1, command, manager.tool, nodeVersion, process.platform, process.arch]));
  for (const path of [manager.lockfile, ...SETTINGS, ...patches(directory)]) {
    hash.update(`\0${path}\0`).update(contentOf(path));
  }
  return hash.digest('hex');
}

/** Returns the repository's patches of packages (patch-package), which an installation applies. */
const patches = (directory: string): string[] => globSync('patches/*.patch', { cwd: directory }).sort();
