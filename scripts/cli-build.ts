/** Builds the command line with the client library into `cli/dist/hosting.js`. `npm pack ./cli` runs this script before it packs. */
import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

const CLI = resolve(import.meta.dirname, '../cli');
const OUTPUT = join(CLI, 'dist/hosting.js');

const { version } = JSON.parse(readFileSync(join(CLI, 'package.json'), 'utf8')) as { version: string };
rmSync(join(CLI, 'dist'), { recursive: true, force: true });
await build({
  entryPoints: [join(CLI, 'main.ts')],
  outfile: OUTPUT,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.12',
  banner: { js: '#!/usr/bin/env node' },
  define: { CLI_VERSION: JSON.stringify(version) },
  logLevel: 'warning',
});
chmodSync(OUTPUT, 0o755);
