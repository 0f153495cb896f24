import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { remedyFor } from '../dashboard/deployments/build-steps.ts';
import type { Job } from '../providers/builds/builds.ts';
import { entriesOf } from '../test/support/archive.ts';
import { describeFileError } from './failure.ts';
import { build, closeTestHarness, openTestHarness, repository, root, withVariables } from './test-harness.ts';

beforeAll(openTestHarness);
afterAll(closeTestHarness);

test.each<[string, Record<string, string>, Partial<Job>, string, string | RegExp, string | undefined]>([
  [
    'install',
    {},
    { installCommand: 'echo no such package; exit 9' },
    'install',
    'The install command "echo no such package; exit 9" failed with exit code 9.',
    '/settings',
  ],
  [
    'install whose script compiles the application',
    {},
    { installCommand: 'echo "src/a.ts(1,2): error TS2322: Type"; exit 2' },
    'install',
    'failed with exit code 2. Its log says "src/a.ts(1,2): error TS2322: Type".',
    '/settings',
  ],
  [
    'build',
    {},
    { buildCommand: 'exit 2' },
    'build',
    'The build command "exit 2" failed with exit code 2.',
    '/settings',
  ],
  [
    'build that lacks a value of a library',
    { 'check.js': "console.log('    at x'); throw new Error('supabaseUrl is required.');" },
    { buildCommand: 'node check.js' },
    'build',
    'Its log says "Error: supabaseUrl is required.": if that is the reason, set the variable from which it reads that value, and deploy again.',
    '/env',
  ],
  [
    'build that lacks a variable',
    {
      'check.js':
        "console.log('The following environment variables are not defined:\\n- DATABASE_URL'); process.exit(1);",
    },
    { buildCommand: 'node check.js' },
    'build',
    'The build command "node check.js" failed with exit code 1. Its log says "The following environment variables are not defined:": if that is the reason, set the variables that it names, and deploy again.',
    '/env',
  ],
  [
    'build of a package of a monorepo',
    { 'turbo.json': '{}', 'package.json': '{"workspaces":["apps/*"]}', 'apps/api/package.json': '{"name":"api"}' },
    { rootDirectory: 'apps/api', installCommand: 'true', buildCommand: 'exit 2' },
    'build',
    'The build command "exit 2" failed with exit code 2. If it needs other packages of the repository to be built first, set the build command to "npx turbo run build --filter=api --env-mode=loose".',
    '/settings',
  ],
  [
    'start file',
    {},
    { startFile: 'dist/main.js' },
    'package',
    'The start file "dist/main.js" was not found after the build.',
    '/settings',
  ],
  ['branch', {}, { branch: 'absent' }, 'clone', /^Branch "absent" was not found in file:.*\.$/, '/settings'],
  [
    'install command without package.json',
    {},
    { installCommand: 'npm install' },
    'install',
    'there is no package.json. Set installCommand to "npm ci", which then installs nothing.',
    '/settings',
  ],
])('names the cause and the remedy of a failure: %s', async (_name, files, change, step, error, screen) => {
  const repoUrl = repository({ 'server.js': '1', ...files });
  const failed = await build({ repoUrl, ...change });
  expect(failed).toMatchObject({ code: 1, step, artifact: undefined });
  expect(failed.error).toMatch(error);
  // The dashboard finds the screen by words of the message.
  expect(remedyFor(failed.error ?? '')?.path).toBe(screen);
});

test('names the remedy of a failed build by what its command printed', async () => {
  const message = 'Treating warnings as errors because process.env.CI = true.\n';
  const repoUrl = repository({ 'server.js': '1', 'build.sh': 'cat message; exit 1\n', message });
  const { error } = await build({ repoUrl, buildCommand: 'true && sh build.sh' });
  expect(error).toContain('set the build command to "export CI=false && true && sh build.sh"');
});

test('packages in public Git repositories are installed over HTTPS, unless the owner configures Git', async () => {
  const scripts = { show: 'git config --get-all url.https://github.com/.insteadOf; true' };
  const repoUrl = repository({ 'server.js': '1', 'package.json': JSON.stringify({ scripts }) });
  const installCommand = 'npm run show';
  expect((await build({ repoUrl, installCommand })).log).toContain('ssh://git@github.com/\n');
  const own = await build({ repoUrl, installCommand, ...(await withVariables({ GIT_SSH_COMMAND: 'ssh -i key' })) });
  expect(own.log).not.toContain('ssh://git@github.com/');
});

