import { createHash } from 'node:crypto';
import { globSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
/** Sources of the bundles and stacks, without tests. */
const SOURCES = [
  '{bin,lib,contract,functions,domain,table,events,providers,runtime,builder}/**/*.ts',
  'package-lock.json',
  'cdk.json',
  'tsconfig.json',
  'local/template/synthesis-process.ts',
];

/** Returns a hash of the sources' names, sizes and modification times, and of the given options. */
export function fingerprint(options: object): string {
  const hash = createHash('sha256').update(JSON.stringify(options));
  for (const file of globSync(SOURCES, { cwd: ROOT }).sort()) {
    if (file.endsWith('.test.ts')) continue;
    const { size, mtimeMs } = statSync(join(ROOT, file));
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}
