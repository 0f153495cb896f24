import { expect, test } from 'vitest';
import { startScriptOf } from './start-script.ts';

test('a script that runs others is divided', () => {
  const scripts = { start: 'npm run all', all: 'tsc && node dist/main.js' };
  expect(startScriptOf({ scripts })).toMatchObject({ build: ['tsc'], start: { kind: 'node', file: 'dist/main.js' } });
});

test.each<[string, Record<string, string>]>([
  ['run a long script again and again', { start: 'npm run a && '.repeat(20_000), a: 'x;'.repeat(20_000) }],
  ['are many commands', { start: `${'tsc && '.repeat(100_000)}node x` }],
  ['wrap many runners', { start: `nodemon ${'--exec nodemon '.repeat(20_000)}` }],
  [
    'run nothing, in deep chains',
    Object.fromEntries([
      ...Array.from({ length: 7 }, (_, at) => [at === 0 ? 'start' : `s${at}`, `npm run s${at + 1};`.repeat(200)]),
      ['s7', ''],
    ]),
  ],
])('scripts that %s are left to a shell in a moment', (_, scripts) => {
  const began = performance.now();
  expect(startScriptOf({ scripts })?.start).toEqual({ kind: 'shell', command: scripts.start });
  expect(performance.now() - began).toBeLessThan(1000);
});
