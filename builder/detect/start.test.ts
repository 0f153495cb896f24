import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { describeExpectedStart } from '../../providers/builds/detection/expected-start.ts';
import { runScript } from '../package/archive.ts';
import { neededPackages } from '../package/needed.ts';
import { describeStart } from './describe-start.ts';
import { findStart } from './start.ts';
import { assertStartable, assertStartableEarly } from './startable.ts';
import { application, NEXT, removeApplications, temporaryDirectory } from './test-applications.ts';

afterEach(removeApplications);

const started = (...args: Parameters<typeof application>) => {
  const { start, from } = findStart(application(...args));
  return [describeStart(start), from];
};

test.each<[object, string[], string, string | undefined]>([
  [{ main: 'app.js' }, ['server.js', 'app.js'], 'node server.js', undefined],
  [{ main: './lib' }, ['lib/index.js'], 'node lib/index.js', 'main of package.json'],
  [{ scripts: { start: 'node bin/www\n' } }, ['bin/www'], 'node bin/www', 'start script'],
  [{ scripts: { start: '' }, main: 'app.js' }, ['app.js'], 'node app.js', 'main of package.json'],
  [{ scripts: { start: 'npm run migrate && node bin/www', migrate: '' } }, ['bin/www'], 'node bin/www', 'start script'],
  [{ scripts: { start: 'node bin/www' }, main: 'app.js' }, ['bin/www', 'app.js'], 'node bin/www', 'start script'],
  [
    { scripts: { start: 'node --enable-source-maps server.js' } },
    ['server.js'],
    'node --enable-source-maps server.js',
    'start script',
  ],
  [
    { scripts: { start: 'cd backend && node index.js' } },
    ['backend/index.js'],
    'node index.js (in backend)',
    'start script',
  ],
  [{ scripts: { start: 'tsx watch src/a.ts' } }, ['src/a.ts'], 'node --import tsx src/a.ts', 'start script'],
  [
    { scripts: { start: 'nodemon --exec ts-node src/a.ts' } },
    ['src/a.ts'],
    'node --require ts-node/register src/a.ts',
    'start script',
  ],
  [
    { scripts: { start: 'node -r ./.pnp.cjs --loader=./.pnp.loader.mjs -r ./a.js b.js' } },
    ['a.js', 'b.js'],
    'node -r ./a.js b.js',
    'start script',
  ],
  [{ scripts: { start: 'X=1 ./bin/www --port 1' } }, ['bin/www'], 'X=1 ./bin/www --port 1', 'start script'],
  [
    { scripts: { start: 'prisma migrate deploy && node a.js' } },
    ['a.js'],
    'prisma migrate deploy && node a.js',
    'start script',
  ],
  [
    { scripts: { 'start:prod': 'NODE_ENV=production node dist/index' } },
    ['dist/server.js', 'dist/index.js'],
    'node dist/index.js',
    'script start:prod',
  ],
  [
    { devDependencies: { vite: '7' }, scripts: { start: 'vite', 'start:production': 'serve -s dist' } },
    ['dist/index.html'],
    'files of dist',
    'script start:production',
  ],
  [
    { scripts: { start: 'concurrently "node a.js" "node b.js"', startProd: 'node c.js' } },
    ['a.js', 'b.js', 'c.js'],
    'node c.js',
    'script startProd',
  ],
  [{ scripts: { start: 'node a.js', 'start:prod': 'node b.js' } }, ['a.js', 'b.js'], 'node a.js', 'start script'],
  [
    { scripts: { start: 'nx serve' } },
    ['dist/apps/api/main.js', 'dist/web/index.html', 'dist/web/main.js'],
    'node dist/apps/api/main.js',
    'only server of the build',
  ],
  // The sources of a page have the names of those of a server.
  [{ scripts: { build: 'preact build' } }, ['src/index.js', 'build/index.html'], 'files of build', 'index.html'],
  [{ scripts: { build: 'tsc' } }, ['src/index.js', 'public/index.html'], 'node src/index.js', 'usual file name'],
  [{}, ['src/index.js', 'dist/index.html'], 'node src/index.js', 'usual file name'],
  [{ scripts: { 'start:prod': 'docker compose up' } }, ['dist/index.js'], 'node dist/index.js', 'usual file name'],
  [{ scripts: { 'start:prod': 'node absent.js' } }, ['dist/index.js'], 'node dist/index.js', 'usual file name'],
])('without settings, starts what %j declares', (manifest, files, start, from) => {
  expect(started(manifest, files)).toEqual([start, from]);
});

