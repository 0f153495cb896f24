import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Manifest } from '../../providers/builds/detection/manifest.ts';
import {
  MAX_VERSION_FILE,
  type NodeRequirement,
  readEngines,
  readVersionFile,
  readVolta,
  VERSION_FILES,
} from '../../providers/builds/detection/node-version.ts';
import { readText } from '../read-text.ts';

/** Finds the file of a version manager in a directory. */
function findVersionFile(directory: string): NodeRequirement | undefined {
  for (const name of VERSION_FILES) {
    const file = join(directory, name);
    if (!existsSync(file)) continue;
    const found = statSync(file);
    if (!found.isFile() || found.size > MAX_VERSION_FILE) continue;
    const requirement = readVersionFile(name, readText(file));
    if (requirement) return requirement;
  }
  return undefined;
}

/** Returns the directories from one up to the repository's root. */
const directoriesFrom = (directory: string, repository: string): string[] =>
  directory === repository ? [directory] : [directory, ...directoriesFrom(dirname(directory), repository)];

/**
 * Returns the versions of Node that a repository requires. In order of precedence: `engines` or `devEngines` of the application's
 * package.json, then of the package.json with which it is installed; a version manager's file or Volta's field, in the application's
 * directory or the nearest one above it, as the version managers themselves search.
 * @param app the application's directory, in the repository or the same
 */
export function nodeRequirementOf(
  app: string,
  repository: string,
  manifest: Manifest | undefined,
  rootManifest: Manifest | undefined,
): NodeRequirement | undefined {
  const engines = readEngines(manifest) ?? readEngines(rootManifest);
  if (engines) return engines;
  const manifests = new Map([
    [repository, rootManifest],
    [app, manifest],
  ]);
  for (const directory of directoriesFrom(app, repository)) {
    const found = findVersionFile(directory) ?? readVolta(manifests.get(directory));
    if (found) return found;
  }
  return undefined;
}
