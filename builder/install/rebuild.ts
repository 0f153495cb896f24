import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { quoteWord } from '../../providers/builds/detection/command-line.ts';
import type { PackageManagerName } from '../../providers/builds/detection/lockfile.ts';
import { parseManifest } from '../../providers/builds/detection/manifest.ts';
import { readText } from '../read-text.ts';
import { installedPackages, isLink, packagesIn, storedPackages } from './development.ts';
import type { InstallPlan } from './install.ts';

/** Settings of a repository that disable install scripts. Yarn 2 and later evaluate their setting themselves when they run the scripts. */
const SWITCHED_OFF: Readonly<Record<PackageManagerName, readonly [file: string, setting: RegExp][]>> = {
  npm: [['.npmrc', /^\s*ignore-scripts\s*(=\s*"?true"?\s*)?$/m]],
  pnpm: [
    ['.npmrc', /^\s*ignore-(dep-)?scripts\s*(=\s*"?true"?\s*)?$/m],
    ['pnpm-workspace.yaml', /^['"]?ignore(Dep)?Scripts['"]?:\s*true\b/m],
  ],
  yarn: [['.yarnrc', /^\s*"?(--(install\.)?)?ignore-scripts"?\s+"?true"?\s*$/m]],
  bun: [],
};
const VARIABLE = /^(npm|yarn|pnpm)_config_ignore_scripts$/i;

/** Returns true if the owner disabled install scripts by the command, a settings file or a variable. */
export function ignoresScripts(
  { command, manager }: InstallPlan,
  directory: string,
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  if (/\s--ignore-scripts\b(?!=false)/.test(command)) return true;
  if (Object.entries(environment).some(([name, value]) => VARIABLE.test(name) && value === 'true')) return true;
  return SWITCHED_OFF[manager?.name ?? 'npm'].some(([name, setting]) => {
    const file = join(directory, name);
    return existsSync(file) && setting.test(readText(file));
  });
}

/**
 * Returns the command that runs the install scripts of restored packages, according to the records of their package manager. The scripts may
 * write outside of `node_modules`, or read files that have changed since. The command names the packages: without names, npm and pnpm would
 * also run the application's own scripts, which the installation runs again afterwards. Returns undefined if no command is needed: Yarn 2
 * and later run the scripts themselves, because their record of them is not restored.
 */
export function rebuildCommand({ manager }: InstallPlan, directory: string): string | undefined {
  const recorded = installedPackages(directory);
  const has = (name: string) => existsSync(join(directory, 'node_modules', name));
  const isPnpm = has('.modules.yaml');
  if (recorded.length === 0 && (isPnpm ? manager?.name !== 'pnpm' : !has('.yarn-integrity'))) return undefined;
  const names =
    recorded.length > 0
      ? recorded.flatMap(([path, { hasInstallScript }]) => (hasInstallScript ? [nameOf(path)] : []))
      : ['', ...storedPackages(directory)].flatMap((path) => packagesWithScripts(directory, path));
  const words = [...new Set(names)].sort().map(quoteWord);
  return words.length === 0
    ? undefined
    : `${isPnpm && recorded.length === 0 ? 'pnpm' : 'npm'} rebuild ${words.join(' ')}`;
}

/** Returns the name of a package from its path: `@a/b` for `node_modules/c/node_modules/@a/b`. */
const nameOf = (path: string): string => path.replace(/^.*node_modules\//, '');

/** Returns the names of all packages with install scripts in the `node_modules` of a directory, including nested ones. */
function packagesWithScripts(root: string, at: string): string[] {
  return packagesIn(root, posix.join(at, 'node_modules'))
    .filter((path) => !isLink(join(root, path)))
    .flatMap((path) => [...(hasScripts(join(root, path)) ? [nameOf(path)] : []), ...packagesWithScripts(root, path)]);
}

/** Returns true if a package manager runs install scripts of a package. It compiles a package with a binding.gyp. */
function hasScripts(directory: string): boolean {
  if (existsSync(join(directory, 'binding.gyp'))) return true;
  try {
    const { scripts } = parseManifest(readText(join(directory, 'package.json')));
    return ['preinstall', 'install', 'postinstall'].some((name) => Object.hasOwn(scripts, name));
  } catch {
    return false;
  }
}
