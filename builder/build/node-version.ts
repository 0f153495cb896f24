import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { runTool } from '../commands/child.ts';
import releases from './node-releases.json' with { type: 'json' };

/** A Node executable: the npm package that contains it, and the SHA-256 of the executable itself. */
export interface NodeRelease {
  package: string;
  version: string;
  sha256: string;
}

export interface NodeOptions {
  /** Directory that receives `node`. */
  directory: string;
  /** The PATH to extend. */
  path: string;
  /** Installed executables by major version, which are used instead of downloads. */
  installed: Readonly<Record<string, string>>;
  registry?: string | undefined;
  /** Default: the pinned releases of this machine's platform. */
  release?: NodeRelease | undefined;
}

const REGISTRY = 'https://registry.npmjs.org';
const DOWNLOAD_TIMEOUT_MS = 120_000;

/** Returns the pinned release of a major version for a platform; undefined if there is none. */
export const pinnedRelease = (
  major: string,
  platform = `${process.platform}-${process.arch}`,
): NodeRelease | undefined => {
  const byPlatform: Record<string, NodeRelease> | undefined = Object.entries(releases).find(
    ([version]) => version === major,
  )?.[1];
  return byPlatform?.[platform];
};

/**
 * Installs a major version of Node and returns the PATH with it in first place. Throws if the executable does not have the pinned checksum,
 * because it runs all of the application's commands and builds the release.
 */
export async function selectNode(major: string, options: NodeOptions): Promise<string> {
  const { directory, path, installed, registry = REGISTRY, release = pinnedRelease(major) } = options;
  await mkdir(directory, { recursive: true });
  const executable = join(directory, 'node');
  const local = Object.hasOwn(installed, major) ? installed[major] : undefined;
  if (local !== undefined) await symlink(local, executable);
  else if (release) await download(release, registry, directory);
  else throw new Error(`No Node ${major} is pinned for ${process.platform}-${process.arch}`);
  return [directory, path].join(delimiter);
}

async function download({ package: name, version, sha256 }: NodeRelease, registry: string, directory: string) {
  const url = `${registry.replace(/\/+$/, '')}/${name}/-/${name}-${version}.tgz`;
  const response = await fetch(url, { signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  const [archive, executable] = [join(directory, 'node.tgz'), join(directory, 'node')];
  await writeFile(archive, Buffer.from(await response.arrayBuffer()));
  runTool('tar', ['-xzf', archive, '-C', directory, '--no-same-owner', '--strip-components=2', 'package/bin/node']);
  await rm(archive);
  const hash = createHash('sha256');
  await pipeline(createReadStream(executable), hash);
  if (hash.digest('hex') === sha256) return;
  await rm(executable, { force: true });
  throw new Error(`The Node executable of ${name}@${version} does not have the pinned checksum`);
}
