import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from '../../providers/builds/detection/manifest.ts';
import {
  type NodeRequirement,
  readEngines,
  readVersionFile,
  readVolta,
  VERSION_FILES,
} from '../../providers/builds/detection/node-version.ts';
import { readText } from '../read-text.ts';
import type { Layout } from './layout.ts';

/** A file of a version manager has one line; anything longer is something else. */
const MAX_VERSION_FILE_BYTES = 1024;

function findVersionFile(directory: string): NodeRequirement | undefined {
  for (const name of VERSION_FILES) {
    const file = join(directory, name);
    if (!existsSync(file)) continue;
    const found = statSync(file);
    if (!found.isFile() || found.size > MAX_VERSION_FILE_BYTES) continue;
    const requirement = readVersionFile(name, readText(file));
    if (requirement) return requirement;
  }
  return undefined;
}

/**
 * Returns the versions of Node that a repository asks for: by `engines` or `devEngines` of the application's
 * package.json or of the one that it is installed with, else by a file of a version manager beside either, else by Volta's field in them.
 */
export function nodeRequirementOf(
  { app, install }: Pick<Layout, 'app' | 'install'>,
  manifest: Manifest | undefined,
  rootManifest: Manifest | undefined,
): NodeRequirement | undefined {
  return (
    readEngines(manifest) ??
    readEngines(rootManifest) ??
    findVersionFile(app) ??
    findVersionFile(install) ??
    readVolta(manifest) ??
    readVolta(rootManifest)
  );
}