test.each<[start: string, config: object, expected: string]>([
  ['nodemon', { exec: 'ts-node ./src/a.ts' }, 'node --require ts-node/register src/a.ts'],
  ['nodemon src/a.ts', { exec: 'ts-node' }, 'node --require ts-node/register src/a.ts'],
  ['nodemon --exec tsx src/a.ts', { exec: 'ts-node' }, 'node --import tsx src/a.ts'],
  ['nodemon src/a.ts', { execMap: { ts: 'tsx' } }, 'node --import tsx src/a.ts'],
  ['nodemon', {}, 'node src/main.js'],
  ['nodemon', { exec: 'nodemon' }, 'nodemon'],
  ['nodemon --config b.json', { exec: 'ts-node src/a.ts' }, 'nodemon --config b.json'],
  ['nodemon --config b.json src/main.js', { exec: 'ts-node' }, 'node src/main.js'],
])('follows the configuration of nodemon: %s, %j', (start, config, expected) => {
  const files = { 'src/a.ts': '', 'src/main.js': '' };
  const manifest = { main: 'src/main.js', scripts: { start } };
  expect(started(manifest, { ...files, 'nodemon.json': JSON.stringify(config) })[0]).toBe(expected);
  expect(started({ ...manifest, nodemonConfig: config }, files)[0]).toBe(expected);
});

test('ignores a configuration of nodemon that is invalid or outside of the application', () => {
  const app = application({ main: 'a.js', scripts: { start: 'nodemon' } }, { 'a.js': '', 'nodemon.json': '{' });
  expect(describeStart(findStart(app).start)).toBe('node a.js');
  const outside = join(temporaryDirectory(), 'nodemon.json');
  writeFileSync(outside, '{"exec":"tsx b.ts"}');
  rmSync(join(app.directory, 'nodemon.json'));
  symlinkSync(outside, join(app.directory, 'nodemon.json'));
  expect(describeStart(findStart(app).start)).toBe('node a.js');
});

test.each([
  ['serve web/out', 'files of web/out', false],
  ['serve -s web/out', 'files of web/out', true],
])('serves the directory that a start command names: %s', (startCommand, expected, single) => {
  const { start } = findStart(application({}, ['web/out/index.html'], { startCommand }));
  expect([describeStart(start), start]).toEqual([expected, { kind: 'site', directory: 'web/out', single }]);
});

test.each([
  ['web/index.html', 'files of web'],
  ['index.html', 'files of the repository'],
])('serves the directory of a page that is the start file: %s', (startFile, expected) => {
  expect(started({ scripts: { start: 'node a.js' } }, ['a.js', startFile], { startFile })[0]).toBe(expected);
});

test.each<[config: string, start: string, environment?: object]>([
  [`{ script: './api/main.js', cwd: '/var/www' }`, 'node api/main.js'],
  [`{ cwd: './api', script: 'main.js', args: '--word a' }`, 'node main.js --word a (in api)'],
  [`{ "script": "api/main", "args": ["--word", "a b"], "instances": "max" }`, "node api/main.js --word 'a b'"],
  [
    `{ script: 'api/main.js', node_args: ['--conditions=x', '--title b'] }`,
    "node --conditions=x '--title b' api/main.js",
  ],
  [`{ script: 'api/main.js', interpreter: 'tsx' }`, 'node --import tsx api/main.js'],
  [`{ script: 'api/main.js', interpreter: 'node', interpreterArgs: '--import tsx' }`, 'node --import tsx api/main.js'],
  [`{ script: 'api/main.js', interpreter: 'none' }, { script: 'worker.js', args: 'x' }`, 'node api/main.js'],
  [`{ script: 'node --title b api/main.js', // script: 'c'\n }`, 'node --title b api/main.js'],
  [`{ script: 'node api/main.js $X', env: { PORT: 3000, A: 1 } }`, 'A=1 node api/main.js $X'],
  [`{ script: 'npm start' }`, 'names no file'],
  [`{ name: 'api' }`, 'names no file'],
  [
    `{ script: 'api/main.js', env: { NODE_ENV: 'development', A: 'it', B: 2, C: x.y, 'D': true },\n env_production: { A: "1" } }`,
    'node api/main.js',
    { A: '1', B: '2', D: 'true' },
  ],
  [`{ script: 'api/main.js', env: { NODE_ENV: 'staging' } }`, 'node api/main.js', { NODE_ENV: 'staging' }],
])('starts what a configuration of pm2 describes: %s', (config, expected, environment = {}) => {
  const files = {
    'api/main.js': '',
    'worker.js': '',
    'ecosystem.config.js': `module.exports = { apps: [${config}] };`,
  };
  const app = application({ scripts: { start: 'pm2-runtime ecosystem.config.js --env production' } }, files);
  if (expected === 'names no file') return expect(() => findStart(app)).toThrow(expected);
  const { start } = findStart(app);
  const more = start.kind === 'node' ? { environment } : {};
  expect([describeStart(start), start]).toMatchObject([expected, more]);
});