test('reports a missing repository and a refused protocol', async () => {
  const absent = `file://${join(root, 'git', 'absent')}`;
  expect(await build({ repoUrl: absent })).toMatchObject({
    step: 'clone',
    error: `The repository ${absent} was not found.`,
  });
  const refused = await build({ repoUrl: absent }, { GIT_ALLOW_PROTOCOL: 'https' });
  expect(refused.error).toContain("transport 'file' not allowed");
});

test('refuses a link out of the repository, and an application that leaves no room for the layer of its function', async () => {
  const repoUrl = repository({ 'server.js': '1' }, { passwords: '/etc/passwd' });
  const { error, step } = await build({ repoUrl });
  expect([error, step]).toEqual(['The link "passwords" points out of the repository, to /etc/passwd.', 'package']);
  const large = await build({ repoUrl: repository({ 'server.js': '1' }), buildCommand: 'truncate -s 240M large' });
  const tooLarge = 'The application is 240 MB after the build; the limit is 235 MB.';
  expect(large.error).toBe(`${tooLarge} The largest parts are large (240 MB).`);
  const manifest = JSON.stringify({
    devDependencies: { next: '16' },
    scripts: { start: 'node migrate.js && next start' },
  });
  const next = {
    repoUrl: repository({ 'package.json': manifest, 'migrate.js': '' }),
    installCommand: 'true',
    buildCommand:
      'mkdir -p .next/standalone; touch .next/standalone/server.js; truncate -s 240M .next/standalone/large',
  };
  expect((await build(next)).error).toBe(
    `${tooLarge} The largest parts are .next (240 MB). The build also created a smaller standalone server: set startCommand to "node .next/standalone/server.js", and move the other commands of the start script to the build command.`,
  );
  expect((await build({ ...next, startCommand: 'node .next/standalone/server.js' })).error).toBe(
    `${tooLarge} The largest parts are .next (240 MB).`,
  );
});

test.each([
  [
    'a link by way of another',
    'mkdir -p .next/standalone; ln -s /etc out; ln -s ../../out/passwd .next/standalone/users',
  ],
  ['the directory that is packaged', 'mkdir .next; ln -s /etc .next/standalone'],
])('packages a build’s output only from inside the repository: %s', async (_what, make) => {
  const next = { framework: 'NEXTJS', startFile: '.next/standalone/hostname' } as const;
  const repoUrl = repository({ 'a.txt': 'a' });
  const buildCommand = `${make}; test -e .next/standalone/hostname || touch .next/standalone/hostname`;
  const { error, artifact } = await build({ repoUrl, ...next, buildCommand });
  expect(error).toMatch(/^The link ".next\/standalone(\/users)?" points out of the repository, to \/etc(\/passwd)?\.$/);
  expect(artifact).toBeUndefined();
});

test.each([['sh run.sh'], ['./run.sh'], ['node run.sh'], ['echo a && . ./run.sh | cat']])(
  'refuses a start that names a file of the platform: %s',
  async (start) => {
    const manifest = JSON.stringify({ scripts: { start } });
    const { error, step } = await build({ repoUrl: repository({ 'package.json': manifest, 'run.sh': 'node app.js' }) });
    expect([error, step]).toEqual([
      expect.stringMatching(
        /^The application is started with ".*run\.sh", but the platform adds its own file "run\.sh" to a release/,
      ),
      'package',
    ]);
  },
);

test.each([['(cd backend && sh run.sh)'], ['echo run.sh; node app.js | cat']])(
  'takes a start that only names a file as the platform does: %s',
  async (start) => {
    const manifest = JSON.stringify({ scripts: { start } });
    const files = { 'package.json': manifest, 'app.js': '1', 'backend/run.sh': 'node app.js' };
    const { error, log } = await build({ repoUrl: repository(files) });
    expect([error, log]).toEqual([undefined, expect.stringContaining(`start: ${start} (start script)`)]);
  },
);

test('names a file whose name is not in UTF-8', async () => {
  const repoUrl = repository({ 'server.js': '1' });
  const { error, step } = await build({ repoUrl, buildCommand: `mkdir docs; touch "docs/$(printf 'caf\\351.txt')"` });
  expect([error, step]).toEqual(['The name of the file "docs/caf\uFFFD.txt" is not in UTF-8: rename it.', 'package']);
});

