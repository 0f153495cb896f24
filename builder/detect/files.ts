import { statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { readManifest } from '../install/manifest.ts';
import type { BuiltApplication } from './built-application.ts';

/** Returns true for a file of the application. */
export const isFile = ({ directory }: Pick<BuiltApplication, 'directory'>, path: string): boolean =>
  !isOutside(path) && statSync(join(directory, path), { throwIfNoEntry: false })?.isFile() === true;

/** Returns true for a path outside of the application. */
export const isOutside = (path: string): boolean => posix.isAbsolute(path) || posix.normalize(path).startsWith('..');

/**
 * Resolves a path as Node does: also with an extension added, or as the `main` or index of a directory. Returns undefined for missing files
 * and for paths outside of the application.
 */
export function resolveFile(app: Pick<BuiltApplication, 'directory'>, candidate: string): string | undefined {
  const path = posix.normalize(candidate);
  const main = isFile(app, posix.join(path, 'package.json')) && readManifest(join(app.directory, path))?.main;
  const named = main ? [posix.join(path, main)] : [];
  const files = [path, ...named].flatMap((base) => [base, `${base}.js`, `${base}.mjs`, `${base}.cjs`]);
  const indexes = [...named, path].map((base) => posix.join(base, 'index.js'));
  return [...files, ...indexes].find((file) => isFile(app, file));
}
