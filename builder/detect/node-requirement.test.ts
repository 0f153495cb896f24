import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseManifest } from '../../providers/builds/detection/manifest.ts';
import { nodeRequirementOf } from './node-requirement.ts';

let install: string;
let app: string;
beforeEach(() => {
  install = mkdtempSync(join(tmpdir(), 'node-requirement-'));
  app = join(install, 'web');
  mkdirSync(app);
});
afterEach(() => rmSync(install, { recursive: true }));

const put = (directory: string, file: string, text: string) => writeFileSync(join(directory, file), text);
const requiring = (node: string) => parseManifest(JSON.stringify({ engines: { node } }));
const none = parseManifest('{}');

test('engines precedes the files of version managers, and the application precedes its repository', () => {
  put(install, '.nvmrc', '20\n');
  expect(nodeRequirementOf({ app, install }, none, none)).toEqual({ range: '20.x', file: '.nvmrc' });
  put(app, '.node-version', 'v24.1.0\n');
  expect(nodeRequirementOf({ app, install }, none, none)).toEqual({ range: '24.x', file: '.node-version' });
  expect(nodeRequirementOf({ app, install }, none, requiring('>=20'))).toMatchObject({ range: '>=20' });
  expect(nodeRequirementOf({ app, install }, requiring('22'), requiring('>=20'))).toMatchObject({ range: '22' });
});

test('ignores a file without a version number, a directory and a long file', () => {
  put(app, '.nvmrc', 'lts/*\n');
  mkdirSync(join(app, '.node-version'));
  put(install, '.nvmrc', `22${'\n'.repeat(2000)}`);
  expect(nodeRequirementOf({ app, install }, none, none)).toBeUndefined();
  put(install, '.node-version', '22');
  expect(nodeRequirementOf({ app, install }, none, undefined)).toEqual({ range: '22.x', file: '.node-version' });
});

test.each<[manifest: object, range: string | undefined, field?: string]>([
  [{ devEngines: { runtime: { name: 'node', version: '>=24', onFail: 'error' } } }, '>=24', 'devEngines.runtime'],
  [
    { devEngines: { runtime: [{ name: 'bun' }, { name: 'node', version: '^24' }] }, volta: { node: '20.1.0' } },
    '^24',
    'devEngines.runtime',
  ],
  [{ engines: { node: '22' }, devEngines: { runtime: { name: 'node', version: '>=24' } } }, '22', 'engines.node'],
  [{ volta: { node: '24.1.0' } }, '24.x', 'volta.node'],
  [{ devEngines: { runtime: { name: 'bun', version: '1' } } }, undefined],
  [{ devEngines: { runtime: 'node' }, volta: 'x' }, undefined],
])('reads where package.json says it: %j', (manifest, range, field) => {
  const expected = range === undefined ? undefined : { range, file: 'package.json', field };
  expect(nodeRequirementOf({ app, install }, parseManifest(JSON.stringify(manifest)), none)).toEqual(expected);
});

test('a file of a version manager precedes the field of Volta', () => {
  const volta = parseManifest('{"volta":{"node":"20.1.0"}}');
  put(install, '.nvmrc', '24');
  expect(nodeRequirementOf({ app, install }, volta, none)).toMatchObject({ range: '24.x' });
});

test('reads the line of Node in the versions of several tools', () => {
  put(app, '.tool-versions', '# tools\npython 3.12.1\nnodejs 24.1.0 22.0.0\n');
  expect(nodeRequirementOf({ app, install }, none, none)).toEqual({ range: '24.x', file: '.tool-versions' });
  put(app, '.tool-versions', 'python 3.12.1\n');
  expect(nodeRequirementOf({ app, install }, none, none)).toBeUndefined();
});
