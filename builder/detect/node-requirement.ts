import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Manifest } from '../../providers/builds/detection/manifest.ts';
import {
  MAX_VERSION_FILE,
  type NodeRequirement,
  requirementIn,
  VERSION_FILES,
} from '../../providers/builds/detection/node-version.ts';
import { readText } from '../read-text.ts';

/** Returns the files of version managers in a directory, with their texts. */
const versionFiles = (directory: string): (readonly [name: string, text: string])[] =>
  VERSION_FILES.flatMap((name) => {
    const file = join(directory, name);
    const found = statSync(file, { throwIfNoEntry: false });
    return found?.isFile() && found.size <= MAX_VERSION_FILE ? [[name, readText(file)] as const] : [];
  });

/** Returns the directories from one up to the repository's root. */
const directoriesFrom = (directory: string, repository: string): string[] =>
  directory === repository ? [directory] : [directory, ...directoriesFrom(dirname(directory), repository)];

/**
 * Returns the versions of Node that a repository requires: those of the nearest directory with a requirement, from the application's up to
 * the repository's, as version managers search.
 * @param app the application's directory, in the repository or the same
 * @param root the directory with which it is installed
 */
export function nodeRequirementOf(
  app: string,
  repository: string,
  manifest: Manifest | undefined,
  root: { directory: string; manifest: Manifest | undefined },
): NodeRequirement | undefined {
  const manifests = new Map([
    [root.directory, root.manifest],
    [app, manifest],
  ]);
  for (const directory of directoriesFrom(app, repository)) {
    const found = requirementIn(manifests.get(directory), versionFiles(directory));
    if (found) return found;
  }
  return undefined;
}
