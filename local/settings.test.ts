import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSettings } from './settings.ts';

test('takes an empty variable as one that is not set', () => {
  expect(readSettings({ PORT: '', DATA_DIR: '/data' })).toEqual({ DATA_DIR: '/data' });
});

test('resets the default data directory, and not the current one, with an empty DATA_DIR', () => {
  const folder = mkdtempSync(join(tmpdir(), 'settings-'));
  try {
    // What a run leaves, which makes the current directory look like a data directory.
    writeFileSync(join(folder, 'lock.db'), '');
    const reset = spawnSync(process.execPath, [join(import.meta.dirname, 'reset.ts')], {
      cwd: folder,
      env: { DATA_DIR: '' },
      encoding: 'utf8',
    });
    expect(reset).toMatchObject({ stdout: 'Nothing to delete\n', stderr: '', status: 0 });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
