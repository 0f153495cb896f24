import { afterEach, expect, test } from 'vitest';
import { describeStart } from './describe-start.ts';
import { findStart } from './start.ts';
import { application, removeApplications, started } from './test-applications.ts';

afterEach(removeApplications);

const NEST = (root: string, ...projects: string[]) =>
  JSON.stringify({
    monorepo: true,
    root,
    projects: Object.fromEntries(projects.map((name) => [name, { type: 'application', root: `apps/${name}` }])),
  });
const NESTED = ['dist/apps/admin/main.js', 'dist/apps/api/main.js'];

test.each<[what: string, scripts: object, files: Record<string, string>, expected: string | RegExp]>([
  [
    'the default of Nest',
    { start: 'nest start' },
    { 'nest-cli.json': NEST('apps/api', 'admin', 'api') },
    'node dist/apps/api/main.js',
  ],
  [
    'a project of Nest',
    { start: 'nest start admin' },
    { 'nest-cli.json': NEST('apps/api', 'admin', 'api') },
    'node dist/apps/admin/main.js',
  ],
  ['no start script', {}, { 'nest-cli.json': NEST('apps/api', 'admin', 'api') }, 'node dist/apps/api/main.js'],
  [
    'a project of Nest that was not built',
    { start: 'nest start jobs', build: 'nest build' },
    { 'nest-cli.json': NEST('apps/api', 'jobs') },
    /neither was "dist\/apps\/jobs\/main\.js", which the start script names: check that the build creates it/,
  ],
  [
    'a file for production',
    { start: 'nest start jobs', 'start:prod': 'node dist/apps/admin/main' },
    { 'nest-cli.json': NEST('apps/api', 'jobs') },
    'node dist/apps/admin/main.js',
  ],
  [
    'a directory outside',
    { start: 'nest start' },
    { 'nest-cli.json': NEST('../../a') },
    /several servers: set startFile to dist\/apps\/admin\/main\.js or dist\/apps\/api\/main\.js\.$/,
  ],
  [
    'a configuration of Nest that is invalid',
    {},
    { 'nest-cli.json': '{', 'nx.json': '{}' },
    /the build created several servers: set startFile/,
  ],
  [
    'Nx',
    {},
    { 'nx.json': '{}' },
    /^The start file "server\.js" was not found after the build, and the build created several servers: set startFile to dist/,
  ],
  ['a monorepo without a known tool', { start: 'nest start' }, {}, /was not found after the build/],
])('starts an application of a monorepo: %s', (_what, scripts, files, expected) => {
  const manifest = { dependencies: { '@nestjs/core': '11' }, scripts };
  const app = () =>
    findStart(application(manifest, { ...Object.fromEntries(NESTED.map((file) => [file, ''])), ...files }));
  if (typeof expected === 'string') expect(describeStart(app().start)).toBe(expected);
  else expect(app).toThrow(expected);
});

test.each<[files: string[], manifest: object, expected: string | RegExp]>([
  [['dist/apps/api/main.js'], { dependencies: { '@nestjs/core': '11' } }, 'node dist/apps/api/main.js'],
  [
    ['dist/apps/api/main.js', 'dist/apps/web/index.html', 'dist/apps/web/main.js'],
    { dependencies: { next: '16' } },
    'node dist/apps/api/main.js',
  ],
  [['apps/api/dist/main.js'], { dependencies: { express: '5' } }, 'node apps/api/dist/main.js'],
])('starts the only server that Nx built: %j', (files, manifest, expected) => {
  expect(started(manifest, ['nx.json', ...files])).toEqual([expected, 'only server of the build']);
});

test.each([
  [
    ['server/server.mjs', 'browser/index.html'],
    ', and the build created several servers: set startFile to dist/admin/server/server.mjs or dist/shop/server/server.mjs.',
  ],
  [
    ['browser/index.html'],
    ', and the build created several sites: set startCommand to "serve dist/admin/browser" or "serve dist/shop/browser".',
  ],
])('chooses none of several applications that a framework built: %j', (files, expected) => {
  const all = ['admin', 'shop'].flatMap((name) => files.map((file) => `dist/${name}/${file}`));
  const manifest = { devDependencies: { '@angular/core': '20' }, scripts: { start: 'ng serve' } };
  expect(() => started(manifest, all)).toThrow(`The start file "server.js" was not found after the build${expected}`);
  expect(started(manifest, all.slice(0, files.length))[1]).toBe('Angular');
});
