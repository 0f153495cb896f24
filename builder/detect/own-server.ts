import { statSync } from 'node:fs';
import { join } from 'node:path';
import { readText } from '../read-text.ts';

const LOADS_NEXT = /\b(?:from|import|require)[\s(]*(['"`])next\1/;

/**
 * Returns true if a file is a server of the owner's own that serves a Next.js build: it loads `next`, and is not that of
 * the standalone output, nor goes on to it, as scripts that prepare something do.
 * @param path the file's, relative to the application's directory
 */
export function isOwnNextServer(directory: string, path: string): boolean {
  const file = join(directory, path);
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false;
  const text = readText(file);
  return LOADS_NEXT.test(text) && ![path, text].some((each) => each.includes('standalone'));
}
