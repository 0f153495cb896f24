import { afterAll, expect, test } from 'vitest';
import { lateBuildCommand } from './late-build.ts';
import { application, removeApplications } from './test-applications.ts';

afterAll(removeApplications);

const COMPILE = { compile: 'shx rm -rf lib/ && tsc', start: 'node lib/' };

test.each<[what: string, command: string | undefined, app: ReturnType<typeof application>]>([
  [
    'Feathers, as generated',
    'npm run compile',
    application({ main: 'lib/client', scripts: COMPILE, dependencies: { '@feathersjs/feathers': '5' } }, [
      'src/index.ts',
    ]),
  ],
  [
    'a script for production',
    'npm run build:prod',
    application({ scripts: { 'build:dev': 'x', 'build:prod': 'tsc', start: 'node dist/main.js' } }, ['src/main.ts']),
  ],
  ['an application that starts without it', undefined, application({ scripts: COMPILE }, ['lib/index.js'])],
  ['an application without such a script', undefined, application({ scripts: { start: 'node lib/' } })],
  ['an application without a package.json', undefined, application(undefined)],
  ['an application that was built', undefined, application({ scripts: { ...COMPILE, build: 'tsc' } })],
])('builds by another script than "build" only what nothing starts otherwise: %s', (_what, command, app) => {
  expect(lateBuildCommand(app, 'npm')).toBe(command);
});
