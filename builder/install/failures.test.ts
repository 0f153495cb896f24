import { expect, test } from 'vitest';
import { describeGit, describeScript } from './failures.ts';

test.each([
  ['node_modules/.pnpm/canvas@3.1.0/node_modules/canvas: Running install script, failed in 2s\n└─ Failed in 2s', ''],
  ['node_modules/.pnpm/canvas@3.1.0/node_modules/canvas install: Failed', 'canvas'],
  ['.../node_modules/@acme/tool postinstall: Failed', '@acme/tool'],
  ['node_modules/a: install$ node a.js: ELIFECYCLE', 'a'],
  ['error /build/app/node_modules/@acme/tool: Command failed.', '@acme/tool'],
  ["➤ YN0009: │ canvas@npm:3.1.0 couldn't be built successfully (exit code 1)", 'canvas'],
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
