import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InstallPlan } from './install.ts';
import type { Manifest } from './manifest.ts';

/** Files beside package.json and lockfile that have a say in what an install makes. */
const SETTINGS = ['package.json', '.npmrc', '.yarnrc', '.yarnrc.yml', 'pnpm-workspace.yaml', '.pnpmfile.cjs'] as const;
/** It deletes what is there before it begins: keeping that for it is for nothing, unless it is the default. */
const DELETES = /\bnpm\s+(ci|clean-install)\b/;

/**
 * What an install's outcome depends on, as one key: lockfile, settings, command, Node and machine. Undefined where it also
 * depends on what the registry has today (no lockfile), or lies elsewhere than in `node_modules` (workspaces).
 */
export function dependencyKey(
  directory: string,
  { command, manager, nothing }: InstallPlan,
  manifest: Manifest | undefined,
  nodeVersion: string,
): string | undefined {
  const contentOf = (path: string): string => {
    const file = join(directory, path);
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  };
  if (nothing !== undefined || !manager?.lockfile || !manifest || manifest.workspaces !== undefined) return undefined;
  if (/^packages:/m.test(contentOf('pnpm-workspace.yaml'))) return undefined;
  if (DELETES.test(command) && command !== manager.install) return undefined;
  const hash = createHash('sha256');
  hash.update(JSON.stringify([1, command, manager.tool, nodeVersion, process.platform, process.arch]));
  for (const path of [manager.lockfile, ...SETTINGS, ...patches(directory)]) {
    hash.update(`\0${path}\0`).update(contentOf(path));
  }
  return hash.digest('hex');
}

/** Changes to packages that the repository brings (patch-package): an install applies them. */
const patches = (directory: string): string[] => globSync('patches/*.patch', { cwd: directory }).sort();
