/**
 * `npm run release:record [commit]`: records how a release reads the table, for `table/compatibility.test.ts`. Bundles the release's
 * entities (keys, schemas and index attributes) into `test/compatibility/<version>.js`. Run once for each release, before the
 * next change of an entity.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildSync } from 'esbuild';

const ROOT = resolve(import.meta.dirname, '..');
const [commit = 'HEAD'] = process.argv.slice(2);

const work = mkdtempSync(join(tmpdir(), 'release-'));
try {
  const archive = execFileSync('git', ['archive', commit, 'table', 'contract', 'package.json'], {
    cwd: ROOT,
    maxBuffer: 1 << 28,
  });
  execFileSync('tar', ['-x', '-C', work], { input: archive });
  symlinkSync(join(ROOT, 'node_modules'), join(work, 'node_modules'));
  const { version } = JSON.parse(readFileSync(join(work, 'package.json'), 'utf8')) as { version: string };
  const modules = readdirSync(join(work, 'table/entities')).filter((name) => !name.includes('.test.'));
  const entry = join(work, 'entities.ts');
  writeFileSync(entry, modules.map((name) => `export * from './table/entities/${name}';\n`).join(''));
  const outfile = join(ROOT, 'test/compatibility', `${version}.js`);
  buildSync({
    entryPoints: [entry],
    outfile,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    mainFields: ['module', 'main'],
    legalComments: 'none',
    banner: { js: `// How release ${version} reads and writes the table: made by scripts/record-release.ts.` },
  });
  console.log(`wrote test/compatibility/${version}.js`);
} finally {
  rmSync(work, { recursive: true, force: true });
}
