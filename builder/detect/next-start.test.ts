import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { describeStart } from './describe-start.ts';
import { findStart } from './start.ts';
import { application, NEXT, removeApplications, started } from './test-applications.ts';

afterEach(removeApplications);

test('finds the server of Next.js in a monorepo, wherever the topmost lockfile is', () => {
  for (const depth of [1, 2]) {
    const app = application({ dependencies: { next: '16' }, scripts: { start: 'next start' } }, [], NEXT);
    const path = posix.join('.next/standalone', ...app.directory.split('/').slice(-depth), 'server.js');
    mkdirSync(join(app.directory, dirname(path)), { recursive: true });
    writeFileSync(join(app.directory, path), '');
    expect(describeStart(findStart(app).start)).toBe(`node ${path}`);
  }
});

test('finds the server of the only package with Next.js in the root of a monorepo', () => {
  for (const path of ['apps/web', 'web']) {
    const server = `${path}/.next/standalone/${path}/server.js`;
    expect(started({ dependencies: { next: '16' } }, [server], NEXT)).toEqual([`node ${server}`, 'Next.js']);
  }
});

test.each([
  ['NODE_ENV=production node server.js', 'node server.js'],
  ['node --import tsx server.ts', 'node --import tsx server.ts'],
  ['next start', `node ${NEXT.startFile}`],
  ['node node_modules/.bin/next start', `node ${NEXT.startFile}`],
  ['node absent.js', `node ${NEXT.startFile}`],
  ['cd .next/standalone && node server.js', `node ${NEXT.startFile}`],
  ['node scripts/prepare.js', `node ${NEXT.startFile}`],
  ['node scripts/spawn.js', `node ${NEXT.startFile}`],
])('starts the owner’s own server instead of the one that Next.js creates: %s', (start, expected) => {
  const manifest = { dependencies: { next: '16' }, scripts: { start } };
  const files = {
    [NEXT.startFile]: '',
    'node_modules/.bin/next': '',
    'server.js': "const next = require('next');",
    'server.ts': "import next from 'next';",
    'scripts/prepare.js': "require('next'); require('../.next/standalone/server.js');",
    'scripts/spawn.js': "spawn('npx', ['next', 'start']);",
  };
  expect(started(manifest, files, NEXT)[0]).toBe(expected);
});

test.each<[start: string, skipped: string | undefined]>([
  ['prisma migrate deploy && next start', 'prisma migrate deploy'],
  ['npm run migrate && node seed.js && NODE_ENV=production next start -p 3000', 'tool migrate && node seed.js'],
  ['next start', undefined],
  ['next build && next start', undefined],
  ['node absent.js', undefined],
])('warns of commands of a start script that the server of Next.js replaces: %s', (start, skipped) => {
  const manifest = { dependencies: { next: '16' }, scripts: { start, migrate: 'tool migrate' } };
  const found = findStart(application(manifest, [NEXT.startFile], NEXT));
  expect(describeStart(found.start)).toBe(`node ${NEXT.startFile}`);
  const warning = `warning: "${skipped}" of the start script is not run: the framework's server is started alone. Add it to the build command.`;
  expect(found.warning).toBe(skipped && warning);
});

test.each<[start: string, names: string | undefined]>([
  ['TZ=Africa/Johannesburg NODE_ENV=production PORT=3000 next start', 'TZ'],
  ["cross-env APP_ENV=prod NODE_OPTIONS='--import ./instrument.mjs' next start", 'APP_ENV, NODE_OPTIONS'],
  ['HOSTNAME=0.0.0.0 next start -p $PORT', undefined],
])('warns of variables of a start script that the server of Next.js does not get: %s', (start, names) => {
  const found = findStart(application({ dependencies: { next: '16' }, scripts: { start } }, [NEXT.startFile], NEXT));
  expect(describeStart(found.start)).toBe(`node ${NEXT.startFile}`);
  const warning = `warning: the framework's server is started without the variables that the start script sets: ${names}. Add them to the application's environment variables.`;
  expect(found.warning).toBe(names && warning);
  const commanded = findStart(
    application({ dependencies: { next: '16' } }, [NEXT.startFile], { ...NEXT, startCommand: start }),
  );
  expect(commanded.warning).toBe(names && warning.replace('start script', 'startCommand'));
  const variables = { TZ: 'UTC', APP_ENV: 'test', NODE_OPTIONS: '' };
  const set = application({ scripts: { start } }, [NEXT.startFile], { ...NEXT, variables });
  expect(findStart(set).warning).toBeUndefined();
});

test.each([
  ['TZ=UTC next start', { next: '16' }, 'TZ=UTC next start'],
  ['TZ=UTC vite preview', { vite: '8' }, 'files of dist'],
])(
  'does not warn of variables that a command keeps, or files do not need: %s',
  (startCommand, dependencies, expected) => {
    const found = findStart(application({ dependencies }, ['dist/index.html'], { startCommand }));
    expect([describeStart(found.start), found.warning]).toEqual([expected, undefined]);
  },
);
