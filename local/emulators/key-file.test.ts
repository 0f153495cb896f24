import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { keyFromFile } from './key-file.ts';

test('a key is generated once, and also in place of the empty file that a full disk left', () => {
  const directory = mkdtempSync(join(tmpdir(), 'key-file-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  writeFileSync(join(directory, 'empty.key'), '');
  const [key, repaired] = ['first.key', 'empty.key'].map((name) => keyFromFile(directory, name));
  expect([key?.length, repaired?.length]).toEqual([32, 32]);
  expect(repaired).not.toEqual(key);
  expect(keyFromFile(directory, 'first.key')).toEqual(key);
  expect(readFileSync(join(directory, 'empty.key'))).toEqual(repaired);
  expect(statSync(join(directory, 'first.key')).mode & 0o777).toBe(0o600);
});