test.each(['npm', 'yarn', 'pnpm'])('starts the script that a configuration of pm2 names with %s', (manager) => {
  const files = {
    'app.js': '',
    'ecosystem.config.js': `module.exports = { apps: [{ script: '${manager}', args: 'run serve' }] };`,
  };
  const scripts = { start: 'pm2-runtime ecosystem.config.js', serve: 'node app.js --served' };
  expect(started({ scripts }, files)[0]).toBe('node app.js --served');
  const endless = { ...scripts, serve: scripts.start };
  expect(() => started({ scripts: endless }, { 'ecosystem.config.js': files['ecosystem.config.js'] })).toThrow(
    'names no file',
  );
});

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
  ['bun run src/index.ts', 'such as "tsx src/index.ts" with tsx in "dependencies".'],
  ['bun --install=force app.js', 'such as "node app.js".'],
])('names a command of Node in place of one of Bun: %s', (start, expected) => {
  const app = application({ scripts: { start } }, ['app.js', 'src/index.ts']);
  const check = () => assertStartable(findStart(app).start, app.directory, app.directory, app.manifest);
  expect(check).toThrow(expected);
});

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

test.each<[start: string, manifest: object, warned: string | undefined]>([
  ['concurrently "node a.js" vite', {}, 'a release starts one: node a.js. To start another, set startCommand.'],
  [
    'npx concurrently "node a.js" "node b.js"',
    { devDependencies: { vite: '7' } },
    'a release starts one: files of dist.',
  ],
  // What a site is developed with is no server of a release: sample data, or type checks.
  ['concurrently vite "json-server db.json"', { devDependencies: { vite: '7' } }, 'files of dist.'],
  ['concurrently vite "node a.js"', { devDependencies: { vite: '7' } }, 'files of dist.'],
  ['concurrently "parcel index.html" "eslint-watch"', {}, 'files of dist.'],
  ['run-p b c', { main: 'b.js', scripts: { b: 'node a.js', c: 'sass -w a b' } }, 'node b.js.'],
  ['node a.js', {}, undefined],
])('says which of several programs a release starts: %s', (start, manifest, warned) => {
  const scripts = { ...('scripts' in manifest ? (manifest.scripts as object) : {}), start };
  const { warning } = findStart(application({ ...manifest, scripts }, ['a.js', 'b.js', 'dist/index.html']));
  if (warned === undefined) expect(warning).toBeUndefined();
  else expect(warning).toContain(warned);
});

test('starts all programs of a startCommand that runs several at the same time', () => {
  const startCommand = 'concurrently "node a.js" "tailwindcss -w"';
  const { start, warning } = findStart(application({}, ['a.js', 'b.js'], { startCommand }));
  expect([start, warning]).toEqual([{ kind: 'shell', directory: '', command: startCommand }, undefined]);
});

test.each([
  'pm2 start app.js --unknown',
  'pm2 start app.js && pm2 logs',
  'migrate && ./node_modules/.bin/pm2-runtime app.js',
])('refuses a process manager that is needed to start: %s', (start) => {
  const app = application({ scripts: { start } }, ['app.js']);
  expect(() => assertStartable(findStart(app).start, app.directory, app.directory, app.manifest)).toThrow(
    'needs a process manager',
  );
});