test('packages circular links once', async () => {
  const make = 'mkdir -p .next/standalone parts && touch .next/standalone/server.js parts/a && ln -s . parts/again';
  const next = { framework: 'NEXTJS', startFile: '.next/standalone/server.js' } as const;
  const buildCommand = `${make} && ln -s ../../parts .next/standalone/parts`;
  const { error, artifact } = await build({ repoUrl: repository({ 'a.txt': 'a' }), ...next, buildCommand });
  expect(error).toBeUndefined();
  expect([...(await entriesOf(artifact)).keys()]).toContain('.next/standalone/parts/a');
});

test('packages a link through another link as the kernel resolves it', async () => {
  const files = { 'server.js': '1', 'releases/1/app.js': '1', 'assets/a.txt': 'a' };
  const links = { current: 'releases/1', public: 'current/../../assets' };
  const { error, artifact } = await build({ repoUrl: repository(files, links) });
  expect(error).toBeUndefined();
  expect((await entriesOf(artifact)).get('public')?.toString()).toBe('assets');
});

test('neither reads nor quotes a package.json that links out of the repository', async () => {
  const { error, step, log } = await build({
    repoUrl: repository({ 'server.js': '1' }, { 'package.json': '/etc/passwd' }),
  });
  expect([error, step]).toEqual(['The link "package.json" points out of the repository.', 'clone']);
  expect(log).not.toContain('root');
});

test('refuses a repository that exceeds the transferred size, the unpacked size or the number of files', async () => {
  const noise = randomBytes(3_000_000).toString('base64');
  const limits = { BUILD_REPOSITORY_MB: '2', BUILD_REPOSITORY_FILES: '3' };
  const tooLarge = 'The repository exceeds the limit of 2 MB: keep large files outside of Git.';
  const noisy = await build({ repoUrl: repository({ 'server.js': '1', 'noise.txt': noise }) }, limits);
  expect(noisy).toMatchObject({ step: 'clone', error: tooLarge });
  const bomb = await build({ repoUrl: repository({ 'server.js': '1', zeros: '0'.repeat(3_000_000) }) }, limits);
  expect(bomb.error).toBe(tooLarge);
  const many = await build({ repoUrl: repository({ 'server.js': '1', a: '1', b: '2', c: '3' }) }, limits);
  expect(many.error).toBe('The repository has 4 files; the limit is 3.');
});

