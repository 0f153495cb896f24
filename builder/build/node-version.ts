import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';

/**
 * Installs a major version of Node with `n`, which CodeBuild's images include. `n` puts `node` into `$N_PREFIX/bin`.
 * Returns a PATH with that directory first.
 */
export async function selectNode(major: string, environment: NodeJS.ProcessEnv): Promise<string> {
  const { N_PREFIX = '/usr/local', PATH = '' } = environment;
  const child = spawn('n', [major], { env: { ...environment, N_PREFIX }, stdio: ['ignore', 'ignore', 'inherit'] });
  const [status] = await once(child, 'exit');
  if (status !== 0) throw new Error(`Node ${major} could not be installed: n exited with ${status}`);
  return [join(N_PREFIX, 'bin'), PATH].join(delimiter);
}

/** Returns the full version of the first Node on a PATH, without the `v`. */
export const readNodeVersion = (path: string): string =>
  execFileSync('node', ['--version'], { env: { PATH: path }, encoding: 'utf8' })
    .trim()
    .slice(1);
