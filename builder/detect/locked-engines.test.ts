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
  expect(found(dependencies, 'yarn.lock')).toEqual([]);
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

test('reads the lockfile of pnpm: of a workspace, with peer dependencies and aliases', () => {
  const app = join(repository, 'apps/web');
  mkdirSync(app, { recursive: true });
  writeFileSync(
    join(repository, 'pnpm-lock.yaml'),
    `lockfileVersion: '9.0'

settings:
  autoInstallPeers: true

importers:

  .:
    devDependencies:
      '@acme/tool':
        specifier: ^3.0.0
        version: 3.0.1

  apps/web:
    dependencies:
      '@acme/tool':
        specifier: 'catalog:'
        version: 3.1.0(react@19.0.0(x@1.0.0))
      alias:
        specifier: npm:real@^2
        version: real@2.0.0
      lib:
        specifier: workspace:*
        version: link:../../packages/lib
      plain:
        specifier: ^1
        version: 1.0.0

packages:

  '@acme/tool@3.0.1':
    resolution: {integrity: sha512-x==}
    engines: {node: '>=26'}

  '@acme/tool@3.1.0':
    resolution: {integrity: sha512-x==}
    engines: {node: ^20.19.0 || >=22.12.0, npm: '>=10'}
    peerDependencies:
      react: ^19

  plain@1.0.0:
    resolution: {integrity: sha512-x==}

  real@2.0.0:
    resolution: {integrity: sha512-x==}
    engines: {npm: '>=10', node: '>=24'}

snapshots:

  '@acme/tool@3.0.1': {}
`,
  );
  const dependencies = { '@acme/tool': 'catalog:', alias: 'npm:real@^2', lib: 'workspace:*', plain: '^1', absent: '1' };
  expect(found({ dependencies }, 'pnpm-lock.yaml', app)).toEqual([
    { package: '@acme/tool', range: '^20.19.0 || >=22.12.0' },
    { package: 'alias', range: '>=24' },
  ]);
  expect(found({ devDependencies: { '@acme/tool': '^3' } }, 'pnpm-lock.yaml')).toEqual([
    { package: '@acme/tool', range: '>=26' },
  ]);
});

test('reads the lockfile of pnpm 8, without importers', () => {
  writeFileSync(
    join(repository, 'pnpm-lock.yaml'),
    `lockfileVersion: '6.0'

dependencies:
  '@acme/tool':
    specifier: ^3
    version: 3.0.1(react@19.0.0)
  constructor:
    specifier: ^1
    version: 1.0.0

devDependencies:
  plain:
    specifier: ^1
    version: 1.0.0

packages:

  /@acme/tool@3.0.1(react@19.0.0):
    resolution: {integrity: sha512-x==}
    engines: {node: '>=24'}
    dev: false

  /plain@1.0.0:
    resolution: {integrity: sha512-x==}
    engines: {node: '>=22'}
    dev: true
`,
  );
  const fields = { dependencies: { '@acme/tool': '^3', constructor: '^1' }, devDependencies: { plain: '^1' } };
  expect(found(fields, 'pnpm-lock.yaml')).toEqual([
    { package: '@acme/tool', range: '>=24' },
    { package: 'plain', range: '>=22' },
  ]);
});

test.each(['', '{', '- a\n', 'importers:\n  .:\n    dependencies:\n      api: 1\n'])(
  'returns nothing for a lockfile of pnpm without engines: %j',
  (text) => {
    writeFileSync(join(repository, 'pnpm-lock.yaml'), text);
    expect(found({ dependencies: { api: '^1' } }, 'pnpm-lock.yaml')).toEqual([]);
  },
);

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
