import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { machinePath } from '../machine.ts';
import { type Emulator, listen } from '../wire.ts';

const SERVICE = 'git-upload-pack';
/** Matches requests for a repository. No part of the path may begin with a dot, so that it cannot leave the root. */
const PATH = /^\/((?:[\w-][\w.-]*\/)*[\w-][\w.-]*)\/(info\/refs|git-upload-pack)$/;

/** Serves a directory of repositories read-only over Git's HTTP protocol, with the object filters that Git hosts support. */
export const serveRepositories = (root: string, port?: number): Promise<Emulator> =>
  listen((request, response) => answer(root, request, response), port);

async function answer(root: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const [, path = '', operation] = PATH.exec(pathname) ?? [];
  const isList = operation === 'info/refs';
  const known = path !== '' && existsSync(join(root, path)) && (!isList || searchParams.get('service') === SERVICE);
  if (!known || request.method !== (isList ? 'GET' : 'POST')) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { 'content-type': `application/x-${SERVICE}-${isList ? 'advertisement' : 'result'}` });
  const git = spawn(
    'git',
    [
      '-c',
      'uploadpack.allowFilter=true',
      'upload-pack',
      '--stateless-rpc',
      ...(isList ? ['--http-backend-info-refs'] : []),
      join(root, path),
    ],
    {
      env: {
        PATH: machinePath().join(':'),
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    },
  );
  git.on('error', (error) => response.destroy(error));
  // A client that disconnects ends the process. A process that ends early causes an error on its input, which is ignored.
  response.on('close', () => git.kill());
  git.stdin.on('error', () => undefined);
  request.pipe(git.stdin);
  git.stdout.pipe(response);
  await once(response, 'close');
}
