import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { openRemote } from '../../../providers/git/remote.ts';
import { startGit } from './git.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'git-'));
afterEach(() => rmSync(dataDir, { recursive: true }));

test('serves every example as a repository with one commit that is identical on every machine', async () => {
  const examples = fileURLToPath(new URL('../../../examples', import.meta.url));
  const { root, url, stop } = await startGit({ dataDir, examples });
  await (await startGit({ dataDir, examples })).stop();
  const git = (...args: string[]) => execFileSync('git', ['--git-dir', join(root, 'hello-express.git'), ...args]);
  expect(String(git('log', '--format=%s', 'main'))).toBe('First version\n');
  const files = String(git('ls-tree', '--name-only', 'main')).split('\n');
  expect(files).toContain('package-lock.json');
  expect(files).not.toContain('node_modules');
  const repository = await openRemote({ allowLocal: true, localUrl: url, deadlineMs: 10_000 })(
    'https://git.localhost/hello-express.git',
  );
  expect(repository).toMatchObject({ defaultBranch: 'main', branches: [{ name: 'main' }], canReadFiles: true });
  await stop();
  await expect(startGit({ dataDir, examples, root: join(dataDir, 'absent') })).rejects.toThrow('LOCAL_GIT_ROOT');
});
