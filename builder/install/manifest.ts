import { existsSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { InvalidManifest, type Manifest, parseManifest } from '../../providers/builds/detection/manifest.ts';
import { BuildFailure } from '../failure.ts';
import { readText } from '../read-text.ts';

/** Reads the repository's package.json; undefined if there is none. Throws BuildFailure if it is not a JSON object. */
export function readManifest(directory: string): Manifest | undefined {
  const file = join(directory, 'package.json');
  if (!existsSync(file)) return undefined;
  // Parse errors quote the file to the owner, so the file must be inside the repository.
  if (relative(realpathSync(directory), realpathSync(file)).startsWith('..')) {
    throw new BuildFailure('The link "package.json" points out of the repository.');
  }
  try {
    return parseManifest(readText(file));
  } catch (error) {
    throw error instanceof InvalidManifest ? new BuildFailure(error.message) : error;
  }
}

/** The application's scripts that are part of an installation, in the order in which npm runs them. */
const INSTALL_SCRIPTS = [
  'preinstall',
  'install',
  'postinstall',
  'prepublish',
  'preprepare',
  'prepare',
  'postprepare',
] as const;
/** Returns the names of an application's scripts that npm runs with its installation. */
export const installScripts = ({ scripts }: Manifest): string[] =>
  INSTALL_SCRIPTS.filter((name) => scripts[name] !== undefined);

/** Returns true if there are packages to install or install scripts to run. */
export function needsInstall(manifest: Manifest): boolean {
  const { dependencies, devDependencies, optionalDependencies, peerDependencies, workspaces } = manifest;
  const combined = { ...dependencies, ...devDependencies, ...optionalDependencies, ...peerDependencies };
  return workspaces !== undefined || installScripts(manifest).length > 0 || Object.keys(combined).length > 0;
}
