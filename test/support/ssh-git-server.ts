import { spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import ssh2 from 'ssh2';

/** True if git can use SSH here: it needs OpenSSH's client. */
export const hasSsh = spawnSync('ssh', ['-V']).status === 0;

export interface SshGitServer {
  port: number;
  /** The server's line in known_hosts. */
  knownHost: string;
  /** Public keys with read access, in OpenSSH's format. */
  authorized: Set<string>;
  stop(): Promise<void>;
}

const newHostKey = () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return privateKey.export({ format: 'pem', type: 'pkcs1' }).toString();
};

const blobOf = (publicKey: string) => Buffer.from(publicKey.split(' ')[1] ?? '', 'base64');

/** Starts a Git host: `git@[127.0.0.1:<port>]:<name>.git` serves `<root>/<name>.git` to the registered keys. */
export async function startSshGitServer(root: string, hostKey = newHostKey()): Promise<SshGitServer> {
  const authorized = new Set<string>();
  const connections = new Set<ssh2.Connection>();
  const server = new ssh2.Server({ hostKeys: [hostKey] }, (connection) => {
    connections.add(connection);
    connection.on('close', () => connections.delete(connection));
    connection.on('error', () => undefined);
    connection.on('authentication', (request) => {
      if (request.method !== 'publickey' || request.username !== 'git') return request.reject(['publickey']);
      const known = [...authorized].find((key) => blobOf(key).equals(request.key.data));
      const parsed = known === undefined ? undefined : ssh2.utils.parseKey(known);
      if (!parsed || parsed instanceof Error) return request.reject(['publickey']);
      // The client first asks whether the key is acceptable, then proves it.
      if (!request.signature || !request.blob) return request.accept();
      return parsed.verify(request.blob, request.signature, request.hashAlgo) === true
        ? request.accept()
        : request.reject();
    });
    connection.on('session', (accept) => {
      accept().on('exec', (acceptExec, rejectExec, { command }) => {
        const name = /^git-upload-pack '([\w-]+)\.git'$/.exec(command)?.[1];
        if (!name) return rejectExec();
        const channel = acceptExec();
        const git = spawn('git', ['upload-pack', join(root, name)], { stdio: ['pipe', 'pipe', 'pipe'] });
        channel.pipe(git.stdin);
        git.stdin.on('error', () => undefined);
        git.stdout.pipe(channel, { end: false });
        git.stderr.pipe(channel.stderr, { end: false });
        git.on('close', (code) => {
          channel.exit(code ?? 1);
          channel.end();
        });
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const parsed = ssh2.utils.parseKey(hostKey);
  if (parsed instanceof Error) throw parsed;
  return {
    port,
    knownHost: `[127.0.0.1]:${port} ssh-rsa ${parsed.getPublicSSH().toString('base64')}`,
    authorized,
    stop: async () => {
      for (const connection of connections) connection.end();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}
