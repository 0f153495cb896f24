import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Job } from '../providers/builds.ts';
import { build, closeWorkbench, openWorkbench, repository, root } from './workbench.ts';

beforeAll(openWorkbench);
afterAll(closeWorkbench);

test.each<[string, Record<string, string>, Partial<Job>, string, string | RegExp]>([
  [
    'install',
    {},
    { installCommand: 'echo no such package; exit 9' },
    'install',
    'The install command "echo no such package; exit 9" failed with exit code 9.',
  ],
  ['build', {}, { buildCommand: 'exit 2' }, 'build', 'The build command "exit 2" failed with exit code 2.'],
  [
    'start file',
    {},
    { startFile: 'dist/main.js' },
    'package',
    'The start file "dist/main.js" was not found after the build.',
  ],
  ['branch', {}, { branch: 'absent' }, 'clone', /^Branch "absent" was not found in file:.*\.$/],
  [
    'lockfile that does not match',
    {},
    { installCommand: 'echo your package.json and package-lock.json are in sync; seq 5000; exit 1' },
    'install',
    /failed with exit code 1: package\.json and package-lock\.json do not match/,
  ],
])('a failure says what to do: %s', async (_name, files, change, step, error) => {
  const repoUrl = repository({ 'server.js': '1', ...files });
  const failed = await build({ repoUrl, ...change });
  expect(failed).toMatchObject({ code: 1, step, artifact: undefined });
  expect(failed.error).toMatch(error);
});

test('a repository that is not there, or is refused by its protocol', async () => {
  const absent = `file://${join(root, 'git', 'absent')}`;
  expect(await build({ repoUrl: absent })).toMatchObject({
    step: 'clone',
    error: `The repository ${absent} was not found.`,
  });
  const refused = await build({ repoUrl: absent }, { GIT_ALLOW_PROTOCOL: 'https' });
  expect(refused.error).toContain("transport 'file' not allowed");
});

test('a link out of the repository is refused, and so is what is too large', async () => {
  const repoUrl = repository({ 'server.js': '1' }, { passwords: '/etc/passwd' });
  const { error, step } = await build({ repoUrl });
  expect([error, step]).toEqual(['The link "passwords" points out of the repository, to /etc/passwd.', 'package']);
  const large = await build({ repoUrl: repository({ 'server.js': '1' }), buildCommand: 'truncate -s 300M large' });
  expect(large.error).toBe('The application is 300 MB large after the build; at most 250 MB can be hosted.');
});

test('a command that takes too long, or leaves something running, does not hold the build', async () => {
  const repoUrl = repository({ 'server.js': '1' });
  const long = await build({ repoUrl, buildCommand: 'echo begun; sleep 60' }, { BUILD_LIMIT_MS: '700' });
  expect(long).toMatchObject({ step: 'build', error: 'The build took longer than the time limit and was ended.' });
  expect(long.log).toContain('begun');
  const began = performance.now();
  expect((await build({ repoUrl, buildCommand: 'sleep 30 & true' })).code).toBe(0);
  expect(performance.now() - began).toBeLessThan(20_000);
});
