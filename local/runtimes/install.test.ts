import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Runs the installation in a copy of the project whose Node 24 has this content. */
function install(content: string | Buffer, releases?: object) {
  const root = mkdtempSync(join(tmpdir(), 'install-'));
  const executable = join(root, 'node_modules/node/bin/node');
  for (const folder of ['local/runtimes', 'builder/build', 'node_modules/node/bin']) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  copyFileSync('local/runtimes/install.mjs', join(root, 'local/runtimes/install.mjs'));
  writeFileSync(join(root, 'local/runtimes/package.json'), '{"optionalDependencies":{}}');
  if (releases) writeFileSync(join(root, 'builder/build/node-releases.json'), JSON.stringify(releases));
  else copyFileSync('builder/build/node-releases.json', join(root, 'builder/build/node-releases.json'));
  writeFileSync(executable, content);
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'local/runtimes/install.mjs')], {
    encoding: 'utf8',
  });
  const isKept = existsSync(executable);
  rmSync(root, { recursive: true });
  return { status, stderr, isKept };
}

test('an executable that is not the pinned one fails the installation and is removed', () => {
  const { status, stderr, isKept } = install('#!/bin/sh\necho tampered\n');
  expect({ status, isKept }).toEqual({ status: 1, isKept: false });
  expect(stderr).toContain('is not the one that builder/build/node-releases.json pins');
});

test('a platform without a pinned executable installs with a warning', () => {
  const { status, stderr, isKept } = install('anything', { 24: {} });
  expect({ status, isKept }).toEqual({ status: 0, isKept: true });
  expect(stderr).toContain('No Node 24 is pinned for');
});

test('the pinned executable passes', () => {
  const platform = `${process.platform}-${process.arch}`;
  // The SHA-256 of "node".
  const sha256 = '545ea538461003efdc8c81c244531b003f6f26cfccf6c0073b3239fdedf49446';
  expect(install('node', { 24: { [platform]: { sha256 } } })).toMatchObject({ status: 0, isKept: true });
});
