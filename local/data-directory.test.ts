import { mkdtempSync, rmSync } from 'node:fs';
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
