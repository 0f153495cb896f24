import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { readBeginning } from '../read-text.ts';
import type { BuiltApplication } from './built-application.ts';
import { isFile, isOutside } from './files.ts';

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

/** A module whose default export answers requests, and the directory of files that precede it; undefined if there is none. */
export interface ExportStart {
  kind: 'export';
  directory: '';
  module: string;
  files: string | undefined;
}

/** Returns true if a file exports an application by default and starts no server. */
function isExported(directory: string, file: string): boolean {
  const text = isFile({ directory }, file) ? readBeginning(join(directory, file), MAX_BYTES) : '';
  return EXPORTS.test(text) && !LISTENS.test(text);
}

const startOfExport = (directory: string, module: string): ExportStart => ({
  kind: 'export',
  directory: '',
  module,
  files: existsSync(join(directory, PUBLIC)) ? PUBLIC : undefined,
});

/**
 * Returns the start of an application that leaves listening to its host: a file with a usual name exports it and starts no server. Returns
 * undefined if there is none, or if the framework's applications always listen themselves.
 */
export function exportedApplication({
  directory,
  framework,
}: Pick<BuiltApplication, 'directory' | 'framework'>): ExportStart | undefined {
  if (!framework?.isExported) return undefined;
  const module = FILES.find((file) => isExported(directory, file));
  return module === undefined ? undefined : startOfExport(directory, module);
}

/** Matches a command by which Bun runs a file of TypeScript. Bun listens for a default export itself. */
const BUN_RUNS = /^bun (?:(?:run|--bun|--hot|--watch|--smol) )*((?!-)[\w./-]+\.[cm]?ts)$/;

/** Returns the start of an application for which Bun listens, because the file that it runs only exports it; undefined for other commands. */
export function exportedToBun(
  { directory }: Pick<BuiltApplication, 'directory'>,
  command: string,
): ExportStart | undefined {
  const [, file] = BUN_RUNS.exec(command) ?? [];
  const module = file === undefined ? undefined : posix.normalize(file);
  return module !== undefined && !isOutside(module) && isExported(directory, module)
    ? startOfExport(directory, module)
    : undefined;
}
