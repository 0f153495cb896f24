import { existsSync, realpathSync, statSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { BuildFailure } from '../failure.ts';
import { readManifest } from '../install/manifest.ts';

/** The directories of an application, as absolute paths. */
export interface Layout {
  /** The application's own directory. */
  app: string;
  /** The directory in which its dependencies are installed. */
  install: string;
  /** The packaged directory: the application's, or the repository whose packages it uses. */
  packaged: string;
}

const LOCKFILES = ['package-lock.json', 'npm-shrinkwrap.json', 'pnpm-lock.yaml', 'yarn.lock'];
const has = (directory: string, files: readonly string[]) => files.some((file) => existsSync(join(directory, file)));

/**
 * Returns the layout of a repository. An application that is a workspace of the repository is installed and packaged with
 * it; one with a lockfile of its own stands alone. Throws BuildFailure if there is no such directory.
 */
export function layoutOf(repository: string, rootDirectory: string | null): Layout {
  const path = posix.normalize(rootDirectory ?? '.').replace(/\/$/, '');
  const app = path === '.' ? repository : join(repository, path);
  if (app === repository) return { app, install: repository, packaged: repository };
  if (statSync(app, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new BuildFailure(`The root directory "${rootDirectory}" was not found in the repository.`);
  }
  if (relative(realpathSync(repository), realpathSync(app)).startsWith('..')) {
    throw new BuildFailure(`The root directory "${rootDirectory}" is outside of the repository.`);
  }
  const isWorkspace =
    readManifest(repository)?.workspaces !== undefined || existsSync(join(repository, 'pnpm-workspace.yaml'));
  return isWorkspace && !has(app, LOCKFILES)
    ? { app, install: repository, packaged: repository }
    : { app, install: app, packaged: app };
}
