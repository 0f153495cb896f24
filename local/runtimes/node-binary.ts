import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const own = createRequire(import.meta.url);

/**
 * Returns the Node executable of a major version: 24 is the platform's own, older ones come from npm packages
 * (`package.json` beside this file, installed by the root's `postinstall`). Throws if it is not installed.
 */
export function nodeBinary(major: string): string {
  const binary =
    major === process.versions.node.split('.')[0]
      ? process.execPath
      : major === '24'
        ? join(dirname(own.resolve('node/package.json')), 'bin', 'node')
        : fileURLToPath(
            new URL(`./node_modules/node${major}-${process.platform}-${process.arch}/bin/node`, import.meta.url),
          );
  if (!existsSync(binary))
    throw new Error(`Node ${major} is not installed. Run "npm ci" to install it (expected at ${binary})`);
  return binary;
}

const MAJORS = ['20', '22', '24'] as const;

/** Returns the Node executables of all major versions, by version. Throws if one is not installed. */
export const nodeBinaries = (): Record<string, string> =>
  Object.fromEntries(MAJORS.map((major) => [major, nodeBinary(major)]));