test('reads what npm reads: package.json files with a byte order mark, and scripts next to entries that are not strings', () => {
  const manifest = {
    dependencies: { windows: '1', broken: '1', tool: '1' },
    scripts: { '//': ['a comment'], start: 'tool serve' },
  };
  const files = {
    'node_modules/windows/package.json': '\ufeff{"name":"windows"}',
    'node_modules/broken/package.json': '{',
    'node_modules/tool/package.json': '\ufeff{"bin":"cli.js"}',
    'node_modules/tool/cli.js': '',
  };
  expect(started(manifest, files)).toEqual(['node node_modules/tool/cli.js serve', 'start script']);
});

test('starts the main file of a directory, as Node does', () => {
  const files = { 'index.js': '', 'src/server.js': '', 'lib/package.json': '{"main":"cjs"}', 'lib/cjs/index.js': '' };
  const first = (manifest: object) => started(manifest, files)[0];
  expect(first({ main: 'src/server.js', scripts: { start: 'node .' } })).toBe('node src/server.js');
  expect(first({ main: './src/server', scripts: { start: 'node ./' } })).toBe('node src/server.js');
  expect(first({ main: 'absent.js', scripts: { start: 'node .' } })).toBe('node index.js');
  expect(first({ scripts: { start: 'node lib' } })).toBe('node lib/cjs/index.js');
});

