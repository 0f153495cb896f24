import { afterEach, expect, test } from 'vitest';
import { describeExpectedStart } from '../../providers/builds/detection/expected-start.ts';
import { parseManifest } from '../../providers/builds/detection/manifest.ts';
import { resolveBuildCommand } from '../build/build-command.ts';
import { describeStart } from './describe-start.ts';
import { packagesBelow } from './packages.ts';
import { procfileOf } from './procfile.ts';
import { findStart } from './start.ts';
import { application, removeApplications } from './test-applications.ts';

afterEach(removeApplications);

test.each<[Procfile: string, manifest: object, start: string, from: string | undefined]>([
  ['web: node app.js', { main: 'module.js' }, 'node app.js', 'Procfile'],
  ['web: node app.js', { scripts: { start: 'nodemon' } }, 'node app.js', 'Procfile'],
  ['web: npm start', { scripts: { start: 'node app.js' } }, 'node app.js', 'Procfile'],
  ['web: bin/proxy node app.js | cat', { scripts: { start: 'node module.js' } }, 'node module.js', 'start script'],
  ['web: bin/proxy node app.js', { scripts: { start: 'node module.js' } }, 'node module.js', 'start script'],
  ['web: bin/proxy node app.js', { main: 'module.js' }, 'bin/proxy node app.js', 'Procfile'],
  ['web: bin/proxy node app.js | cat', { main: 'module.js' }, 'bin/proxy node app.js | cat', 'Procfile'],
  ['web: node absent.js', { scripts: { start: 'node module.js' } }, 'node module.js', 'start script'],
  ['web: vite', { scripts: { start: 'node module.js' } }, 'node module.js', 'start script'],
  ['web: bin/proxy node app.js | cat', { scripts: { start: 'vite' } }, 'bin/proxy node app.js | cat', 'Procfile'],
  ['web: vite', { main: 'module.js' }, 'node module.js', 'main of package.json'],
  ['worker: node app.js', { main: 'module.js' }, 'node module.js', 'main of package.json'],
])(
  'a Procfile, which is there for deployments, precedes what package.json says: %s, %j',
  (Procfile, manifest, start, from) => {
    const found = findStart(application(manifest, { 'app.js': '', 'module.js': '', Procfile }));
    expect([describeStart(found.start), found.from]).toEqual([start, from]);
    // Only a build can tell that a file is missing.
    if (Procfile.includes('absent')) return;
    expect(describeExpectedStart(parseManifest(JSON.stringify(manifest)), undefined, [], Procfile)).toBe(start);
  },
);

test.each<[Procfile: string, scripts: Record<string, string>, build: string | null]>([
  ['web: sass a:b && node app.js', { start: 'nodemon' }, 'sass a:b'],
  ['web: npm start', { start: 'tsc && node app.js' }, 'tsc'],
  ['web: node app.js', { start: 'tsc && node app.js' }, 'tsc'],
  ['web: sass a:b && node app.js', { build: 'tsc' }, 'npm run build'],
  ['web: sass a:b && node app.js | cat', { start: 'node app.js' }, null],
])('commands before the start in a Procfile belong to the build: %s, %j', (Procfile, scripts, build) => {
  const { directory, manifest } = application({ scripts }, { 'app.js': '', Procfile });
  const settings = { framework: 'NODE', buildCommand: null } as const;
  const packages = packagesBelow(directory, manifest);
  const around = { runner: 'npm', packages, procfile: procfileOf(directory) };
  expect(resolveBuildCommand(settings, manifest, around)).toBe(build);
});
