import { afterEach, expect, test } from 'vitest';
import { resolveBuildCommand } from '../build/build-command.ts';
import { packagesBelow } from './packages.ts';
import { describeStart, findStart } from './start.ts';
import { application, removeApplications } from './test-applications.ts';

afterEach(removeApplications);

test.each<[scripts: Record<string, string>, ofApi: Record<string, string>, build: string | null]>([
  [{ start: 'npm start -w api' }, { start: 'tsc && node dist/index.js' }, 'cd api && tsc'],
  [{ start: 'cd api && npm start' }, { start: 'npm run build && node dist/index.js' }, 'cd api && npm run build'],
  [{ start: 'npm run build && npm start -w api' }, { start: 'node dist/index.js' }, null],
  [{ start: 'cd ./ && npm run build && npm start -w api' }, { start: 'node dist/index.js' }, null],
  [{ start: 'tsc -b && npm start -w api' }, { start: 'tsc && node dist/index.js' }, 'tsc -b && cd api && tsc'],
  [{ start: 'npm start -w api' }, { start: 'rm -rf tmp && node dist/index.js' }, null],
  [{ start: 'npm start -w api', build: 'x' }, { start: 'tsc && node dist/index.js' }, 'npm run build'],
])('builds what a start of another package builds first, there: %j, %j', (scripts, ofApi, build) => {
  const app = application(
    { workspaces: ['api'], scripts },
    { 'api/dist/index.js': '', 'api/package.json': JSON.stringify({ name: 'api', scripts: ofApi }) },
  );
  const packages = packagesBelow(app.directory, app.manifest);
  const settings = { framework: 'NODE', buildCommand: null } as const;
  expect(resolveBuildCommand(settings, app.manifest, packages)).toBe(build);
  expect(describeStart(findStart(app).start)).toBe('node dist/index.js (in api)');
});
