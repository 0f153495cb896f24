import { statSync } from 'node:fs';
import { join } from 'node:path';
import { readText } from '../read-text.ts';

const LOADS_NEXT = /\b(?:from|import|require)[\s(]*(['"`])next\1/;

/**
 * Returns true if a file is the owner's own server of a Next.js build: it loads `next`, is not part of the standalone output, and does not
 * load that output, as preparation scripts do.
 * @param path path of the file, relative to the application's directory
 */
export function isOwnNextServer(directory: string, path: string): boolean {
  const file = join(directory, path);
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false;
  const text = readText(file);
  return LOADS_NEXT.test(text) && ![path, text].some((value) => value.includes('standalone'));
}
