import { once } from 'node:events';
import { delimiter, join } from 'node:path';
import { runTool, startChild } from '../commands/child.ts';

/**
 * Installs a major version of Node with `n`, which CodeBuild's images include. `n` puts `node` into `$N_PREFIX/bin`.
 * Returns a PATH with that directory first.
 * @param environment the environment of `n`: PATH, network settings and `N_PREFIX`
 */
export async function selectNode(major: string, environment: Record<string, string>): Promise<string> {
  const { N_PREFIX = '/usr/local', PATH = '' } = environment;
  const child = startChild('n', [major], {
    environment: { ...environment, N_PREFIX },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [status] = await once(child, 'exit');
  if (status !== 0) throw new Error(`Node ${major} could not be installed: n exited with ${status}`);
  return [join(N_PREFIX, 'bin'), PATH].join(delimiter);
}

/** Returns the full version of the first Node on a PATH, without the `v`. */
export const readNodeVersion = (path: string): string =>
  runTool('node', ['--version'], { environment: { PATH: path } })
    .trim()
    .slice(1);
