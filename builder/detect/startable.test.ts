import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { describeStart } from './describe-start.ts';
import { findStart } from './start.ts';
import { assertStartable, assertStartableEarly } from './startable.ts';
import { application, NEXT, removeApplications, temporaryDirectory } from './test-applications.ts';

afterEach(removeApplications);

test.each([
  ['npm start --prefix server', 'node index.js --api (in server)'],
  ['npm start -w api', 'node index.js --api (in server)'],
  ['cd server && npm start', 'node index.js --api (in server)'],
  ['pnpm --filter api start', 'node index.js --api (in server)'],
  ['yarn workspace api start', 'node index.js --api (in server)'],
  ['yarn --cwd server start --more', 'node index.js --api --more (in server)'],
  ['npx tool migrate && node app.js', 'tool migrate && node app.js'],
  ['X="$Y" npx --yes tool | cat', 'X="$Y" tool | cat'],
  ['npm start --prefix server && node app.js', undefined],
  ['npm start --prefix ..', undefined],
  ['npm start -w other', undefined],
  ['npm start --prefix link', undefined],
  ['FOO=1 pnpm --recursive start | cat', undefined],
  ['bun app.js', 'node app.js'],
  ['bun run --hot ./app.js --more', 'node app.js --more'],
  ['cross-env A=1 bun --smol app.js', 'node app.js'],
  ['bun --preload ./a.js app.js', undefined],
  ['bun run src/index.ts', undefined],
  ['bun --bun run serve', 'node app.js --served'],
  ['run-s migrate serve', 'tool migrate && node app.js --served'],
  ['npm-run-all -s "build:*" serve', 'node app.js --served'],
  ['run-s build:* serve:*', undefined],
  ['run-s absent serve', undefined],
  ['turbo start | cat', undefined],
  ['dotenv -e .env -- npm run serve', undefined],
  ['dotenv -- yarn serve', undefined],
  ['env-cmd npm --silent start', undefined],
  ['doppler run -- npm run serve', undefined],
  ['cross-env A=1 npm run piped', undefined],
  ['doppler run -- npx tool', undefined],
  ['dotenv -- node app.js', 'dotenv -- node app.js'],
  ['dotenv --with npm -- node app.js', 'dotenv --with npm -- node app.js'],
  ['FILE=.env dotenv -- run-s serve', 'FILE=.env dotenv -- run-s serve'],
  ['PORT=3000 dotenv -- node app.js', 'dotenv -- node app.js'],
  ['dotenv -p app.js', 'node node_modules/dotenv-cli/cli.js -p app.js'],
])('starts what a package manager would start, without the package manager: %s', (start, expected) => {
  const app = application(
    {
      workspaces: ['ser*'],
      dependencies: { 'dotenv-cli': '11', 'npm-run-all': '4' },
      scripts: {
        start,
        serve: 'node app.js --served',
        migrate: 'tool migrate',
        piped: 'node app.js | cat',
        'build:a': 'tsc',
        'build:a:b': 'never',
      },
    },
    {
      'app.js': '',
      'node_modules/dotenv-cli/package.json': '{"bin":{"dotenv":"cli.js"}}',
      'node_modules/dotenv-cli/cli.js': '',
      'node_modules/.bin/dotenv': '',
      'node_modules/npm-run-all/package.json': '{"bin":{"run-s":"cli.js"}}',
      'node_modules/npm-run-all/cli.js': '',
      'node_modules/.bin/tool': '',
      'server/index.js': '',
      'server/package.json': '{"name":"api","scripts":{"start":"node index.js --api"}}',
    },
  );
  const outside = temporaryDirectory();
  writeFileSync(join(outside, 'package.json'), '{"scripts":{"start":"node secret.js"}}');
  symlinkSync(outside, join(app.directory, 'link'));
  const found = findStart(app);
  const check = () => assertStartable(found.start, app.directory, app.directory, app.manifest);
  if (expected === undefined) expect(check).toThrow(/needs (a package manager|Bun|doppler)/);
  else {
    check();
    expect(describeStart(found.start)).toBe(expected);
  }
});

test.each([
  ['bun run src/index.ts', 'such as "tsx src/index.ts" with tsx in "dependencies".', {}],
  ['bun --install=force app.js', 'such as "node app.js".', {}],
  ['bun src/index.ts', 'runs Node. Elysia listens by Bun, and', { elysia: '1' }],
])('names what runs in Node in place of a start by Bun: %s', (start, expected, dependencies) => {
  const app = application({ scripts: { start }, dependencies }, ['app.js', 'src/index.ts']);
  const check = () => assertStartable(findStart(app).start, app.directory, app.directory, app.manifest);
  expect(check).toThrow(expected);
});

