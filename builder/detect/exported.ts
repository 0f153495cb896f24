import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { readBeginning } from '../read-text.ts';
import type { BuiltApplication } from './built-application.ts';
import type { Start } from './existing-start.ts';
import { isFile } from './files.ts';

const EXTENSIONS = ['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs'];
const withExtensions = (path: string): string[] => EXTENSIONS.map((extension) => path + extension);
/** Files in which hosts that listen themselves, such as Vercel and Bun, expect an application. */
const FILES = [
  ...['src', ''].flatMap((directory) =>
    ['index', 'app', 'server', 'main'].flatMap((name) => withExtensions(posix.join(directory, name))),
  ),
  ...withExtensions('api/index'),
];
/** The directory of files that such hosts serve before they ask the application. */
const PUBLIC = 'public';
/** Bytes of a file that are examined. */
const MAX_BYTES = 1024 * 1024;

const EXPORTS = /^\s*(?:export default\b|export\s*\{[^}]*\bas default\b|module\.exports\s*=)/m;
const LISTENS = /\blisten\s*\(|\bserve\s*\(|\bcreateServer\s*\(/;

/**
 * Returns the start of an application that leaves listening to its host: a file with a usual name exports it and starts no server. Returns
 * undefined if there is none, or if the framework's applications always listen themselves.
 */
export function exportedApplication({
  directory,
  framework,
}: Pick<BuiltApplication, 'directory' | 'framework'>): Extract<Start, { kind: 'export' }> | undefined {
  if (!framework?.isExported) return undefined;
  const module = FILES.find((file) => {
    const text = isFile({ directory }, file) ? readBeginning(join(directory, file), MAX_BYTES) : '';
    return EXPORTS.test(text) && !LISTENS.test(text);
  });
  if (module === undefined) return undefined;
  return { kind: 'export', directory: '', module, files: existsSync(join(directory, PUBLIC)) ? PUBLIC : undefined };
}
