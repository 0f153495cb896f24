import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { describeExpectedStart } from '../../providers/builds/detection/expected-start.ts';
import { describeStart } from './describe-start.ts';
import { findStart } from './start.ts';
import { application, removeApplications, started } from './test-applications.ts';

afterEach(removeApplications);

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
