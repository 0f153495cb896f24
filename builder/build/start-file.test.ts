import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { readManifest } from '../install/manifest.ts';
import { findStartFile } from './start-file.ts';

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true });
});

function find(manifest: object, files: string[], startFile = 'server.js', framework: 'NODE' | 'NEXTJS' = 'NODE') {
  const directory = mkdtempSync(join(tmpdir(), 'start-'));
  roots.push(directory);
  writeFileSync(join(directory, 'package.json'), JSON.stringify(manifest));
  for (const file of files) {
    mkdirSync(join(directory, dirname(file)), { recursive: true });
    writeFileSync(join(directory, file), '');
  }
  return findStartFile(directory, { framework, startFile }, readManifest(directory));
}

test.each<[object, string[], string, string | undefined]>([
  [{ main: 'app.js' }, ['server.js', 'app.js'], 'server.js', undefined],
  [{ main: 'app.js' }, ['app.js'], 'app.js', 'main'],
  [{ main: './lib' }, ['lib/index.js'], 'lib/index.js', 'main'],
  [{ scripts: { start: 'node bin/www' }, main: 'app.js' }, ['bin/www', 'app.js'], 'bin/www', 'start script'],
  [
    { scripts: { start: 'NODE_ENV=production node --enable-source-maps dist/main' } },
    ['dist/main.js'],
    'dist/main.js',
    'start script',
  ],
  [{ scripts: { start: 'tsx src/a.ts' }, main: 'app.js' }, ['app.js', 'src/a.ts'], 'app.js', 'main'],
])('uses the start script or main without server.js: %j', (manifest, files, file, from) => {
  expect(find(manifest, files)).toEqual({ file, from });
});

test.each([
  [{ main: '../outside.js' }, []],
  [{ main: 'absent.js' }, ['src/a.ts']],
  [{ scripts: { start: 'node a.js && rm -rf x' } }, ['a.js']],
])('reports a missing start file to the owner: %j', (manifest, files) => {
  expect(() => find(manifest, files)).toThrow(
    'The start file "server.js" was not found after the build, and package.json names no other',
  );
});

test('does not replace a start file that the owner set or that Next.js builds', () => {
  expect(() => find({ main: 'app.js' }, ['app.js'], 'index.js')).toThrow('The start file "index.js" was not found');
  const next = '.next/standalone/server.js';
  expect(() => find({}, ['.next/BUILD_ID'], next, 'NEXTJS')).toThrow("set output: 'standalone'");
  expect(() => find({}, ['out/index.html'], next, 'NEXTJS')).toThrow("output: 'export'");
});
