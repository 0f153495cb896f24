import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Manifest, parseManifest } from '../../providers/builds/detection/manifest.ts';
import * as required from './node-requirement.ts';

let repository: string;
let app: string;
beforeEach(() => {
  repository = mkdtempSync(join(tmpdir(), 'node-requirement-'));
  app = join(repository, 'apps/web');
  mkdirSync(app, { recursive: true });
});
afterEach(() => rmSync(repository, { recursive: true }));

const put = (directory: string, file: string, text: string) => writeFileSync(join(directory, file), text);
const requiring = (node: string) => parseManifest(JSON.stringify({ engines: { node } }));
const none = parseManifest('{}');
const nodeRequirementOf = (from: string, top: string, manifest: Manifest, root: Manifest | undefined) =>
  required.nodeRequirementOf(from, top, manifest, { directory: top, manifest: root });

test('the nearest directory decides, and in one directory engines precedes the files of version managers', () => {
  put(repository, '.nvmrc', '20\n');
  expect(nodeRequirementOf(app, repository, none, none)).toEqual({ range: '20.x', file: '.nvmrc' });
  put(app, '.node-version', 'v24.1.0\n');
  expect(nodeRequirementOf(app, repository, none, none)).toEqual({ range: '24.x', file: '.node-version' });
  expect(nodeRequirementOf(app, repository, none, requiring('>=20'))).toMatchObject({ range: '24.x' });
  rmSync(join(app, '.node-version'));
  expect(nodeRequirementOf(app, repository, none, requiring('>=20'))).toMatchObject({ range: '>=20' });
  put(app, '.node-version', 'v24.1.0\n');
  expect(nodeRequirementOf(app, repository, requiring('22'), requiring('>=20'))).toMatchObject({ range: '22' });
});

test('ignores a file without a version number, a directory and a long file', () => {
  put(app, '.nvmrc', 'lts/*\n');
  mkdirSync(join(app, '.node-version'));
  put(repository, '.nvmrc', `22${'\n'.repeat(20_000)}`);
  expect(nodeRequirementOf(app, repository, none, none)).toBeUndefined();
  put(repository, '.node-version', '22');
  expect(nodeRequirementOf(app, repository, none, undefined)).toEqual({ range: '22.x', file: '.node-version' });
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
  expect(nodeRequirementOf(app, repository, parseManifest(JSON.stringify(manifest)), none)).toEqual(expected);
});

test('the nearest directory decides between version managers, and in one directory a file precedes the field of Volta', () => {
  const volta = parseManifest('{"volta":{"node":"20.1.0"}}');
  put(repository, '.nvmrc', '24');
  expect(nodeRequirementOf(app, repository, volta, none)).toMatchObject({ range: '20.x', field: 'volta.node' });
  expect(nodeRequirementOf(repository, repository, volta, volta)).toMatchObject({ range: '24.x' });
  expect(nodeRequirementOf(app, repository, none, volta)).toMatchObject({ range: '24.x' });
  put(app, '.node-version', '22');
  expect(nodeRequirementOf(app, repository, volta, none)).toMatchObject({ range: '22.x' });
});

test('reads the line of Node in the versions of several tools', () => {
  put(join(app, '..'), 'mise.toml', '[env]\nNODE_ENV = "x"\n[tools]\npython = "3.12"\nnode = "24.1" # of the team\n');
  expect(nodeRequirementOf(app, repository, none, none)).toEqual({ range: '24.x', file: 'mise.toml' });
  const tasks = '[tasks.check]\nrun = "npm test"\n'.repeat(100);
  put(join(app, '..'), 'mise.toml', `${tasks}[tools]\n  node="24"\n`);
  expect(nodeRequirementOf(app, repository, none, none)).toEqual({ range: '24.x', file: 'mise.toml' });
  put(join(app, '..'), 'mise.toml', '[env]\nNODE = "24"\n');
  put(app, '.tool-versions', '# tools\npython 3.12.1\nnodejs 24.1.0 22.0.0\n');
  expect(nodeRequirementOf(app, repository, none, none)).toEqual({ range: '24.x', file: '.tool-versions' });
  put(app, '.tool-versions', 'python 3.12.1\n');
  expect(nodeRequirementOf(app, repository, none, none)).toBeUndefined();
});
