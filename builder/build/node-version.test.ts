import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NODE_VERSIONS } from '../../contract/enums.ts';
import { runTool } from '../commands/child.ts';
import { pinnedRelease, selectNode } from './node-version.ts';

/** A registry with one package, whose executable is a script. */
const root = mkdtempSync(join(tmpdir(), 'node-version-'));
const SCRIPT = '#!/bin/sh\necho v99.0.0\n';
let registry: Server;
let url: string;
beforeAll(async () => {
  mkdirSync(join(root, 'package/bin'), { recursive: true });
  writeFileSync(join(root, 'package/bin/node'), SCRIPT);
  chmodSync(join(root, 'package/bin/node'), 0o755);
  runTool('tar', ['-czf', join(root, 'node.tgz'), '-C', root, 'package']);
  registry = createServer(({ url }, response) => {
    if (url === '/node-test/-/node-test-99.0.0.tgz') response.end(readFileSync(join(root, 'node.tgz')));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`;
});
afterAll(() => {
  registry.close();
  rmSync(root, { recursive: true });
});

const release = { package: 'node-test', version: '99.0.0', sha256: createHash('sha256').update(SCRIPT).digest('hex') };
const options = (name: string) => ({
  directory: join(root, name),
  path: '/usr/bin:/bin',
  installed: {},
  registry: url,
});

test('puts the pinned executable first on the PATH', async () => {
  const path = await selectNode('99', { ...options('good'), release });
  expect(path).toBe([join(root, 'good'), '/usr/bin', '/bin'].join(delimiter));
  expect(execFileSync('node', ['--version'], { env: { PATH: path }, encoding: 'utf8' })).toBe('v99.0.0\n');
});

test('refuses and removes an executable with another checksum', async () => {
  const other = { ...release, sha256: release.sha256.replace(/^./, (digit) => (digit === '0' ? '1' : '0')) };
  const refused = selectNode('99', { ...options('bad'), release: other });
  await expect(refused).rejects.toThrow('does not have the pinned checksum');
  expect(existsSync(join(root, 'bad/node'))).toBe(false);
});

test('refuses a version that is not pinned, and one that the registry does not have', async () => {
  await expect(selectNode('98', options('none'))).rejects.toThrow('No Node 98 is pinned');
  await expect(selectNode('__proto__', options('none'))).rejects.toThrow('is pinned');
  const absent = { ...release, version: '98.0.0' };
  await expect(selectNode('98', { ...options('none'), release: absent })).rejects.toThrow('answered 404');
});

test('each version that an application can choose is pinned for the machines of builds and of developers', () => {
  for (const major of NODE_VERSIONS) {
    for (const platform of ['linux-arm64', 'linux-x64']) {
      expect(pinnedRelease(major, platform)?.sha256, `${major} ${platform}`).toMatch(/^[0-9a-f]{64}$/);
    }
  }
});
