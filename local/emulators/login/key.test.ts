import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openLoginKey } from './key.ts';

test('the signing key is kept between starts, and replaced if its file was cut short', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'login-key-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'login', 'key.json');
  const first = await openLoginKey(file);
  expect(await openLoginKey(file)).toEqual(first);
  writeFileSync(file, readFileSync(file).subarray(0, 100));
  const second = await openLoginKey(file);
  expect(second.kid).not.toBe(first.kid);
  expect(await openLoginKey(file)).toEqual(second);
});
