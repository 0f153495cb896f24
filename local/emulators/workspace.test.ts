import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { discard } from './workspace.ts';

test('a directory that cannot be discarded is reported and ends no run', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'workspace-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const report = vi.spyOn(console, 'error').mockReturnValue();
  // Its name leaves no room for the one that it is given first.
  const [kept, gone] = [join(parent, 'x'.repeat(250)), join(parent, 'short')];
  for (const directory of [kept, gone]) {
    mkdirSync(directory);
    await discard(directory);
  }
  expect(report).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: 'ENAMETOOLONG' }));
  expect([kept, gone].map((directory) => existsSync(directory))).toEqual([true, false]);
});
