import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newSshKeyPair } from '../../providers/git/ssh-keys.ts';
import { entriesOf } from '../../test/support/archive.ts';
import { hasSsh, type SshGitServer, startSshGitServer } from '../../test/support/ssh-git-server.ts';
import { build, closeTestHarness, openTestHarness, repository, root } from '../test-harness.ts';
import { KNOWN_HOSTS } from './known-hosts.ts';

test('the built-in host keys match the published fingerprints', () => {
  const fingerprints = KNOWN_HOSTS.map((line) => {
    const [host, type, key = ''] = line.split(' ');
    const hash = createHash('sha256').update(Buffer.from(key, 'base64')).digest('base64').replace(/=+$/, '');
    return `${host} ${type} ${hash}`;
  });
  expect(fingerprints).toEqual([
    'github.com ssh-ed25519 +DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU',
    'github.com ecdsa-sha2-nistp256 p2QAMXNIC1TJYWeIOttrVc98/R1BUFWu3/LiyKgUfQM',
    'gitlab.com ssh-ed25519 eUXGGm1YGsMAS7vkcx6JOJdOGHPem5gQp4taiCfCLB8',
    'gitlab.com ecdsa-sha2-nistp256 HbW3g8zUjNSksFbqTiUWPWg2Bq1x8xdGUrliXFzSnUw',
    'bitbucket.org ssh-ed25519 ybgmFkzwOSotHTHLJgHO0QN8L0xErw6vd0VhFA9m3SM',
    'bitbucket.org ecdsa-sha2-nistp256 FC73VB6C4OQLSCrjEayhMp9UMxS97caD/Yyi2bhW/J0',
  ]);
});

/** Searches for the key in every file and variable that a command of the application can read. */
const LOOK = `const { execSync } = require('node:child_process');
  const seen = execSync('env; ls -a "$TMPDIR"; grep -rl "BEGIN OPENSSH" "$TMPDIR" --include=* || true', { encoding: 'utf8' });
  console.log(/OPENSSH|deploy_key|GIT_SSH|known_hosts/.test(seen) ? 'FOUND ' + seen : 'nothing to be seen of it');`;

// Skipped without an SSH client on the machine, because git needs it for SSH.
describe.skipIf(!hasSsh)('a repository over SSH', () => {
  const key = newSshKeyPair('app_1');
  let server: SshGitServer;
  let name: string;
  beforeAll(async () => {
    await openTestHarness();
    const directory = new URL(repository({ 'server.js': '1', 'look.js': LOOK })).pathname;
    name = directory.slice(dirname(directory).length + 1);
    server = await startSshGitServer(dirname(directory));
  });
  afterAll(async () => {
    await server.stop();
    await closeTestHarness();
  });

  const clone = async (privateKey: string, knownHosts: string, repository = name) => {
    const repoUrl = `git@[127.0.0.1:${server.port}]:${repository}.git`;
    const environment = { GIT_KNOWN_HOSTS: knownHosts };
    return await build({ repoUrl, deployKey: privateKey, buildCommand: 'node look.js' }, environment);
  };

  test('is cloned with the deploy key, which no command of the application can read', async () => {
    server.authorized.add(key.publicKey);
    const { code, error, log, artifact } = await clone(key.privateKey, server.knownHost);
    expect([code, error]).toEqual([0, undefined]);
    expect(log).toContain('nothing to be seen of it');
    for (const [path, content] of await entriesOf(artifact)) expect(content, path).not.toContain('OPENSSH PRIVATE');
    expect(readdirSync(root).filter((each) => each.startsWith('ssh-'))).toEqual([]);
  });

  test('is not contacted if its host key differs or is unknown', async () => {
    server.authorized.add(key.publicKey);
    const other = await startSshGitServer(root);
    await other.stop();
    const wrong = other.knownHost.replace(String(other.port), String(server.port));
    const changed = await clone(key.privateKey, wrong);
    expect(changed).toMatchObject({
      code: 1,
      step: 'clone',
      error: expect.stringMatching(/^The host key of 127\.0\.0\.1 differs from the known key: /),
    });
    const unknown = await clone(key.privateKey, '');
    expect(unknown.error).toMatch(/^The host key of 127\.0\.0\.1 is unknown: /);
    expect(unknown.log).toContain('==> Cloning git@[127.0.0.1:');
  });

  test('is refused with advice if it does not accept the key or does not exist', async () => {
    server.authorized.add(key.publicKey);
    const stranger = await clone(newSshKeyPair('other').privateKey, server.knownHost);
    expect(stranger.error).toMatch(/does not accept this application's deploy key: add the public key/);
    const absent = await clone(key.privateKey, server.knownHost, 'absent');
    expect(absent.error).toMatch(/was not found, or does not accept this application's deploy key\.$/);
  });
});
