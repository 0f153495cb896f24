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

/** Maximum size of a version manager's file, which has one line or a few. */
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
 * Returns the versions of Node that a repository requires. In order of precedence: `engines` or `devEngines` of the application's
 * package.json, then of the package.json with which it is installed; a version manager's file next to either; Volta's field in either.
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
