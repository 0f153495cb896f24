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
    'install with the versions of another machine',
    {},
    {
      installCommand: `printf 'npm error notsup %s\\n' 'Not compatible with your version of node/npm: a@1.0.0' 'Required: {"node":">=26"}' 'Actual:   {"node":"v22.1.0"}'; exit 1`,
    },
    'install',
    '"engines" of a@1.0.0 requires node >=26, and node v22.1.0 is used. Set nodeVersion',
    '/settings',
  ],
  [
    'install from a private registry',
    {
      '.npmrc': `; \${OF_A_COMMENT}\n//npm.example/\${TEAM}/:_authToken=\${NPM_TOKEN}\n//b.example/:_authToken=\${PATH}\n`,
    },
    { installCommand: 'exit 1' },
    'install',
    'The install command "exit 1" failed with exit code 1: .npmrc reads TEAM, NPM_TOKEN, without which a private registry gives no packages. Set these variables of the application, and deploy again.',
    '/env',
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
    'lockfile that does not match',
    {},
    { installCommand: 'echo your package.json and package-lock.json are in sync; seq 5000; exit 1' },
    'install',
    /failed with exit code 1: package\.json and package-lock\.json do not match/,
    undefined,
  ],
  [
    'lockfile with a merge conflict',
    { 'package-lock.json': '<<<<<<< HEAD\n{}\n=======\n' },
    { installCommand: 'exit 1' },
    'install',
    'package-lock.json is not valid JSON, perhaps because of a merge conflict: run "npm install" and commit package-lock.json.',
    undefined,
  ],
  [
    'install command without package.json',
    {},
    { installCommand: 'npm install' },
    'install',
    'there is no package.json. Set installCommand to "npm ci", which then installs nothing.',
    '/settings',
  ],
  [
    'packages that conflict',
    {},
    {
      installCommand: `printf 'npm error %s\\n' 'Found: react@19.0.0' 'Could not resolve dependency:' 'peer react@"^18" from widget@1.0.0'; exit 1`,
    },
    'install',
    'change one of them in package.json, or commit a file .npmrc',
    undefined,
  ],
  [
    'packages that conflict by way of another',
    {},
    {
      installCommand: `printf 'npm error %s\\n' 'Found: @angular/common@22.2.6' 'node_modules/@angular/common' '' 'Could not resolve dependency:' '@angular/platform-server@"^22.2.0" from the root project' '' 'Conflicting peer dependency: @angular/common@22.2.0' 'node_modules/@angular/common' '  peer @angular/common@"22.2.0" from @angular/platform-server@22.2.0'; exit 1`,
    },
    'install',
    ': @angular/platform-server@22.2.0 needs @angular/common@"22.2.0", but @angular/common@22.2.6 is used: change one',
    undefined,
  ],
])('names the cause and the remedy of a failure: %s', async (_name, files, change, step, error, screen) => {
  const repoUrl = repository({ 'server.js': '1', ...files });
  const failed = await build({ repoUrl, ...change });
  expect(failed).toMatchObject({ code: 1, step, artifact: undefined });
  expect(failed.error).toMatch(error);
  // The dashboard finds the screen by words of the message.
  expect(remedyFor(failed.error ?? '')?.path).toBe(screen);
});

const npmError = (...lines: string[]) =>
  `printf 'npm error %s\\n' ${lines.map((line) => `"${line}"`).join(' ')}; exit 1`;
