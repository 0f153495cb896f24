import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { openSandboxes } from './sandbox.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
const sandboxes = openSandboxes(dataDir, []);

/** Runs a script as an application and returns its output. */
function run(script: string, mark = 'code'): string {
  const code = mkdtempSync(join(dataDir, 'code-'));
  writeFileSync(join(code, 'run.sh'), script);
  writeFileSync(join(code, 'mark'), mark);
  const { command, args, environment, remove } = sandboxes.create(code, 'run.sh');
  const { stdout, stderr } = spawnSync(command, args, {
    cwd: code,
    env: { PATH: process.env.PATH, ...environment },
    encoding: 'utf8',
  });
  remove();
  return stdout + stderr;
}

test('an application has a temporary directory of its own, which ends with it', () => {
  writeFileSync(join(tmpdir(), `shared-${process.pid}`), 'x');
  // The code is mounted below /tmp, as it is there outside, in the directory of the test run.
  const list = `ls "$TMPDIR" | grep -vE '^(tests|sandbox)-'`;
  expect(run(`cat mark; echo secret > "$TMPDIR/secret"; ${list}`)).toBe('codesecret\n');
  expect(run(list, 'other')).toBe('');
  rmSync(join(tmpdir(), `shared-${process.pid}`));
  const directories = readdirSync(dataDir, { recursive: true }).map(String);
  expect(directories.filter((path) => /tmp-\w+\/secret$/.test(path) && existsSync(join(dataDir, path)))).toEqual([]);
});

test('a start removes the temporary directories that a killed run left', async () => {
  const left = join(dataDir, 'app-tmp', 'tmp-left');
  mkdirSync(left);
  writeFileSync(join(left, 'secret'), 'x');
  openSandboxes(dataDir, []);
  await vi.waitFor(() => expect(readdirSync(join(dataDir, 'app-tmp'))).toEqual([]), 10_000);
});

test.runIf(sandboxes.canMount)('its code is read-only, even for root, and /tmp is that directory', () => {
  expect(run('touch written 2>&1; echo x > /tmp/x && cat /tmp/x')).toMatch(/Read-only file system[\s\S]*x\n$/);
  expect(run('[ -e /tmp/x ] || echo none; cat "$PWD/mark"')).toBe('none\ncode');
});
