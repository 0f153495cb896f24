import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { FRAMEWORK_DEFAULTS } from '../../contract/enums.ts';
import { assertBuildable, assertNoNxProject, databaseNotes, processNotes, siteWarnings, warningsFor } from './notes.ts';
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

test('says how to deploy a project of Nx that has no package.json', () => {
  const files = ['nx.json', 'apps/api/project.json', 'libs/a/b.js', 'apps/web/project.json', 'apps/web/next.config.js'];
  const { directory, manifest } = application({ devDependencies: { nx: '23' } }, files);
  const job = { framework: 'NODE', ...FRAMEWORK_DEFAULTS.NODE, startCommand: null, installCommand: 'npm ci' } as const;
  const check = (path: string, own: typeof manifest, change: Partial<{ buildCommand: string }> = {}) =>
    expect(() => assertNoNxProject(directory, join(directory, path), own, { ...job, ...change }));
  check('apps/api', undefined).toThrow(
    'The root directory "apps/api" is a project of the repository\'s Nx workspace and has no package.json: set rootDirectory to null and the build command to "npx nx build api". If the workspace has several servers, set startFile to the one to start, such as "dist/apps/api/main.js".',
  );
  check('apps/web', undefined).toThrow('such as "apps/web/.next/standalone/apps/web/server.js".');
  check('apps/api', manifest).not.toThrow();
  check('apps/api', undefined, { buildCommand: 'npx nx build api' }).not.toThrow();
  check('libs/a', undefined).not.toThrow();
  check('', undefined).not.toThrow();
});

test.each([
  ['express-basic-auth', /no password prompt/],
  ['socket.io', /serves WebSockets/],
  ['better-sqlite3', /keeps data in files/],
  ['grammy', /works in the background/],
  ['@feathersjs/socketio', /serves WebSockets/],
])('the log warns about what does not work with %s', (name, said) => {
  expect(warningsFor({ dependencies: { [name]: '1.0.0', express: '5.0.0' } })).toEqual([expect.stringMatching(said)]);
});

test('the log says nothing about other dependencies', () => {
  expect(warningsFor({ dependencies: { express: '5.0.0' } })).toEqual([]);
});

test('the log warns about rules of other hosts, which a site does not apply', () => {
  const { directory } = application(undefined, ['_headers']);
  writeFileSync(join(directory, '_redirects'), '# single-page\n/* /index.html 200\r\n\n');
  expect(siteWarnings(directory)).toEqual([expect.stringContaining('_headers is not applied')]);
  writeFileSync(join(directory, '_redirects'), '/old /new 301\n/* /index.html 200\n');
  expect(siteWarnings(directory)[0]).toContain('_redirects has rules that are not applied');
  expect(siteWarnings(application(undefined, ['_redirects/a.html']).directory)).toEqual([]);
});

test.each<[procfile: string, warned: RegExp[]]>([
  ['release: npx prisma migrate deploy\nweb: node a.js\n', [/release command is not run: "npx prisma migrate deploy"/]],
  ['web: node a.js\nworker: node b.js\nclock: node c.js', [/only "web" is run; .*: worker, clock$/]],
  ['web: node a.js', []],
  // Without `web`, the build fails, or starts what package.json names.
  ['worker: node b.js', []],
])('the log names the processes of a Procfile that are not run: %j', (procfile, warned) => {
  expect(processNotes(procfile)).toEqual(warned.map((text) => expect.stringMatching(text)));
});

test('the log names the variables of the databases, and warns if a release lacks them or replaces them', () => {
  const databases = ['MAIN', 'LOGS'].map((name) => ({
    prefix: `DATABASE_${name}`,
    host: 'a.on.aws',
    region: 'eu-west-1',
  }));
  const databasePasswords = { DATABASE_MAIN: 'a', DATABASE_LOGS: 'b' };
  const job = { databases, databasePasswords };
  const received = 'databases: the build and the release receive DATABASE_URL and DATABASE_MAIN_URL, DATABASE_LOGS_URL';
  expect(databaseNotes({ databases: [], variables: { DATABASE_URL: 'x' } })).toEqual([]);
  expect(databaseNotes({ ...job, variables: { TOKEN: 'x' } })).toEqual([received]);
  expect(databaseNotes({ ...job, variables: { DATABASE_URL: 'x' } })).toEqual([
    received,
    expect.stringContaining('your own variable DATABASE_URL takes precedence'),
  ]);
  expect(databaseNotes({ databases, databasePasswords: { DATABASE_MAIN: 'a' }, variables: {} })).toEqual([
    received,
    expect.stringContaining('the build does not receive DATABASE_LOGS_URL'),
  ]);
  expect(databaseNotes({ databases: [], pendingDatabases: ['main'], variables: {} })).toEqual([
    expect.stringMatching(/the database main is still being created.* deploy again/),
  ]);
});
