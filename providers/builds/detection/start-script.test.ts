import { expect, test } from 'vitest';
import { startScriptOf } from './package-scripts.ts';

test('divides a script that runs other scripts', () => {
  const scripts = { start: 'npm run all', all: 'tsc && node dist/main.js' };
  expect(startScriptOf({ scripts })).toMatchObject({ build: ['tsc'], start: { kind: 'node', file: 'dist/main.js' } });
});

test.each([
  ['sass --update a:b && node a.js', ['sass --update a:b'], 'node'],
  ['npx tailwindcss -i a.css -o b.css --minify && node a.js', ['npx tailwindcss -i a.css -o b.css --minify'], 'node'],
  ['nx serve', [], 'development'],
  ['nx run api:serve', [], 'development'],
  ['nx run api:serve:production', [], 'development'],
  ['nx run api:start', [], 'program'],
  ['nx serve-static web', [], 'program'],
  ['npx @marp-team/marp-cli --server .', [], 'program'],
  ['npx ./tools/serve.sh', [], 'shell'],
  ['nx run web:serve-static', [], 'program'],
  ['hexo server -p 4000', [], 'development'],
  ['npx rsbuild dev --open', [], 'development'],
  ['lite-server', [], 'development'],
  ['farm start --port 3000', [], 'development'],
  ['farm --host', [], 'development'],
])('style sheets belong to the build, and development servers do not start in a release: %s', (start, build, kind) => {
  expect(startScriptOf({ scripts: { start } })).toMatchObject({ build, start: { kind } });
});

test.each([
  ['yarn node index.js', [], { kind: 'node', file: 'index.js' }],
  [
    'NODE_ENV=production yarn run ts-node a.ts',
    [],
    { kind: 'node', file: 'a.ts', environment: { NODE_ENV: 'production' } },
  ],
  ['yarn tsc && node dist/a.js', ['tsc'], { kind: 'node', file: 'dist/a.js' }],
  ['cross-env PORT=1 pnpm next start', [], { kind: 'framework', command: 'next start' }],
  ['yarn prisma migrate deploy && pnpm tsx a.ts', [], { kind: 'shell', command: 'prisma migrate deploy && tsx a.ts' }],
  ['pnpm -r start', [], { kind: 'shell', command: 'pnpm -r start' }],
  ['yarn workspaces run start', [], { kind: 'shell', command: 'yarn workspaces run start' }],
  ['yarn start:prod', [], { kind: 'shell', command: 'yarn start:prod' }],
  ['npm next start', [], { kind: 'shell', command: 'npm next start' }],
  ['A="b c" bun --bun run next start -p 1', [], { kind: 'framework', command: 'next start -p 1' }],
  ['bun run --bun vite preview', [], { kind: 'framework', command: 'vite preview' }],
  ['bun run next.ts start', [], { kind: 'shell', command: 'bun run next.ts start' }],
])('Yarn and pnpm run programs of packages: %s', (start, build, expected) => {
  expect(startScriptOf({ scripts: { start } })).toMatchObject({ build, start: expected });
});

test.each<[string, Record<string, string>]>([
  ['run a long script again and again', { start: 'npm run a && '.repeat(20_000), a: 'x;'.repeat(20_000) }],
  ['are many commands', { start: `${'tsc && '.repeat(100_000)}node x` }],
  ['may name a runner anywhere', { start: ';a='.repeat(200_000) }],
  ['wrap many runners', { start: `nodemon ${'--exec nodemon '.repeat(20_000)}` }],
  [
    'run nothing, in deep chains',
    Object.fromEntries([
      ...Array.from({ length: 7 }, (_, at) => [at === 0 ? 'start' : `s${at}`, `npm run s${at + 1};`.repeat(200)]),
      ['s7', ''],
    ]),
  ],
])('scripts that %s are left to a shell', (_, scripts) => {
  expect(startScriptOf({ scripts })?.start).toEqual({ kind: 'shell', command: scripts.start });
});

