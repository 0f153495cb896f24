import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openAddressFiles, requireWritable } from './address-files.ts';
import { UserError } from './data-directory.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'addresses-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('writes the file of the data directory and the one of LOCAL_JSON, for their owner only', () => {
  const own = join(folder, 'local.json');
  const other = join(folder, 'elsewhere', 'run.json');
  requireWritable(other);
  openAddressFiles(folder, other).write({ baseUrl: 'http://localhost:4000' });
  for (const file of [own, other]) {
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ baseUrl: 'http://localhost:4000' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  }
  expect(readdirSync(folder).sort()).toEqual(['elsewhere', 'local.json']);
});

test('deletes the files of the run before: one that exists means ready', () => {
  const own = join(folder, 'local.json');
  const other = join(folder, 'run.json');
  for (const file of [own, other]) writeFileSync(file, '{}');
  openAddressFiles(folder, other);
  expect([own, other].map((file) => existsSync(file))).toEqual([false, false]);
});

test('says which setting is wrong where LOCAL_JSON cannot be written', () => {
  writeFileSync(join(folder, 'file'), '');
  for (const other of [folder, join(folder, 'file', 'run.json')]) {
    const check = () => requireWritable(other);
    expect(check).toThrow(UserError);
    expect(check).toThrow('LOCAL_JSON');
  }
});
