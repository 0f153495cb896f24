/** Builds the client's package into `client/dist`. `npm pack ./client` runs this script before it packs. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const CLIENT = resolve(import.meta.dirname, '../client');
const DIST = join(CLIENT, 'dist');

rmSync(DIST, { recursive: true, force: true });
execFileSync(resolve(CLIENT, '../node_modules/.bin/tsc'), ['-p', CLIENT], { stdio: ['ignore', 2, 2] });
// Declarations keep the extensions of the sources, which the package does not contain.
for (const name of readdirSync(DIST).filter((each) => each.endsWith('.d.ts'))) {
  const file = join(DIST, name);
  writeFileSync(
    file,
    readFileSync(file, 'utf8')
      .replace(/(from '\.\/[\w.-]+)\.ts'/g, "$1.js'")
      .replace(/(from "\.\/[\w.-]+)\.ts"/g, '$1.js"'),
  );
}
