import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { deleteDataDirectory, failureHint, openDataDirectory, UserError } from './data-directory.ts';

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

test('no other user of the machine can read the files of a run, also in a directory of an earlier version', () => {
  const parent = mkdtempSync(join(tmpdir(), 'data-'));
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
  try {
    const path = join(parent, 'new');
    openDataDirectory(path).release();
    expect(modeOf(path)).toBe('700');
    chmodSync(path, 0o755);
    openDataDirectory(path).release();
    expect(modeOf(path)).toBe('700');
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
});

test('leaves alone what a directory held before its first run', () => {
  const path = mkdtempSync(join(tmpdir(), 'data-'));
  try {
    chmodSync(path, 0o755);
    writeFileSync(join(path, 'notes.txt'), '');
    writeFileSync(join(path, 'ports.json'), '{}');
    mkdirSync(join(path, 'photos'));
    const reset = () => spawnSync(process.execPath, ['local/reset.ts'], { env: { DATA_DIR: path }, encoding: 'utf8' });
    expect(reset()).toMatchObject({ status: 1, stderr: expect.stringContaining('nothing was deleted') });
    for (const start of [1, 2]) {
      openDataDirectory(path).release();
      writeFileSync(join(path, `${start}.json`), '');
      expect((statSync(path).mode & 0o777).toString(8)).toBe('755');
    }
    expect(reset().status).toBe(0);
    expect(readdirSync(path)).toEqual(['notes.txt', 'photos', 'ports.json']);
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
});

test('a run whose lock was deleted is deleted whole', async () => {
  const path = mkdtempSync(join(tmpdir(), 'data-'));
  const run = openDataDirectory(path);
  await run.ports('a');
  mkdirSync(join(path, 'logs'));
  run.release();
  rmSync(join(path, 'lock.db'));
  openDataDirectory(path).release();
  expect([deleteDataDirectory(path), existsSync(path)]).toEqual([true, false]);
});

test('says in one sentence why a directory cannot be used, or deleted', () => {
  const parent = mkdtempSync(join(tmpdir(), 'data-'));
  try {
    const file = join(parent, 'file');
    writeFileSync(file, '');
    for (const path of [file, join(file, 'below')]) {
      expect(() => openDataDirectory(path)).toThrow(UserError);
      expect(() => openDataDirectory(path)).toThrow(`${path} cannot be the data directory: it is a file`);
    }
    expect(() => deleteDataDirectory(file)).toThrow(UserError);
    expect(deleteDataDirectory(join(parent, 'none'))).toBe(false);
    // A lock that cannot be opened is no other run's.
    const locked = join(parent, 'locked');
    mkdirSync(join(locked, 'lock.db'), { recursive: true });
    expect(() => openDataDirectory(locked)).toThrow('this user may not write there');
    const unused = join(parent, 'unused');
    const run = openDataDirectory(unused);
    expect(() => deleteDataDirectory(unused)).toThrow('Another run');
    run.release();
    expect([deleteDataDirectory(unused), existsSync(unused)]).toEqual([true, false]);
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
});

test('says in one sentence that a directory cannot be created', () => {
  const parent = mkdtempSync(join(tmpdir(), 'data-'));
  try {
    // Node reports it as it reports a directory below a read-only one.
    const nowhere = join(parent, 'nowhere');
    symlinkSync(join(parent, 'none'), nowhere);
    const module = new URL('./data-directory.ts', import.meta.url).href;
    const open = `import(${JSON.stringify(module)}).then(({ openDataDirectory }) => openDataDirectory(process.argv[1]))`;
    const code = `${open}.catch((error) => console.log(error.constructor.name, error.message))`;
    // Below /proc, the system says that the parent does not exist, for which Node's own recursion never ends.
    const paths = process.platform === 'linux' ? [nowhere, '/proc/none/below'] : [nowhere];
    for (const path of paths) {
      const { stdout } = spawnSync(process.execPath, ['-e', code, path], { encoding: 'utf8', timeout: 30_000 });
      expect(stdout).toContain(`UserError ${path} cannot be the data directory: it cannot be created there.`);
    }
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
});

test('the reason that an engine ended is in the logs, unless nothing could be written any more', () => {
  expect(failureHint('/data', { bavail: 1000, bsize: 4096 })).toBe('See /data/logs');
  expect(failureHint('/data', { bavail: 0, bsize: 4096 })).toBe(
    'The disk of /data is full: make room, and start again',
  );
  expect(failureHint(tmpdir())).toContain(tmpdir());
});