test.each([
  [['turbo', 'turbo run start'], 'rootDirectory to the package to start, apps/api or apps/web, or startCommand to'],
  [['lerna', 'lerna run start --stream'], 'rootDirectory to the package to start, apps/api or apps/web, or'],
  [['nx', 'nx run api:start'], 'needs a package manager (nx), which a release does not have: set rootDirectory to'],
])('names the packages that a tool of monorepos starts: %j', ([tool = '', start], expected) => {
  const files = {
    'apps/api/package.json': '{"scripts":{"start":"node a.js"}}',
    'apps/web/package.json': '{"dependencies":{"vite":"7"}}',
    [`node_modules/${tool}/package.json`]: `{"bin":{"${tool}":"bin.js"}}`,
    [`node_modules/${tool}/bin.js`]: '',
  };
  const workspaces = tool === 'lerna' ? undefined : ['apps/*'];
  const app = application({ workspaces, devDependencies: { [tool]: '1' }, scripts: { start } }, files);
  expect(() => assertStartable(findStart(app).start, app.directory, app.directory, app.manifest)).toThrow(expected);
});

test.each<[start: string, expected: string | undefined, isEarly: boolean]>([
  ['deno run -A main.ts', 'needs deno, which a release does not have: it runs Node and the programs of', true],
  ['NODE_ENV=production docker compose up', 'needs docker, which a release does not have', true],
  ['make run', 'needs make, which', true],
  ['node a.js && python3 worker.py', 'needs python3, which', true],
  ['electron .', 'opens a window, and the platform hosts applications that answer requests.', true],
  ['electron-forge start', 'opens a window', true],
  ['ghost-program --serve', 'needs ghost-program, which no package provides: add the package that does to', false],
  ['export A=1 && ghost-program', 'needs ghost-program, which no package provides', false],
  ['$SERVER a.js && [ -f a.js ] && ./ghost && sh -c "node a.js" && own-program', undefined, false],
  ['cd sub && deep-program', undefined, false],
])('refuses a start by a program that a release does not have: %s', (start, expected, isEarly) => {
  const app = application({ scripts: { start } }, [
    'a.js',
    'sub/node_modules/.bin/deep-program',
    'node_modules/.bin/own-program',
  ]);
  const early = () => assertStartableEarly(app);
  const late = () => assertStartable(findStart(app).start, app.directory, app.directory, app.manifest);
  if (expected === undefined) expect(late).not.toThrow();
  else expect(late).toThrow(expected);
  if (isEarly) expect(early).toThrow(expected);
  else expect(early).not.toThrow();
});

test('refuses a start of a window by a package, and runs a program of another runtime that a package provides', () => {
  const of = (name: string, start: string) => {
    const bin = { [`node_modules/${name}/package.json`]: `{"bin":{"${name}":"cli.js"}}` };
    const files = { ...bin, [`node_modules/${name}/cli.js`]: '' };
    const app = application({ devDependencies: { [name]: '1' }, scripts: { start } }, files);
    assertStartableEarly(app);
    assertStartable(findStart(app).start, app.directory, app.directory, app.manifest);
  };
  expect(() => of('electron', 'electron .')).toThrow('opens a window');
  of('deno', 'deno run main.ts');
});

test.each<[what: string, isRefused: boolean, ...Parameters<typeof application>]>([
  ['a script', true, { scripts: { start: 'turbo run start' } }],
  ['a start command', true, {}, ['server.js'], { startCommand: 'bun a.ts' }],
  ['a script beside a start file', false, { scripts: { start: 'turbo run start' } }, ['server.js']],
  ['a script beside a start file to compile', false, { scripts: { start: 'turbo run start' } }, ['server.ts']],
  [
    'a script beside a start file to bundle',
    false,
    { scripts: { start: 'bun a', build: 'esbuild --outfile=server.js' } },
  ],
  [
    'a script beside a server of the framework',
    false,
    { dependencies: { next: '16' }, scripts: { start: 'bun a' } },
    [],
    NEXT,
  ],
  ['a script and the program as a dependency', false, { dependencies: { bun: '1' }, scripts: { start: 'bun a.ts' } }],
  ['a file that will be built', false, { scripts: { start: 'node dist/a.js' } }],
  [
    'a server beside a site that will be built',
    false,
    { devDependencies: { vite: '7' }, scripts: { start: 'concurrently vite "bun a.ts"' } },
  ],
])('before the installation, refuses a package manager that nothing can replace: %s', (_what, isRefused, ...args) => {
  const check = () => assertStartableEarly(application(...args));
  if (isRefused) expect(check).toThrow(/needs (a package manager|Bun)/);
  else expect(check).not.toThrow();
});