test('finds the server of Next.js in a monorepo, wherever the topmost lockfile is', () => {
  for (const depth of [1, 2]) {
    const app = application({ dependencies: { next: '16' }, scripts: { start: 'next start' } }, [], NEXT);
    const path = posix.join('.next/standalone', ...app.directory.split('/').slice(-depth), 'server.js');
    mkdirSync(join(app.directory, dirname(path)), { recursive: true });
    writeFileSync(join(app.directory, path), '');
    expect(describeStart(findStart(app).start)).toBe(`node ${path}`);
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

test.each([
  ['node --env-file=.env a.js', 'node a.js'],
  ['node --env-file .env --env-file=kept.env a.js', 'node --env-file=kept.env a.js'],
  ['node --env-file-if-exists=.env a.js', 'node --env-file-if-exists=.env a.js'],
  ['node a.js && node --env-file=.env --env-file "kept.env" b.js', 'node a.js && node --env-file "kept.env" b.js'],
  ["node --env-file '.env' a.js | cat", 'node a.js | cat'],
  ['node --env-file-if-exists=.env a.js | cat', 'node --env-file-if-exists=.env a.js | cat'],
  ['node --env-file=$FILE a.js', 'node --env-file=$FILE a.js'],
  ['node a.js && (cd b && node --env-file=.env c.js)', 'node a.js && (cd b && node --env-file=.env c.js)'],
  ...['node write.js && node --env-file=/tmp/written.env a.js', '(tool --env-file=.env) && node a.js'].map((start) => [
    start,
    start,
  ]),
])('leaves out environment files that the repository does not have: %s', (start, expected) => {
  expect(started({ scripts: { start } }, ['a.js', 'kept.env'])[0]).toBe(expected);
});

test('keeps an environment file of the repository that is above the application', () => {
  const start = 'node a.js && node --env-file=../.env --env-file=../absent.env b.js';
  const app = application({ scripts: { start } }, ['.env', 'api/a.js']);
  const found = findStart({ ...app, directory: join(app.directory, 'api') });
  expect(describeStart(found.start)).toBe('node a.js && node --env-file=../.env b.js');
});

test.each<[scripts: object, procfile: string, from: string, command: string]>([
  [{ start: 'tool migrate && node ./server' }, '', 'start script', 'tool migrate && node ./server'],
  [{ prestart: 'tool migrate', start: 'X=1 node server.js' }, '', 'start script', 'tool migrate && X=1 node server.js'],
  [{}, 'web: tool migrate && node server.js', 'Procfile', 'tool migrate && node server.js'],
])('warns of commands that the default start file replaces: %j, %j', (scripts, Procfile, from, command) => {
  const files = { 'server.js': '', 'other.js': '', ...(Procfile ? { Procfile } : {}) };
  const found = (settings: object) => findStart(application({ scripts }, files, settings));
  const advice = `the start file server.js is started alone. To run both, set startCommand to "${command}".`;
  expect(found({})).toMatchObject({
    start: { file: 'server.js' },
    warning: `warning: "tool migrate" of the ${from} is not run: ${advice}`,
  });
  expect(found({ startCommand: command })).toMatchObject({ start: { kind: 'shell', command } });
  expect(found({ startFile: 'other.js' }).warning).toBeUndefined();
});

test.each<[start: string, expected: string, warned?: string]>([
  ['env-cmd -f prod.env node ./server', 'env-cmd -f prod.env node ./server'],
  ['env-cmd node --title x server.js', 'env-cmd node --title x server.js'],
  ['./with.sh node server.js', './with.sh node server.js'],
  ['TZ=$ZONE node server.js', 'TZ=$ZONE node server.js'],
  ['tool server', 'node server.js', 'tool server'],
  ['node other.js', 'node server.js', 'node other.js'],
  ['cd api && node main.js', 'node server.js', 'cd api && node main.js'],
  ['node server.js | tool', 'node server.js', 'node server.js | tool'],
  ['serve api', 'node server.js', 'serve api'],
  ['node absent.js', 'node server.js'],
  ['nodemon server.js', 'node server.js'],
  ['pm2-runtime server.js -i $WEB_CONCURRENCY', 'node server.js', 'pm2-runtime server.js -i $WEB_CONCURRENCY'],
  ['env-cmd npx node server.js', 'node server.js', 'env-cmd npx node server.js'],
  ['env-cmd nodemon server.js', 'node server.js', 'env-cmd nodemon server.js'],
  ['sudo node server.js', 'node server.js', 'sudo node server.js'],
  ['doppler run -- node server.js', 'node server.js', 'doppler run -- node server.js'],
])(
  'follows a script that runs the default start file, and warns of one that runs something else: %s',
  (start, expected, warned) => {
    const names = ['server.js', 'other.js', 'api/main.js', 'api/index.html', 'with.sh', 'node_modules/env-cmd/cli.js'];
    const files = {
      ...Object.fromEntries(names.map((name) => [name, ''])),
      'node_modules/env-cmd/package.json': JSON.stringify({ bin: 'cli.js' }),
    };
    const app = application({ dependencies: { 'env-cmd': '11' }, scripts: { start } }, files);
    const found = findStart(app);
    const warning = `warning: the start script is not run, because the start file server.js exists. To run it instead, set startCommand to "${warned}".`;
    expect([describeStart(found.start), found.warning]).toEqual([expected, warned && warning]);
    expect(app.manifest && describeExpectedStart(app.manifest, undefined, names, '')).toBe(expected);
  },
);

test('settings take precedence', () => {
  const files = ['server.js', 'other.js', 'app.js'];
  const scripts = { scripts: { start: 'node app.js' } };
  expect(started(scripts, files, { startFile: 'other.js' })).toEqual(['node other.js', undefined]);
  expect(started(scripts, files, { startCommand: 'node other.js --x' })).toEqual(['node other.js --x', 'startCommand']);
  expect(started(scripts, files, { startCommand: 'npm start' })).toEqual(['node app.js', 'startCommand']);
  expect(started(scripts, files, { startCommand: 'node absent.js' })).toEqual(['node absent.js', 'startCommand']);
  expect(started({}, ['a.js'], { startCommand: 'X=1 node a.js | tee log' })).toEqual([
    'X=1 node a.js | tee log',
    'startCommand',
  ]);
});

const script = (start: Parameters<typeof runScript>[0], directory = '', variables: string[] = []) =>
  runScript(start, directory, variables)
    .split('\n')
    // Without the first line and the variables of each release.
    .slice(4, -1)
    .join('; ');
const node = { kind: 'node', directory: '', options: [], file: "it's.js", args: [], environment: {} } as const;

test('each release has the variables by which frameworks serve behind a proxy', () => {
  expect(runScript(node, '').split('\n').slice(0, 4)).toEqual([
    '#!/bin/sh',
    'export NODE_ENV=production HOST=0.0.0.0 HOSTNAME=0.0.0.0',
    'export PROTOCOL_HEADER=x-forwarded-proto',
    "export NG_ALLOWED_HOSTS='*' NG_TRUST_PROXY_HEADERS=x-forwarded-host,x-forwarded-proto,x-forwarded-port,x-forwarded-for",
  ]);
});

test('writes the script that the host runs', () => {
  expect(script(node)).toBe(`exec node --import ./.service/environment.mjs 'it'\\''s.js'`);
  const environment = { PORT: '3000', NODE_ENV: 'staging', NODE_OPTIONS: '--max-old-space-size=900' };
  expect(script({ ...node, file: 'a.js', environment })).toBe(
    'export NODE_ENV=staging; export NODE_OPTIONS="$NODE_OPTIONS "--max-old-space-size=900; exec node --import ./.service/environment.mjs a.js',
  );
  expect(script({ ...node, file: 'a.js', directory: 'backend' }, 'apps/api')).toBe(
    'cd apps/api/backend || exit 1; exec node --import ../../../.service/environment.mjs a.js',
  );
  expect(script({ ...node, file: 'a.ts', options: ['--require', 'ts-node/register'] })).toBe(
    "exec node --import ./.service/environment.mjs ./.service/launch.mjs 'node --require ts-node/register a.ts'",
  );
  const early = "exec node --import ./.service/environment.mjs ./.service/launch.mjs 'node a.js'";
  expect(script({ ...node, file: 'a.js' }, '', ['NODE_OPTIONS'])).toBe(early);
  expect(script({ ...node, file: 'a.js' }, '', ['NODE_EXTRA_CA_CERTS', 'TOKEN'])).toBe(early);
  expect(script({ ...node, file: 'a.js' }, '', ['TOKEN'])).toBe('exec node --import ./.service/environment.mjs a.js');
  expect(script({ ...node, file: 'a.js', environment: { A: '1', NODE_OPTIONS: '--import ./b.mjs' } })).toBe(
    `export A=1; exec node --import ./.service/environment.mjs ./.service/launch.mjs 'NODE_OPTIONS="$NODE_OPTIONS "'\\''--import ./b.mjs'\\'' node a.js'`,
  );
  // The application's variables override those of the start.
  expect(script({ ...node, file: 'a.js', environment: { NODE_OPTIONS: '--title=a' } }, '', ['NODE_OPTIONS'])).toBe(
    `export NODE_OPTIONS="$NODE_OPTIONS "--title=a; ${early}`,
  );
  expect(script({ kind: 'shell', directory: '', command: 'a && b' })).toBe(
    "exec node --import ./.service/environment.mjs ./.service/launch.mjs 'a && b'",
  );
  expect(script({ kind: 'site', directory: 'dist', single: true }, 'web')).toBe(
    'cd web || exit 1; exec node --import ../.service/environment.mjs ../.service/site-server.mjs dist --single',
  );
});

test('keeps development packages that the start needs', () => {
  const app = application(
    { devDependencies: { tool: '1', tsx: '4' } },
    { 'node_modules/tool/package.json': '{"bin":"cli.js"}', 'node_modules/tool/cli.js': '' },
  );
  const needed = (start: Parameters<typeof neededPackages>[0]) =>
    neededPackages(
      start,
      app.directory,
      app.directory,
      app.manifest,
      new Set(['node_modules/tool', 'node_modules/tsx']),
    );
  expect(needed(node)).toEqual([]);
  expect(needed({ ...node, options: ['--import', 'tsx'] })).toEqual(['tsx']);
  expect(needed({ ...node, file: 'node_modules/tool/cli.js' })).toEqual(['tool']);
  expect(needed({ kind: 'shell', directory: '', command: 'tool --x | cat' })).toEqual(['tool']);
  for (const NODE_OPTIONS of ['--import tsx', '--no-warnings --import=tsx/esm'])
    expect(needed({ ...node, environment: { NODE_OPTIONS } })).toEqual(['tsx']);
  for (const [command, name] of [
    ['node a.js && node -r tsx/cjs b.ts', 'tsx'],
    ['node --import=tsx b.ts | cat', 'tsx'],
    ['NODE_OPTIONS="--loader tsx" node b.ts | cat', 'tsx'],
    ['node a.js && node node_modules/tsx/dist/cli.mjs b.ts', 'tsx'],
    ['node a.js && ./node_modules/.bin/tool', 'tool'],
  ] as const)
    expect(needed({ kind: 'shell', directory: '', command }), command).toEqual([name]);
  expect(needed({ kind: 'shell', directory: '', command: 'wrapper -- tool b.ts' })).toEqual(['tool']);
  expect(needed({ kind: 'shell', directory: '', command: 'cat x tsx' })).toEqual([]);
});
