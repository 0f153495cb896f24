import type { Start } from '../detect/existing-start.ts';
import { readText } from '../read-text.ts';
import type { Item } from './tree.ts';

/** Code and configuration that may name a variable. */
const NAMES_VARIABLES = /\.(?:[cm]?[jt]sx?|json5?|ya?ml|toml|vue|svelte|coffee)$|(?:^|\/)\.env[^/]*$/;
const PACKAGE = /(?:^|\/)node_modules\//;
/** The most files and bytes that are examined. Larger applications count as reading the variable. */
const MAX_FILES = 5000;
const MAX_BYTES = 20 * 1024 * 1024;

/**
 * Returns false if the code of an application certainly does not read `PORT`: it starts by a file of its own, and none of its files outside
 * of packages mentions the variable. Its server then listens on a fixed port.
 */
export function readsPort(start: Start, items: readonly Item[]): boolean {
  if (start.kind !== 'node' || PACKAGE.test(start.file) || start.args.length > 0) return true;
  const own = items.filter(
    ({ path, link }) => link === undefined && !PACKAGE.test(path) && NAMES_VARIABLES.test(path) && !isLockfile(path),
  );
  if (own.length > MAX_FILES || own.reduce((sum, { size }) => sum + size, 0) > MAX_BYTES) return true;
  return own.some(({ source }) => /\bPORT\b/.test(readText(source)));
}

const isLockfile = (path: string): boolean => /(?:^|\/)(?:package-lock\.json|pnpm-lock\.yaml)$/.test(path);
