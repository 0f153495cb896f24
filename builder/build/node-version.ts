import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';

/**
 * Makes a major version of Node the first on PATH, by `n`, which CodeBuild's images have. It puts `node` into
 * `$N_PREFIX/bin`. Returns the PATH to use.
 */
export async function selectNode(major: string, environment: NodeJS.ProcessEnv): Promise<string> {
  const { N_PREFIX = '/usr/local', PATH = '' } = environment;
  const child = spawn('n', [major], { env: { ...environment, N_PREFIX }, stdio: ['ignore', 'ignore', 'inherit'] });
  const [status] = await once(child, 'exit');
  if (status !== 0) throw new Error(`Node ${major} cannot be had: n ended with ${status}`);
  return [join(N_PREFIX, 'bin'), PATH].join(delimiter);
}

/** The whole version of the Node that comes first on a PATH, without the `v`. */
export const versionOf = (path: string): string =>
  execFileSync('node', ['--version'], { env: { PATH: path }, encoding: 'utf8' })
    .trim()
    .slice(1);
