import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KNOWN_HOSTS } from './known-hosts.ts';

/** Quotes a path for the shell that runs git's SSH command. */
const quote = (path: string) => `'${path.replaceAll("'", "'\\''")}'`;

/**
 * Runs work with the variable that gives Git SSH access: only with the deploy key, and only to hosts with a known key. The key exists as a
 * file only during the work, so that the application's commands cannot read it.
 *
 * @param knownHosts known_hosts lines in addition to the built-in ones
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
      'BatchMode=yes',
      'IdentitiesOnly=yes',
      'IdentityAgent=none',
      `IdentityFile=${quote(identity)}`,
      'StrictHostKeyChecking=yes',
      `UserKnownHostsFile=${quote(hosts)}`,
      'GlobalKnownHostsFile=/dev/null',
      'UpdateHostKeys=no',
      'PreferredAuthentications=publickey',
      'ConnectTimeout=20',
      'LogLevel=ERROR',
    ];
    const command = ['ssh', '-F', '/dev/null', ...options.flatMap((option) => ['-o', option])].join(' ');
    return await work({ GIT_SSH_COMMAND: command });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
