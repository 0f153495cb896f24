import { afterEach, expect, test } from 'vitest';
import { resolveBuildCommand } from '../build/build-command.ts';
import { describeStart } from './describe-start.ts';
import { packagesBelow, usedBuiltPackages, workspaceBuild } from './packages.ts';
import { findStart } from './start.ts';
import { application, removeApplications } from './test-applications.ts';

afterEach(removeApplications);

test.each<[scripts: Record<string, string>, ofApi: Record<string, string>, build: string | null]>([
  [{ start: 'npm start -w api' }, { start: 'tsc && node dist/index.js' }, 'cd api && tsc'],
  [{ start: 'cd api && npm start' }, { start: 'npm run build && node dist/index.js' }, 'cd api && npm run build'],
  [{ start: 'npm run build && npm start -w api' }, { start: 'node dist/index.js' }, null],
  [{ start: 'cd ./ && npm run build && npm start -w api' }, { start: 'node dist/index.js' }, null],
  [{ start: 'tsc -b && npm start -w api' }, { start: 'tsc && node dist/index.js' }, 'tsc -b && cd api && tsc'],
  [{ start: 'npm start -w api' }, { start: 'rm -rf tmp && node dist/index.js' }, null],
  [{ start: 'npm start -w api', build: 'x' }, { start: 'tsc && node dist/index.js' }, 'npm run build'],
])('runs the build commands of another package’s start in that package: %j, %j', (scripts, ofApi, build) => {
  const app = application(
    { workspaces: ['api'], scripts },
    { 'api/dist/index.js': '', 'api/package.json': JSON.stringify({ name: 'api', scripts: ofApi }) },
  );
  const packages = packagesBelow(app.directory, app.manifest);
  const settings = { framework: 'NODE', buildCommand: null } as const;
  expect(resolveBuildCommand(settings, app.manifest, { runner: 'npm', packages })).toBe(build);
  expect(describeStart(findStart(app).start)).toBe('node dist/index.js (in api)');
});

test.each<[start: string, ofWeb: string, error: string]>([
  ['npm start -w web', 'next start', 'The start script runs "next start" in web: set rootDirectory to "web"'],
  ['cd web && npm start', 'nest start', 'The start script runs "nest start" in web: set rootDirectory to "web"'],
  ['npm start -w web', 'react-scripts start', 'is a development server: set rootDirectory to "web"'],
  ['npm start -w web', 'react-scripts start', 'set rootDirectory to "web".'],
  ['npm start -w web', 'node dist/index.js', 'neither was "web/dist/index.js", which the start script names'],
])('names the package that is started with its own framework: %s, %s', (start, ofWeb, error) => {
  const files = { 'web/package.json': JSON.stringify({ name: 'web', scripts: { start: ofWeb } }) };
  const app = application({ workspaces: ['web'], scripts: { start } }, files);
  expect(() => findStart(app)).toThrow(error);
});

test.each([
  [{ scripts: { start: 'npm start -w web' } }, '', 'The start script runs "next start" in web'],
  [{}, 'web: npm start -w web', 'The Procfile runs "next start" in web'],
])('does not start the repository’s framework instead of another package: %j', (manifest, Procfile, error) => {
  const files = {
    '.next/standalone/server.js': '',
    'web/package.json': '{"name":"web","scripts":{"start":"next start"}}',
    Procfile,
  };
  const app = application({ workspaces: ['web'], dependencies: { next: '16' }, ...manifest }, files);
  expect(() => findStart(app)).toThrow(error);
});

test.each([
  [{}, 'web: node api/main.js', 'Procfile'],
  [{ main: 'api/main.js' }, '', 'main of package.json'],
])(
  'starts what main or a Procfile names, whatever framework a start script of another package has: %j, %j',
  (manifest, Procfile, from) => {
    const files = {
      'web/package.json': '{"name":"web","scripts":{"start":"next start"}}',
      'api/main.js': '',
      Procfile,
    };
    const app = application({ workspaces: ['web'], scripts: { start: 'npm start -w web' }, ...manifest }, files);
    const found = findStart(app);
    expect([describeStart(found.start), found.from]).toEqual(['node api/main.js', from]);
  },
);

test('builds the packages that a workspace uses in their order, once each, also if they use each other', () => {
  const lib = (name: string, dependencies: object, scripts: object = { build: 'x' }) =>
    JSON.stringify({ name, dependencies, scripts });
  const { directory, manifest } = application(
    {
      workspaces: ['lib/*', 'invalid'],
      name: 'api',
      scripts: { build: 'x' },
      dependencies: { a: '*', source: '*', express: '5' },
    },
    {
      'lib/a/package.json': lib('a', { '@acme/z': '*', api: '*' }),
      'lib/z/package.json': lib('@acme/z', { a: '*' }),
      'lib/source/package.json': lib('source', { b: '*' }, {}),
      'lib/b/package.json': lib('b', {}),
      'lib/unused/package.json': lib('unused', {}),
      'invalid/package.json': '{',
    },
  );
  expect(usedBuiltPackages(directory, manifest)).toEqual(['@acme/z', 'a', 'b']);
  const commands = (['npm', 'pnpm', 'yarn', 'bun'] as const).map((name) => workspaceBuild(directory, manifest, name));
  expect(commands).toEqual([
    'npm run build -w @acme/z -w a -w b -w api',
    'pnpm --filter @acme/z run build && pnpm --filter a run build && pnpm --filter b run build && pnpm --filter api run build',
    'yarn workspace @acme/z run build && yarn workspace a run build && yarn workspace b run build && yarn workspace api run build',
    'bun run --filter @acme/z build && bun run --filter a build && bun run --filter b build && bun run --filter api build',
  ]);
  expect(workspaceBuild(directory, { ...manifest, scripts: {} } as typeof manifest, 'npm')).toBeUndefined();
});
