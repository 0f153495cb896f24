import { execFile } from 'node:child_process';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { CommandError, UsageError } from './command.ts';
import { readTextFile } from './text.ts';

/** The facts about a folder's Git repository that a deployment needs. */
export interface Repository {
  /** The URL from which the platform clones it. */
  url: string;
  /** The checked-out branch; undefined on a detached head. */
  branch: string | undefined;
  /** The number of commits that the upstream branch lacks; undefined without an upstream. */
  unpushed: number | undefined;
  hasChanges: boolean;
}

const exec = promisify(execFile);

async function git(cwd: string, ...args: string[]): Promise<string | undefined> {
  try {
    return (await exec('git', args, { cwd, encoding: 'utf8' })).stdout.trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new UsageError('git is not installed. Name the application with --app.');
    // The exit code means that there is no repository, remote or upstream.
    return undefined;
  }
}

const SCP = /^(?:[\w.-]+@)?([\w-]+(?:\.[\w-]+)+):(?!\/\/)(.+)$/;

/** Returns the host and path of a remote in any notation; undefined for a folder on this machine. */
function partsOf(remote: string): { host: string; path: string } | undefined {
  const scp = SCP.exec(remote);
  if (scp?.[1] && scp[2]) return { host: scp[1], path: scp[2] };
  if (!URL.canParse(remote)) return undefined;
  const { protocol, host, hostname, port, pathname } = new URL(remote);
  // The platform connects only to the default port.
  if (protocol === 'ssh:') return ['', '22'].includes(port) ? { host: hostname, path: pathname } : undefined;
  return ['http:', 'https:', 'git:'].includes(protocol) ? { host, path: pathname } : undefined;
}

/** Returns a key that is the same for all notations of a remote: `github.com/you/app`. */
export function remoteKey(remote: string): string | undefined {
  const parts = partsOf(remote);
  return parts && `${parts.host.toLowerCase()}/${parts.path.replace(/^\/+|\/+$/g, '').replace(/\.git$/, '')}`;
}

/** Returns a remote in the form that the platform accepts: `https://` without any token, or `git@`. */
export function toRepoUrl(remote: string): string | undefined {
  const parts = partsOf(remote);
  if (!parts) return undefined;
  const path = parts.path.replace(/^\/+/, '');
  const isSsh = SCP.test(remote) || remote.startsWith('ssh:');
  return isSsh ? `git@${parts.host}:${path}` : `https://${parts.host}/${path}`;
}

const withoutToken = (remote: string): string => remote.replace(/\/\/[^/@]*:[^/@]*@/, '//');

/** Returns the remote to deploy from: that of the branch's upstream, `origin`, or the only one. @throws UsageError for several */
async function remoteOf(cwd: string, branch: string | undefined): Promise<string | undefined> {
  const followed = branch && (await git(cwd, 'config', `branch.${branch}.remote`));
  const names = (await git(cwd, 'remote'))?.split('\n').filter(Boolean) ?? [];
  // The upstream may be a branch of the same repository, whose remote is `.`.
  const name = [followed, 'origin', ...(names.length === 1 ? names : [])].find(
    (remote) => remote && names.includes(remote),
  );
  if (!name && names.length > 1)
    throw new UsageError(
      `Which remote, ${names.join(' or ')}? Push the branch to one (git push --set-upstream), or name the application with --app.`,
    );
  return name;
}

/** Returns the repository of a folder; undefined if it has no remote. @throws UsageError for one that the platform cannot clone */
export async function readRepository(cwd: string): Promise<Repository | undefined> {
  const branch = await git(cwd, 'symbolic-ref', '--quiet', '--short', 'HEAD');
  const name = await remoteOf(cwd, branch);
  if (!name) return undefined;
  // The configured URL comes first, because `get-url` applies the user's `insteadOf`, which the platform does not have. `get-url`
  // resolves shorthands, however.
  const given = await git(cwd, 'config', `remote.${name}.url`);
  const url = toRepoUrl(given ?? '') ?? toRepoUrl((await git(cwd, 'remote', 'get-url', name)) ?? '');
  if (!url)
    throw new UsageError(
      `The remote ${withoutToken(given ?? name)} is not one that the platform can clone: https://host.name/path, or git@host.name:path on port 22. Name the application with --app, or create it with hosting apps create --repo.`,
    );
  const [unpushed, changes] = await Promise.all([
    git(cwd, 'rev-list', '--count', '@{upstream}..HEAD'),
    git(cwd, 'status', '--porcelain'),
  ]);
  return { url, branch, unpushed: unpushed === undefined ? undefined : Number(unpushed), hasChanges: Boolean(changes) };
}

/** Returns the default name of a repository's application: the last part of its URL. */
export const nameOf = (repoUrl: string): string => basename(repoUrl.replace(/[:]/g, '/')).replace(/\.git$/, '');

/** Returns the dependencies in a package.json; none if it has none. @throws CommandError */
function packageNames(text: string): Record<string, unknown> {
  try {
    const { dependencies, devDependencies } = (JSON.parse(text) ?? {}) as Record<string, object | undefined>;
    return { ...devDependencies, ...dependencies };
  } catch (error) {
    throw new CommandError(`package.json is not valid JSON: ${error instanceof Error ? error.message : error}`);
  }
}

/** Returns the framework in a folder's package.json. The platform detects all other settings itself. */
export function frameworkOf(cwd: string): 'NEXTJS' | 'NUXT' | 'EXPRESS' | 'NODE' {
  let text: string;
  try {
    text = readTextFile(join(cwd, 'package.json'));
  } catch (error) {
    if (error instanceof CommandError) throw error;
    // A static site, or an application in a subfolder.
    return 'NODE';
  }
  const names = packageNames(text);
  if ('next' in names) return 'NEXTJS';
  if ('nuxt' in names) return 'NUXT';
  return 'express' in names ? 'EXPRESS' : 'NODE';
}
