import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { startGit } from './git.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'git-'));
afterEach(() => rmSync(dataDir, { recursive: true }));

test('serves every example as a repository with one commit that is identical on every machine', async () => {
  const examples = fileURLToPath(new URL('../../../examples', import.meta.url));
  const { root } = await startGit({ dataDir, examples });
  await startGit({ dataDir, examples });
  const git = (...args: string[]) => execFileSync('git', ['--git-dir', join(root, 'hello-express.git'), ...args]);
  expect(String(git('log', '--format=%s', 'main'))).toBe('First version\n');
  const files = String(git('ls-tree', '--name-only', 'main')).split('\n');
  expect(files).toContain('package-lock.json');
  expect(files).not.toContain('node_modules');
  await expect(startGit({ dataDir, examples, root: join(dataDir, 'absent') })).rejects.toThrow('LOCAL_GIT_ROOT');
});
