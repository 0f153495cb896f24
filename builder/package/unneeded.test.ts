import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Start } from '../detect/existing-start.ts';
import { unneededPaths } from './unneeded.ts';

const STANDALONE = '.next/standalone';

let root: string;
afterEach(() => rmSync(root, { recursive: true }));

function unneeded(start: Start, files: Record<string, string>): string[] {
  root = mkdtempSync(join(tmpdir(), 'unneeded-'));
  for (const [path, content] of Object.entries({ [`${STANDALONE}/server.js`]: '', ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return unneededPaths(start, '', root);
}

const node = (file: string, directory = ''): Start => ({
  kind: 'node',
  directory,
  options: [],
  file,
  args: [],
  environment: {},
});
const shell = (command: string): Start => ({ kind: 'shell', directory: '', command });

test.each<[string, Start, Record<string, string>]>([
  ['a shell', shell('sh start.sh'), { 'start.sh': `exec node ${STANDALONE}/server.js` }],
  ['a file that loads it', node('server.js'), { 'server.js': `require('next'); require('./${STANDALONE}/server.js')` }],
  ['a file that does not serve', node('start.js'), { 'start.js': "require('./lib/start')" }],
  ['its own directory', node('standalone/server.js', '.next'), { [`${STANDALONE}/server.js`]: "require('next')" }],
])('keeps the standalone output of Next.js for a start that may use it: %s', (_what, start, files) => {
  expect(unneeded(start, files)).toEqual([]);
});

test.each([
  ['next.config.ts', true],
  ['frontend/next.config.mts', true],
  ['frontend/next.config.js', false],
  ['node_modules/a/next.config.ts', false],
  ['web/node_modules/a/next.config.ts', false],
])('keeps the compilers of Next.js for a configuration that they compile: %s', (configuration, isKept) => {
  const compiler = 'node_modules/@next/swc-linux';
  const start = node('start.js');
  expect(unneeded(start, { [configuration]: '', [`${compiler}/a.node`]: '' })).toEqual(isKept ? [] : [compiler]);
});

test('leaves out the standalone output if the owner has a server', () => {
  expect(unneeded(node('server.js'), { 'server.js': 'import next from "next"' })).toEqual([STANDALONE]);
});