const says = (...lines: string[]) => `printf '%s\\n' ${lines.map((line) => `"${line}"`).join(' ')}; exit 1`;
/** Output of npm 11, pnpm 10, and Yarn 1 and 4 of 2026, shortened. */
test.each<[string, installCommand: string, error: string, screen: string | undefined]>([
  [
    'a private package',
    npmError(
      'code E404',
      "404  The requested resource '@acme/ui-kit@^1.0.0' could not be found or you do not have permission to access it.",
    ),
    'the registry has no package @acme/ui-kit for this build. For a private package, commit a file .npmrc with the lines "@acme:registry=https://…"',
    '/env',
  ],
  [
    'a package of pnpm',
    says('left-pod is not in the npm registry, or you have no permission to fetch it.'),
    'the registry has no package left-pod: correct its name in package.json or remove it, and commit',
    undefined,
  ],
  [
    'a package of Yarn 1',
    says(`error Couldn't find package \\"@acme/ui\\" on the \\"npm\\" registry.`),
    'has no package @acme/ui for',
    '/env',
  ],
  [
    'a package of Yarn 4',
    says('➤ YN0035: │ @acme/ui@npm:^1.0.0: Package not found'),
    'has no package @acme/ui for',
    '/env',
  ],
  [
    'a version',
    npmError('code ETARGET', 'notarget No matching version found for koa@^99.0.0.'),
    'the registry has no version koa@^99.0.0: require',
    undefined,
  ],
  [
    'a version of pnpm',
    says(
      'ERR_PNPM_NO_MATCHING_VERSION  No matching version found for koa@^99.0.0 while fetching it from https://r.example/',
    ),
    'the registry has no version koa@^99.0.0: require',
    undefined,
  ],
  [
    'a version of Yarn 1',
    says(`error Couldn't find any versions for \\"koa\\" that matches \\"^99.0.0\\"`),
    'has no version koa@^99.0.0: require',
    undefined,
  ],
  [
    'a version of Yarn 4',
    says('➤ YN0082: │ koa@npm:^99.0.0: No candidates found'),
    'has no version koa@npm:^99.0.0: require',
    undefined,
  ],
  [
    'overrides that the lockfile of pnpm lacks',
    says('ERR_PNPM_LOCKFILE_CONFIG_MISMATCH  Cannot proceed with the frozen installation.'),
    'do not match: run ',
    undefined,
  ],
  [
    'a merge conflict in the lockfile of Yarn 4',
    says('➤ YN0047: Cannot autofix a lockfile when running an immutable install'),
    'contains a merge conflict: run "yarn install" and commit',
    undefined,
  ],
  ['an expired token', npmError('code E401'), 'the registry refused the credentials of .npmrc', '/env'],
  [
    'a private repository',
    npmError(
      'code 128',
      'command git --no-replace-objects ls-remote ssh://git@github.com/acme/private.git',
      "fatal: could not read Username for 'https://github.com'",
    ),
    'a dependency is in the Git repository ssh://git@github.com/acme/private.git, which the build cannot read.',
    undefined,
  ],
  [
    'a private repository of Yarn 1',
    says('Arguments: ls-remote --tags --heads ssh://git@git.example/acme/private.git', 'Host key verification failed.'),
    'in the Git repository ssh://git@git.example/acme/private.git, which',
    undefined,
  ],
  [
    'a repository that Yarn 4 does not read',
    says(
      `Request to 'ssh://git@github.com/a/b.git' has been blocked because it doesn't match any of the patterns in 'approvedGitRepositories'`,
    ),
    'only if approvedGitRepositories in .yarnrc.yml lists it',
    undefined,
  ],
  [
    'native code',
    npmError(
      'code 1',
      'path /build/app/node_modules/canvas',
      'command failed',
      'command sh -c node-gyp rebuild',
      "Package 'pixman-1', required by 'virtual:world', not found",
    ),
    'the install script of canvas ("node-gyp rebuild") failed without pixman-1, which builds do not have. It compiles native code: use a version',
    undefined,
  ],
  [
    'another install script',
    npmError('code 1', 'path /build/app/node_modules/@acme/tool', 'command failed', 'command sh -c node download.js'),
    'the install script of @acme/tool ("node download.js") failed: its messages are in the log',
    '/settings',
  ],
])('names the cause of a failed installation: %s', async (_name, installCommand, error, screen) => {
  const failed = await build({ repoUrl: repository({ 'server.js': '1', '.npmrc': '' }), installCommand });
  expect(failed).toMatchObject({ code: 1, step: 'install' });
  expect(failed.error).toContain(error);
  expect(remedyFor(failed.error ?? '')?.path).toBe(screen);
});

test.each<[printed: string, remedy: string, buildCommand?: string]>([
  [
    'Error: error:0308010C:digital envelope routines::unsupported',
    'set the build command to "NODE_OPTIONS=--openssl-legacy-provider sh build.sh"',
  ],
  ['Treating warnings as errors because process.env.CI = true.', 'set the build command to "CI=false sh build.sh"'],
  [
    'Treating warnings as errors because process.env.CI = true.',
    'set the build command to "export CI=false && true && sh build.sh"',
    'true && sh build.sh',
  ],
  ['sh: 1: vite: not found', 'No package provides the program "vite": add the one that does to package.json'],
  ['sh: 1: tsc: Permission denied', 'git rm -r --cached node_modules'],
  [`Error: EACCES: permission denied, mkdir '/data'`, 'may not write to "/data"'],
  [
    `Module not found: Error: Can't resolve './Header' in '/app/src'`,
    'If "./Header" exists on your machine, check that .gitignore',
  ],
  ['TypeError: x is not a function', 'failed with exit code 1.'],
])('names the remedy of a failed build: %s', async (printed, remedy, buildCommand = 'sh build.sh') => {
  const repoUrl = repository({ 'server.js': '1', 'build.sh': 'cat message; exit 1\n', message: `${printed}\n` });
  expect((await build({ repoUrl, buildCommand })).error).toContain(remedy);
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
