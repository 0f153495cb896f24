import { afterEach, expect, test } from 'vitest';
import { FRAMEWORK_DEFAULTS } from '../../contract/enums.ts';
import { assertBuildable, warningsFor } from './notes.ts';
import { application, removeApplications } from './test-applications.ts';

afterEach(removeApplications);

test.each(['NODE', 'NEXTJS'] as const)(
  'says what a repository without a package.json has, where the framework is %s',
  (framework) => {
    const job = { framework, ...FRAMEWORK_DEFAULTS[framework], startCommand: null, installCommand: 'npm ci' };
    const refusal = (files: string[], change: Partial<typeof job> = {}) =>
      expect(() => assertBuildable(application(undefined, files).directory, undefined, { ...job, ...change }));
    refusal(['app/package.json', 'pages/a.md']).toThrow('but there is one in app: set rootDirectory.');
    refusal(['requirements.txt']).toThrow('This is a Python project');
    refusal(['requirements.txt'], { installCommand: 'cd app && npm ci' }).not.toThrow();
  },
);

test.each([
  ['express-basic-auth', /no password prompt/],
  ['socket.io', /serves WebSockets/],
  ['better-sqlite3', /keeps data in files/],
])('the log warns about what does not work with %s', (name, said) => {
  expect(warningsFor({ dependencies: { [name]: '1.0.0', express: '5.0.0' } })).toEqual([expect.stringMatching(said)]);
});

test('the log says nothing about other dependencies', () => {
  expect(warningsFor({ dependencies: { express: '5.0.0' } })).toEqual([]);
});
