import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeGit, describeRegistry, describeScript, describeUnreached } from './failures.ts';

test.each([
  ['node_modules/.pnpm/canvas@3.1.0/node_modules/canvas: Running install script, failed in 2s\n└─ Failed in 2s', ''],
  ['node_modules/.pnpm/canvas@3.1.0/node_modules/canvas install: Failed', 'canvas'],
  ['.../node_modules/@acme/tool postinstall: Failed', '@acme/tool'],
  ['node_modules/a: install$ node a.js: ELIFECYCLE', 'a'],
  ['error /build/app/node_modules/@acme/tool: Command failed.', '@acme/tool'],
  ["➤ YN0009: │ canvas@npm:3.1.0 couldn't be built successfully (exit code 1)", 'canvas'],
  ['error: install script from "@acme/tool" exited with 1', '@acme/tool'],
])('names the package whose install script failed: %j', (printed, name) => {
  if (name === '') expect(describeScript(printed)).toBe('');
  else expect(describeScript(printed)).toContain(`: the install script of ${name} failed`);
});

test('what dependencies print does not keep the builder busy', () => {
  expect(describeScript(`${'node_modules/.pnpm/a/'.repeat(300)}node_modules/x: ${'install '.repeat(5000)}`)).toBe('');
});

test.each([
  ['npm error command git --no-replace-objects ls-remote ssh://git@github.com/a/b.git', true],
  ['Command failed with exit code 128: git -c core.longpaths=true clone https://git.example/a/b.git', true],
  ['Arguments: ls-remote --tags --heads ssh://git@git.example/a/b.git', true],
  ['npm http fetch GET 200 https://registry.example/koa', false],
  ['TypeError: fetch failed for https://files.example/tool.gz', false],
])('names a repository only if Git reads it: %s', (line, isGit) => {
  expect(describeGit(`${line}\ncurl: (6) Could not resolve host: files.example\n`) !== '').toBe(isGit);
});

test.each([
  ['error: GET https://registry.example/a/b%2fc - 404\nerror: @b/c@^1 failed to resolve', 'has no package @b/c '],
  ['error: GET https://registry.example/nope - 404\nerror: nope@1 failed to resolve', 'has no package nope: '],
  [
    'error: No version matching "^99" found for specifier "express" (but package exists)\nerror: express@^99 failed to resolve',
    'has no version express@^99: ',
  ],
  ['error: Workspace dependency "lib" not found\n\nerror: lib@workspace:* failed to resolve', ''],
])('names what Bun does not find in the registry: %j', (printed, advice) => {
  if (advice === '') expect(describeRegistry(printed, '/absent')).toBe('');
  else expect(describeRegistry(printed, '/absent')).toContain(advice);
});

test.each([
  [
    "npm error code E404\nnpm error 404 Not Found - GET https://npm.example/ms/-/ms-9.9.9.tgz\nnpm error 404\nnpm error 404  The requested resource 'ms@https://npm.example/ms/-/ms-9.9.9.tgz' could not be found",
  ],
  ['error Error: https://npm.example/ms/-/ms-9.9.9.tgz: Request failed "404 Not Found"\n    at ResponseError'],
  ['error An unexpected error occurred: "https://npm.example/ms/-/ms-9.9.9.tgz: Request failed \\"404 Not Found\\"".'],
  ['ERR_PNPM_FETCH_404\u2009 GET https://npm.example/ms/-/ms-9.9.9.tgz: Not Found - 404'],
  [
    '➤ YN0035: │ ms@npm:9.9.9: The remote server failed to provide the requested resource\n➤ YN0035: │   Response Code: 404 (Not Found)\n➤ YN0035: │   Request Method: GET\n➤ YN0035: │   Request URL: https://npm.example/ms/-/ms-9.9.9.tgz',
  ],
  ['error: GET https://npm.example/ms/-/ms-9.9.9.tgz - 404'],
])('names the file of a version that the registry lacks: %j', (printed) => {
  expect(describeRegistry(printed, '/absent')).toBe(
    ': there is no file https://npm.example/ms/-/ms-9.9.9.tgz, which the lockfile requires: the version was removed, or its address is wrong. Require another version in package.json, install, and commit the lockfile too',
  );
});

test.each([
  ['npm error network request to https://npm.example/a.tgz failed, reason: getaddrinfo ENOTFOUND npm.example', true],
  ['error Error: getaddrinfo EAI_AGAIN npm.example', true],
  ['getaddrinfo ENOTFOUND registry.example', false],
])('names a registry that does not exist, and the lockfile if that names it: %s', (printed, isLocked) => {
  const directory = mkdtempSync(join(tmpdir(), 'unreached-'));
  writeFileSync(join(directory, 'yarn.lock'), '"resolved": "https://npm.example/a.tgz"');
  const described = describeUnreached(printed, directory, 'yarn.lock');
  expect(described).toContain(`there is no server named ${isLocked ? 'npm.example' : 'registry.example'}`);
  expect(described.includes('yarn.lock')).toBe(isLocked);
  expect(describeUnreached('npm error code 1', directory, 'yarn.lock')).toBe('');
  rmSync(directory, { recursive: true });
});

test('names the server that the install script of a package did not reach', () => {
  const printed =
    'npm error path /app/node_modules/sharp\nnpm error command failed\nnpm error command sh -c prebuild-install\nnpm error sharp: Installation error: getaddrinfo ENOTFOUND files.example';
  expect(describeScript(printed)).toContain(
    'of sharp ("prebuild-install") failed: there is no server named files.example',
  );
});
