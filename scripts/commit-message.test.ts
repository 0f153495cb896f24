import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const scripts = resolve(import.meta.dirname);
let directory: string;

/** Runs a command in the directory, isolated from the committer's own Git configuration and from CI. */
function run(command: string, args: string[], cwd: string, environment: Record<string, string> = {}) {
  const { CI: _ci, GIT_DIR: _dir, GIT_INDEX_FILE: _index, GIT_WORK_TREE: _tree, ...inherited } = process.env;
  const identity = { name: 'Test', email: 'test@example.com' };
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: {
      ...inherited,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_SYSTEM: '/dev/null',
      GIT_AUTHOR_NAME: identity.name,
      GIT_AUTHOR_EMAIL: identity.email,
      GIT_COMMITTER_NAME: identity.name,
      GIT_COMMITTER_EMAIL: identity.email,
      ...environment,
    },
  });
  return { status, output: `${stdout}${stderr}` };
}

/** Makes a repository with the scripts in it, committed after a commit whose subject breaks every rule. */
function repository(name: string): string {
  const root = join(directory, name);
  mkdirSync(root);
  run('git', ['init', '--quiet', '--initial-branch=main'], root);
  run('git', ['commit', '--quiet', '--allow-empty', '--message', 'everything before; anyhow.'], root);
  cpSync(scripts, join(root, 'scripts'), { recursive: true });
  run('git', ['add', '.'], root);
  run('git', ['commit', '--quiet', '--message', 'build: check commit messages'], root);
  return root;
}

const commit = (root: string, message: string, ...options: string[]) =>
  run('git', ['commit', '--quiet', '--allow-empty', '--message', message, ...options], root);
const checkHistory = (root: string) => run('node', ['scripts/commit-message.mjs', '--history'], root);

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'commit-message-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function check(message: string) {
  const file = join(directory, 'message');
  writeFileSync(file, message);
  return run('node', [join(scripts, 'commit-message.mjs'), '--file', file], directory);
}

test.each([
  'feat: add rollbacks',
  'fix(webhooks): reject an expired signature',
  'refactor(custom-domains)!: rename the claim',
  'docs: explain the tour\n\nThe reason, in as many lines\nas it takes; with any punctuation.',
  'fix(api): add a limit\n# Please enter the commit message\n',
  'fix: keep\n\n# ------------------------ >8 ------------------------\n+diff; with: anything',
  `perf: ${'x'.repeat(66)}`,
  "Merge branch 'main' into feature",
  'Revert "feat: add rollbacks"',
  'fixup! feat: add rollbacks',
])('accepts %j', (message) => {
  expect(check(message)).toEqual({ status: 0, output: '' });
});

test.each([
  ['add rollbacks', 'the subject must be'],
  ['feature: add rollbacks', 'the subject must be'],
  ['feat(Web Hooks): add rollbacks', 'the subject must be'],
  ['feat:add rollbacks', 'the subject must be'],
  ['feat: ', 'the subject must be'],
  [`perf: ${'x'.repeat(67)}`, 'the subject has 73 characters'],
  ['feat: add rollbacks; docs: explain them', 'more than one change'],
  ['feat: add rollbacks, fix(api): reject zero', 'more than one change'],
  ['feat: add rollbacks.', 'full stop'],
  ['feat: add rollbacks\nfor applications', 'a blank line'],
])('refuses %j', (message, reason) => {
  const { status, output } = check(message);
  expect(status).toBe(1);
  expect(output).toContain(reason);
});

test('the installed hook refuses a bad message in every worktree and accepts a good one', () => {
  const root = repository('hooked');
  expect(run('node', ['scripts/install-hooks.mjs'], root)).toEqual({ status: 0, output: '' });
  expect(commit(root, 'no type').status).toBe(1);
  expect(commit(root, 'feat: add rollbacks').status).toBe(0);
  const worktree = join(directory, 'worktree');
  run('git', ['worktree', 'add', '--quiet', worktree], root);
  expect(commit(worktree, 'no type').output).toContain('Commit message refused');
  expect(commit(worktree, 'feat: add rollbacks').status).toBe(0);
});

test('the installation leaves CI, other hooks, copies without a repository and enclosing repositories alone', () => {
  const hooksPath = (root: string) => run('git', ['config', '--get', 'core.hooksPath'], root).output.trim();
  const root = repository('alone');
  expect(run('node', ['scripts/install-hooks.mjs'], root, { CI: 'true' }).status).toBe(0);
  expect(hooksPath(root)).toBe('');

  const inner = join(root, 'vendor');
  cpSync(scripts, join(inner, 'scripts'), { recursive: true });
  expect(run('node', ['scripts/install-hooks.mjs'], inner).status).toBe(0);
  expect(hooksPath(root)).toBe('');

  run('git', ['config', 'core.hooksPath', '.husky'], root);
  expect(run('node', ['scripts/install-hooks.mjs'], root)).toMatchObject({
    status: 0,
    output: expect.stringContaining('.husky'),
  });
  expect(hooksPath(root)).toBe('.husky');

  const copy = join(directory, 'copy');
  cpSync(scripts, join(copy, 'scripts'), { recursive: true });
  const withoutGit = { GIT_CEILING_DIRECTORIES: directory };
  expect(run('node', ['scripts/install-hooks.mjs'], copy, withoutGit)).toEqual({ status: 0, output: '' });
  expect(run('node', ['scripts/commit-message.mjs', '--history'], copy, withoutGit)).toEqual({ status: 0, output: '' });
});

test('the history is checked from the commit that introduced the check, without merges', () => {
  const root = repository('history');
  expect(checkHistory(root)).toEqual({ status: 0, output: '' });
  run('git', ['checkout', '--quiet', '-b', 'side'], root);
  commit(root, 'feat: add rollbacks');
  run('git', ['checkout', '--quiet', 'main'], root);
  commit(root, 'fix: reject zero');
  run(
    'git',
    ['merge', '--quiet', '--no-ff', '--message', 'Merge all sorts of things; with anything in them', 'side'],
    root,
  );
  expect(checkHistory(root)).toEqual({ status: 0, output: '' });
  commit(root, 'no type');
  commit(root, 'fixup! fix: reject zero');
  const { status, output } = checkHistory(root);
  expect(status).toBe(1);
  expect(output).toContain('no type');
  expect(output).toContain('fixup! fix: reject zero');
});

test('a shallow clone passes', () => {
  const root = repository('deep');
  commit(root, 'feat: add rollbacks');
  for (const depth of ['1', '2']) {
    const clone = `shallow-${depth}`;
    run('git', ['clone', '--quiet', '--depth', depth, `file://${root}`, clone], directory);
    expect(checkHistory(join(directory, clone))).toEqual({ status: 0, output: '' });
  }
});

test('npm ci installs the hook, and the linters repeat the check', () => {
  const { scripts: commands } = JSON.parse(readFileSync(resolve(scripts, '../package.json'), 'utf8'));
  expect(commands.prepare).toContain('scripts/install-hooks.mjs');
  expect(commands.lint).toContain('scripts/commit-message.mjs --history');
});
