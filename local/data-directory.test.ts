import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDataDirectory, UserError } from './data-directory.ts';

test('allows one run per data directory and remembers its ports', async () => {
  const path = mkdtempSync(join(tmpdir(), 'data-'));
  try {
    const one = openDataDirectory(path);
    expect(() => openDataDirectory(path)).toThrow(UserError);
    const ports = await one.ports('a', 'b');
    expect(ports.a).not.toBe(ports.b);
    one.release();
    const two = openDataDirectory(path);
    expect(await two.ports('a', 'b')).toEqual(ports);
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(ports.a, '127.0.0.1', resolve));
    const others = await two.ports('a', 'b', 'c');
    await new Promise((resolve) => taken.close(resolve));
    expect(others.b).toBe(ports.b);
    expect(others.a).not.toBe(ports.a);
    two.release();
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
});

test('no other user of the machine reaches what a run stores, also in a directory of an earlier version', () => {
  const parent = mkdtempSync(join(tmpdir(), 'data-'));
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
  try {
    const [path, shared] = [join(parent, 'new'), join(parent, 'shared')];
    openDataDirectory(path).release();
    expect(modeOf(path)).toBe('700');
    chmodSync(path, 0o755);
    openDataDirectory(path).release();
    expect(modeOf(path)).toBe('700');
    mkdirSync(shared);
    chmodSync(shared, 0o755);
    writeFileSync(join(shared, 'notes.txt'), '');
    openDataDirectory(shared).release();
    expect(modeOf(shared)).toBe('755');
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
});