test.each<[script: string, start: string, environment?: object]>([
  [
    'ts-node -r tsconfig-paths/register a.ts --x 1',
    'node --require ts-node/register --require tsconfig-paths/register a.ts --x 1',
  ],
  ['ts-node --project b.json a.ts', 'node --require ts-node/register a.ts', { TS_NODE_PROJECT: 'b.json' }],
  ['ts-node -P ./b.json a.ts', 'node --require ts-node/register a.ts', { TS_NODE_PROJECT: './b.json' }],
  [
    'ts-node --transpileOnly --files a.ts',
    'node --require ts-node/register a.ts',
    { TS_NODE_TRANSPILE_ONLY: 'true', TS_NODE_FILES: 'true' },
  ],
  ['ts-node --esm a.ts', 'node --loader ts-node/esm a.ts'],
  ['ts-node --swc a.ts', 'ts-node --swc a.ts'],
  ['ts-node-dev --respawn --ignore-watch node_modules a.ts', 'node --require ts-node/register a.ts'],
  ['tsx --tsconfig b.json a.ts', 'node --import tsx a.ts', { TSX_TSCONFIG_PATH: 'b.json' }],
  ["nodemon --watch 'src/**/*.ts' --exec 'ts-node' a.ts", 'node --require ts-node/register a.ts'],
  ['nodemon --exec "node --trace-warnings" app.js', 'node --trace-warnings app.js'],
  ['X=1 nodemon --exec "npm run serve"', 'node app.js --served', { X: '1' }],
  ['nodemon --exec node --loader ts-node/esm app.ts', 'node --loader ts-node/esm app.ts'],
  ['nodemon --watch src --exec node -r ts-node/register app.ts', 'node -r ts-node/register app.ts'],
  ['nodemon --watch src/ app.js --port 1', 'node app.js --port 1'],
  ['nodemon -r dotenv/config app.ts', 'node --require ts-node/register --require dotenv/config app.ts'],
  ['nodemon --watch src', 'node .'],
  ['nodemon --config production.json', 'nodemon --config production.json'],
  ['nodemon -r dotenv/config app.js', 'node -r dotenv/config app.js'],
  [
    'node --unhandled-rejections strict --dns-result-order ipv4first app.js',
    'node --unhandled-rejections strict --dns-result-order ipv4first app.js',
  ],
  ['node --watch-path src app.js', 'node app.js'],
  ['nice -n 10 node app.js', 'node app.js'],
  ['cross-env NODE_ENV=production npm run serve', 'node app.js --served', { NODE_ENV: 'production' }],
  ['env -u FOO node app.js', 'env -u FOO node app.js'],
  ['pm2-runtime start npm -- run serve', 'node app.js --served'],
  ['pm2 start app.js -i max --node-args="--max-old-space-size=900" -- --x', 'node --max-old-space-size=900 app.js --x'],
  ['pm2 start a.ts --interpreter ts-node', 'node --require ts-node/register a.ts'],
  ['pm2-runtime start app.js -k 3000 --delay 5 --autorestart -w', 'node app.js'],
  ['pm2 start --sort name:desc --hp /tmp app.js --v8 --filter-env A --no-autostart', 'node app.js'],
  ['pm2-runtime --machine-name a --auto-exit app.js', 'node app.js'],
  ['pm2 start app.js --unknown', 'pm2 start app.js --unknown'],
])(
  'interprets the options of programs that run a file as these programs do: %s',
  (start, expected, environment = {}) => {
    const found = startScriptOf({ scripts: { start, serve: 'node app.js --served' } })?.start;
    if (found?.kind !== 'node') expect(found).toEqual({ kind: 'shell', command: expected });
    else {
      expect(['node', ...found.options, found.file, ...found.args].join(' ')).toBe(expected);
      expect(found.environment).toEqual(environment);
    }
  },
);

/** More scripts than a command may run at the same time. */
const MANY_SCRIPTS = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`a:${index}`, 'vite']));
const SERVED = {
  server: 'node a.js',
  client: 'vite',
  worker: 'node w.js',
  'watch:css': 'tailwindcss -o a.css --watch',
};
test.each<[start: string, scripts: Record<string, string>, expected: object]>([
  ['concurrently "npm run server" "npm run client"', SERVED, { kind: 'node', file: 'a.js' }],
  ['concurrently -k -n api,web -c "red,blue" "node a.js" "cd client && npx vite"', {}, { kind: 'node', file: 'a.js' }],
  ['concurrently npm:server npm:watch:*', SERVED, { kind: 'node', file: 'a.js' }],
  ['npx concurrently --names=a --kill-others "tsc -w" "nodemon a.js"', {}, { kind: 'node', file: 'a.js' }],
  ['npm-run-all --parallel server client', SERVED, { kind: 'node', file: 'a.js' }],
  ['npm-run-all -p -r server client', SERVED, { kind: 'node', file: 'a.js' }],
  ['run-p server watch:*', SERVED, { kind: 'node', file: 'a.js' }],
  // Only the owner knows which of two servers answers requests.
  ['run-p server worker', SERVED, { kind: 'development' }],
  ['run-p client watch:*', SERVED, { kind: 'development' }],
  ['concurrently --unknown-option x "node a.js"', {}, { kind: 'development' }],
  ['concurrently "npm start" "npm start"', {}, { kind: 'development' }],
  ['concurrently "node a.js" npm:a:*', MANY_SCRIPTS, { kind: 'development' }],
  [`concurrently ${'vite '.repeat(20)}"node a.js"`, {}, { kind: 'development' }],
])('of programs that run at the same time, starts the only server: %s', (start, scripts, expected) => {
  expect(startScriptOf({ scripts: { start, ...scripts } }, undefined, true)?.start).toMatchObject(expected);
  // Other starts come first.
  expect(startScriptOf({ scripts: { start, ...scripts } })?.start).toMatchObject({ kind: 'development' });
});

const ENVIRONMENTS = { 'start:production': 'node a.js', 'start:development': 'nodemon a.js', prod: 'node a.js' };
test.each([
  'if-env NODE_ENV=production && npm run start:production || npm run start:development',
  'if-env NODE_ENV=production ?? npm run prod || npm run start:development',
  'if-env NODE_ENV=development && npm run start:development || npm run prod',
  'per-env',
])('starts what a script runs in production: %s', (start) => {
  expect(startScriptOf({ scripts: { start, ...ENVIRONMENTS } })?.start).toEqual({
    kind: 'node',
    options: [],
    file: 'a.js',
    args: [],
    environment: {},
  });
});

test.each([
  'if-env NODE_ENV=production && node a.js',
  'if-env NODE_ENV=staging && npm run b || npm run c || npm run d',
  'if-env STAGE=production && npm run b || npm run c',
])('leaves other conditions to a shell: %s', (start) => {
  expect(startScriptOf({ scripts: { start } })?.start.kind).toBe('shell');
});
