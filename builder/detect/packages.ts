import { globSync, realpathSync, statSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import type { Manifest } from '../../providers/builds/detection/manifest.ts';
import type { Packages } from '../../providers/builds/detection/script-command.ts';
import { readManifest } from '../install/manifest.ts';
import { workspacePatterns } from './layout.ts';

/** Returns the packages below an application's directory, for start scripts that run scripts of them. */
export function packagesBelow(directory: string, manifest: Manifest | undefined): Packages {
  const manifestOf = (path: string): Manifest | undefined => {
    if (path === '') return manifest;
    const at = join(directory, path);
    if (statSync(at, { throwIfNoEntry: false })?.isDirectory() !== true) return undefined;
    // The builder reads with rights that the owner's commands lack.
    return relative(realpathSync(directory), realpathSync(at)).startsWith('..') ? undefined : readManifest(at);
  };
  return {
    scriptsOf: (path) => manifestOf(path)?.scripts,
    directoryOf(workspace) {
      const paths = globSync(
        workspacePatterns(directory).filter((pattern) => !pattern.startsWith('!')),
        { cwd: directory },
      );
      const wanted = posix.normalize(workspace).replace(/\/$/, '');
      return paths
        .map((path) => path.replaceAll('\\', '/').replace(/\/$/, ''))
        .find((path) => path === wanted || manifestOf(path)?.name === workspace);
    },
  };
}
