import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseManifest } from '../../providers/builds/detection/manifest.ts';
import { enginesOfDependencies } from './locked-engines.ts';

let repository: string;
beforeEach(() => {
  repository = mkdtempSync(join(tmpdir(), 'locked-engines-'));
});
afterEach(() => rmSync(repository, { recursive: true }));

const manifest = (fields: object) => parseManifest(JSON.stringify(fields));
const lock = (packages: object, file = 'package-lock.json') =>
  writeFileSync(join(repository, file), JSON.stringify({ lockfileVersion: 3, packages }));
const engines = (node: unknown) => ({ version: '1.0.0', engines: { node } });
const found = (fields: object, lockfile = 'package-lock.json', app = repository) =>
  enginesOfDependencies({ app, install: repository }, lockfile, manifest(fields));

test('returns what the direct dependencies require, and nothing of the others', () => {
  lock({
    '': { dependencies: { api: '^1' } },
    'node_modules/api': engines('>=24'),
    'node_modules/tool': engines('>=22.12'),
    'node_modules/other': { version: '1.0.0' },
    'node_modules/deep': engines('>=26'),
    'node_modules/api/node_modules/tool': engines('>=26'),
  });
  const requirements = [
    { package: 'api', range: '>=24' },
    { package: 'tool', range: '>=22.12' },
  ];
  const dependencies = { dependencies: { api: '^1', other: '^1' }, devDependencies: { tool: '^1' } };
  expect(found(dependencies)).toEqual(requirements);
  expect(found(dependencies, 'pnpm-lock.yaml')).toEqual([]);
  const directories = { app: repository, install: repository };
  expect(enginesOfDependencies(directories, undefined, manifest(dependencies))).toEqual([]);
  lock({ 'node_modules/api': engines('>=22') }, 'npm-shrinkwrap.json');
  expect(found(dependencies, 'npm-shrinkwrap.json')).toEqual([{ package: 'api', range: '>=22' }]);
});

test('finds the packages of a workspace in its own directory first, and follows links to other workspaces', () => {
  const app = join(repository, 'apps/web');
  mkdirSync(app, { recursive: true });
  lock({
    'node_modules/api': engines('>=20'),
    'node_modules/hoisted': engines('>=22'),
    'node_modules/lib': { resolved: 'packages/lib', link: true },
    'packages/lib': engines('>=24'),
    'apps/web/node_modules/api': engines('>=24'),
  });
  expect(found({ dependencies: { api: '^1', hoisted: '^1', lib: '*' } }, 'package-lock.json', app)).toEqual([
    { package: 'api', range: '>=24' },
    { package: 'hoisted', range: '>=22' },
    { package: 'lib', range: '>=24' },
  ]);
});

test.each([
  ['no JSON', '{'],
  ['no object', '[]'],
  ['the format of npm 6', '{"lockfileVersion":1,"dependencies":{"api":{"version":"1.0.0"}}}'],
  ['engines as an array', '{"packages":{"node_modules/api":{"engines":["node >= 0.6"]}}}'],
  ['a range that is no text', '{"packages":{"node_modules/api":{"engines":{"node":24}}}}'],
  ['a link to nowhere', '{"packages":{"node_modules/api":{"link":true,"resolved":"constructor"}}}'],
])('returns nothing for a lockfile with %s', (_what, text) => {
  writeFileSync(join(repository, 'package-lock.json'), text);
  expect(found({ dependencies: { api: '^1', constructor: '^1' } })).toEqual([]);
});
