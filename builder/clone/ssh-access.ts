import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KNOWN_HOSTS } from './known-hosts.ts';

/** For the shell that git hands its command to. */
const quoted = (path: string) => `'${path.replaceAll("'", "'\\''")}'`;

/**
 * Runs something with the variable that lets git in over SSH: with the deploy key and nothing else, to hosts whose key is
 * known and no others. The key lies in a file of our own for as long as that takes, and the application's commands run
 * after it.
 *
 * @param knownHosts lines of known_hosts beside the built-in ones
 */
export async function withSshAccess<T>(
  deployKey: string,
  knownHosts: string,
  work: (environment: Record<string, string>) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'ssh-'));
  const [identity, hosts] = [join(folder, 'deploy_key'), join(folder, 'known_hosts')];
  try {
    writeFileSync(identity, deployKey, { mode: 0o600 });
    writeFileSync(hosts, [...KNOWN_HOSTS, knownHosts, ''].join('\n'));
    const options = [
      ...['BatchMode=yes', 'IdentitiesOnly=yes', 'IdentityAgent=none', `IdentityFile=${quoted(identity)}`],
      ...['StrictHostKeyChecking=yes', `UserKnownHostsFile=${quoted(hosts)}`, 'GlobalKnownHostsFile=/dev/null'],
      ...['UpdateHostKeys=no', 'PreferredAuthentications=publickey', 'ConnectTimeout=20', 'LogLevel=ERROR'],
    ];
    const command = ['ssh', '-F', '/dev/null', ...options.flatMap((option) => ['-o', option])].join(' ');
    return await work({ GIT_SSH_COMMAND: command });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