test('names Git LFS files, which are not fetched, also those of submodules', async () => {
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12345\n`;
  const lfs = { 'server.js': '1', '.gitattributes': '*.png filter=lfs diff=lfs\n', 'logo.png': pointer };
  const outer = repository({ 'server.js': '1' }, {}, { 'vendor/library': repository(lfs) });
  const { error, log } = await build({ repoUrl: outer });
  expect(error).toBeUndefined();
  expect(log).toContain('warning: submodules keep files in Git LFS (vendor/library/logo.png), which are not fetched');
  expect((await build({ repoUrl: repository(lfs) })).error).toBe(
    'The repository keeps files in Git LFS (logo.png), which are not fetched: commit the files themselves, or fetch them in the build command.',
  );
});

test('fetches submodules and those in them, and says which cannot be fetched', async () => {
  const inner = repository({ 'inner.js': 'module.exports = 1;' });
  const outer = repository({ 'outer.js': 'module.exports = 2;' }, {}, { nested: inner });
  const repoUrl = repository({ 'server.js': '1' }, {}, { 'vendor/library': outer });
  const { error, artifact, log } = await build({ repoUrl, buildCommand: 'node vendor/library/outer.js' });
  expect(error).toBeUndefined();
  expect(log).toContain('fetching submodules: 1');
  const files = [...(await entriesOf(artifact)).keys()].filter((path) => path.startsWith('vendor/'));
  expect(files.sort()).toEqual([
    'vendor/library/.gitmodules',
    'vendor/library/nested/inner.js',
    'vendor/library/outer.js',
  ]);
  const absent = repository({ 'server.js': '2' }, {}, { 'vendor/library': 'https://git.invalid/library.git' });
  expect(await build({ repoUrl: absent })).toMatchObject({
    step: 'clone',
    error:
      'The submodules (vendor/library) could not be fetched: only submodules in public repositories can be fetched, over HTTPS. Add others as packages or files.',
  });
  const nested = repository({ 'server.js': '3' }, {}, { client: '' });
  expect((await build({ repoUrl: nested })).error).toBe(
    '"client" was committed as a nested Git repository, without its files: delete client/.git, run "git rm --cached client", and commit the files.',
  );
  const unlisted = repository(
    { 'server.js': '4' },
    {},
    { 'vendor/library': repository({ a: '1' }, {}, { client: '' }) },
  );
  expect((await build({ repoUrl: unlisted })).error).toBe(
    '"vendor/library/client" was committed as a nested Git repository, without its files: commit the files in the repository of vendor/library, or add vendor/library as a package or files.',
  );
});

test.each<[string, Partial<Job>, string]>([
  ['{ "name": ', {}, 'package.json is not valid JSON: '],
  [
    '{}',
    { buildCommand: 'npm run build' },
    'The build command is "npm run build", but package.json has no script "build".',
  ],
])('names the problem of a mismatched package.json: %s', async (manifest, change, error) => {
  const failed = await build({ repoUrl: repository({ 'server.js': '1', 'package.json': manifest }), ...change });
  expect(failed.error).toContain(error);
});

test('a directory in place of package.json is its owner’s failure', async () => {
  const failed = await build({ repoUrl: repository({ 'server.js': '1', 'package.json/x': '' }) });
  expect(failed.error).toBe('package.json is not a regular file but a directory, a device or a pipe.');
});

test('a file of the build that cannot be read is its owner’s failure, and any other the platform’s', () => {
  const said = (code: string, path: string) =>
    describeFileError(Object.assign(new Error(code), { code, path }), '/build/app') ?? 'ours';
  expect(said('ENOENT', '/build/app/node_modules/x')).toMatch(/^node_modules\/x cannot be read \(ENOENT\): /);
  expect(said('ENAMETOOLONG', `/build/app/${'deep/'.repeat(900)}`).length).toBeLessThan(400);
  expect([said('ENOENT', '/build/application/x'), said('ENOSPC', '/build/app/x'), said('ENOENT', '/etc/x')]).toEqual(
    Array(3).fill('ours'),
  );
  expect(describeFileError(new Error('x'), '/build/app')).toBeUndefined();
});

test('ends a command that takes too long or leaves a process running', async () => {
  const repoUrl = repository({ 'server.js': '1' });
  const long = await build({ repoUrl, buildCommand: 'echo begun; sleep 60' }, { BUILD_SECONDS: '8' });
  const tooLong = 'The build was stopped: it exceeded the limit of 8 seconds.';
  expect(long).toMatchObject({ step: 'build', error: tooLong });
  expect(long.log).toContain('begun');
  const began = performance.now();
  expect((await build({ repoUrl, buildCommand: 'sleep 110 & true' })).code).toBe(0);
  expect(performance.now() - began).toBeLessThan(100_000);
});

test('distinguishes a killed command from a failed one', async () => {
  const { error } = await build({ repoUrl: repository({ 'server.js': '1' }), buildCommand: 'kill -9 $$' });
  expect(error).toBe(
    'The build command "kill -9 $$" failed with exit code 137: the process was killed, usually because it used more memory than a build has.',
  );
});

test.each([
  [
    'echo "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory"; exit 134',
    /Node ran out of memory/,
  ],
  ['echo Killed; exit 1', /one of its processes was killed, usually because it used more memory/],
])('says that a build ran out of memory: %s', async (buildCommand, error) => {
  expect((await build({ repoUrl: repository({ 'server.js': '1' }), buildCommand })).error).toMatch(error);
});

test('stops a build that fills the disk', async () => {
  const buildCommand = 'dd if=/dev/zero of=large bs=1048576 count=150 2>/dev/null; echo written; sleep 60';
  const repoUrl = repository({ 'server.js': '1' });
  const { error, log } = await build({ repoUrl, buildCommand }, { BUILD_DISK_GB: '0.1' });
  expect(error).toBe('The build was stopped: it wrote more than the limit of 0.1 GB to disk.');
  expect(log).toContain('written');
});

test('keeps the beginning and the end of excessive output and continues the build', async () => {
  const flood = `const line = 'x'.repeat(99) + '\\n';
    for (let count = 0; count < 1000; count += 1) require('fs').writeSync(1, line.repeat(1000));`;
  const env = await withVariables(
    Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`SECRET_${n}`, `secret value ${n}`])),
  );
  const { code, log } = await build({
    repoUrl: repository({ 'server.js': '1', 'flood.js': flood }),
    ...env,
    buildCommand: 'echo first; node flood.js; echo last',
  });
  expect(code).toBe(0);
  expect(log.length).toBeLessThan(4.3 * 1024 * 1024);
  expect(log).toMatch(/first\nx+\n/);
  expect(log).toContain('[… the middle of this log was left out …]');
  expect(log).toMatch(/x+\nlast\n/);
});
