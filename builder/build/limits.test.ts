import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { limitBuild } from './limits.ts';

const directory = mkdtempSync(join(tmpdir(), 'limits-'));
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(directory, { recursive: true, force: true });
});

test('a measurement that cannot start its tool stops neither the builder nor later measurements', async () => {
  const failures = vi.spyOn(console, 'error').mockReturnValue();
  vi.stubEnv('PATH', '/nonexistent');
  const limit = limitBuild({ seconds: 600, gigabytes: 0 }, directory);
  await vi.waitFor(() => expect(failures).toHaveBeenCalled(), { timeout: 60_000, interval: 100 });
  expect(limit.aborted).toBe(false);
  vi.unstubAllEnvs();
  await vi.waitFor(() => expect(String(limit.reason)).toContain('limit of 0 GB'), { timeout: 60_000, interval: 100 });
});
