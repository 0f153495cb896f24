import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { describeStart } from './describe-start.ts';
import { findStart } from './start.ts';
import { assertStartable } from './startable.ts';
import { application, removeApplications, started, temporaryDirectory } from './test-applications.ts';

afterEach(removeApplications);

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
  'pm2 start app.js --unknown',
  'pm2 start app.js && pm2 logs',
  'migrate && ./node_modules/.bin/pm2-runtime app.js',
])('refuses a process manager that is needed to start: %s', (start) => {
  const app = application({ scripts: { start } }, ['app.js']);
  expect(() => assertStartable(findStart(app).start, app.directory, app.directory, app.manifest)).toThrow(
    'needs a process manager',
  );
});
