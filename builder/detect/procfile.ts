import { statSync } from 'node:fs';
import { join } from 'node:path';
import { readText } from '../read-text.ts';

/** Returns the text of a directory's Procfile, empty if there is none. */
export function procfileOf(directory: string): string {
  const file = join(directory, 'Procfile');
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true ? readText(file) : '';
}
