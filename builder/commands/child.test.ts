import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readTool, runTool, startChild } from './child.ts';
import { commandEnvironment } from './command.ts';

test('a child has only the environment that it was given', async () => {
  process.env.BUILDER_SECRET = 'secret';
  try {
    const print = ['/proc/self/environ'];
    expect(runTool('/bin/cat', print, { environment: { GIVEN: '1' } })).toBe('GIVEN=1\0');
    expect(runTool('/bin/cat', print)).not.toContain('BUILDER_SECRET');
    expect((await readTool('/bin/cat', print, { GIVEN: '2' }, 100)).stdout).toBe('GIVEN=2\0');
    const child = startChild('/bin/cat', print, { environment: {}, stdio: ['ignore', 'pipe', 'ignore'] });
    let printed = '';
    for await (const chunk of child.stdout ?? []) printed += chunk;
    expect(printed).toBe('');
  } finally {
    delete process.env.BUILDER_SECRET;
  }
});

test('an application’s variables override the defaults of a build, but not the platform’s variables', () => {
  const variables = { CI: 'false', NO_COLOR: '', PATH: '/theirs' };
  const user = { uid: 1, gid: 1, home: '/build' };
  expect(commandEnvironment({ PATH: '/bin', SECRET: '1' }, variables, user)).toMatchObject({
    CI: 'false',
    NO_COLOR: '',
    PATH: '/bin',
    HOME: '/build',
  });
  expect(commandEnvironment({}, {}).CI).toBe('true');
});

test('only one module of the builder starts processes', () => {
  const importing = globSync('builder/**/*.ts').filter(
    (file) =>
      !/\.test\.ts$|test-harness/.test(file) &&
      /^import (?!type).*'node:(child_process|cluster|worker_threads)'/m.test(readFileSync(file, 'utf8')),
  );
  // launch.ts is part of the release: it runs with the application, never in a build.
  expect(importing.sort()).toEqual(['builder/app-runtime/launch.ts', 'builder/commands/child.ts']);
});
