import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { remedyFor } from '../../dashboard/deployments/build-steps.ts';
import { createRedactor } from '../../providers/builds/redaction.ts';
import { install, planInstall } from './install.ts';

/** Runs an installation that fails in a directory with these files, and returns its error. builder/failures.test.ts shows that a build ends with it. */
async function failureOf(command: string, files: Record<string, string>): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'install-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content);
  const context = {
    environment: { PATH: '/usr/bin:/bin' },
    directory,
    redactor: createRedactor([]),
    output: () => undefined,
    limit: new AbortController().signal,
  };
  return await install(planInstall(command, directory, undefined), context).then(
    () => 'none',
    (error: Error) => error.message,
  );
}

const npmError = (...lines: string[]) =>
  `printf 'npm error %s\\n' ${lines.map((line) => `"${line}"`).join(' ')}; exit 1`;
const says = (...lines: string[]) => `printf '%s\\n' ${lines.map((line) => `"${line}"`).join(' ')}; exit 1`;
/** Output of npm 11, pnpm 10, and Yarn 1 and 4 of 2026, shortened. */
test.each<[string, command: string, error: string, screen: string | undefined, files?: Record<string, string>]>([
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
  [
    'packages for the versions of another machine',
    `printf 'npm error notsup %s\\n' 'Not compatible with your version of node/npm: a@1.0.0' 'Required: {"node":">=26"}' 'Actual:   {"node":"v22.1.0"}'; exit 1`,
    '"engines" of a@1.0.0 requires node >=26, and node v22.1.0 is used. Set nodeVersion',
    '/settings',
  ],
  [
    'variables of a private registry',
    'exit 1',
    'The install command "exit 1" failed with exit code 1: .npmrc reads TEAM, NPM_TOKEN, without which a private registry gives no packages. Set these variables of the application, and deploy again.',
    '/env',
    {
      '.npmrc': `; \${OF_A_COMMENT}\n//npm.example/\${TEAM}/:_authToken=\${NPM_TOKEN}\n//b.example/:_authToken=\${PATH}\n`,
    },
  ],
  [
    'a lockfile that does not match',
    'echo your package.json and package-lock.json are in sync; seq 5000; exit 1',
    'failed with exit code 1: package.json and package-lock.json do not match',
    undefined,
  ],
  [
    'a lockfile with a merge conflict',
    'exit 1',
    'package-lock.json is not valid JSON, perhaps because of a merge conflict: run "npm install" and commit package-lock.json.',
    undefined,
    { 'package-lock.json': '<<<<<<< HEAD\n{}\n=======\n' },
  ],
  [
    'packages that conflict',
    `printf 'npm error %s\\n' 'Found: react@19.0.0' 'Could not resolve dependency:' 'peer react@"^18" from widget@1.0.0'; exit 1`,
    'change one of them in package.json, or commit a file .npmrc',
    undefined,
  ],
  [
    'packages that conflict by way of another',
    `printf 'npm error %s\\n' 'Found: @angular/common@22.2.6' 'node_modules/@angular/common' '' 'Could not resolve dependency:' '@angular/platform-server@"^22.2.0" from the root project' '' 'Conflicting peer dependency: @angular/common@22.2.0' 'node_modules/@angular/common' '  peer @angular/common@"22.2.0" from @angular/platform-server@22.2.0'; exit 1`,
    ': @angular/platform-server@22.2.0 needs @angular/common@"22.2.0", but @angular/common@22.2.6 is used: change one',
    undefined,
  ],
])('names the cause of a failed installation: %s', async (_name, command, error, screen, files = { '.npmrc': '' }) => {
  const message = await failureOf(command, files);
  expect(message).toMatch(/^The install command ".*" failed with exit code 1:/s);
  expect(message).toContain(error);
  // The dashboard finds the screen by words of the message.
  expect(remedyFor(message)?.path).toBe(screen);
});
