import { execFile } from 'node:child_process';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { CommandError, UsageError } from './command.ts';
import { readTextFile } from './text.ts';

/** The Git repository that a folder belongs to, as far as deploying is concerned. */
export interface Repository {
  /** Its remote, as the platform clones it. */
  url: string;
  /** The checked-out branch; undefined on a detached head. */
  branch: string | undefined;
  /** Commits of the branch that the remote does not have; undefined where it follows none. */
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
    // git says by its exit code that there is no repository, remote or upstream.
    return undefined;
  }
}

const SCP = /^(?:[\w.-]+@)?([\w-]+(?:\.[\w-]+)+):(?!\/\/)(.+)$/;

/** The host and path of a remote in any of its forms; undefined for a folder on this machine. */
function partsOf(remote: string): { host: string; path: string } | undefined {
  const scp = SCP.exec(remote);
  if (scp?.[1] && scp[2]) return { host: scp[1], path: scp[2] };
  if (!URL.canParse(remote)) return undefined;
  const { protocol, host, hostname, port, pathname } = new URL(remote);
  // The platform connects to the usual port only.
  if (protocol === 'ssh:') return ['', '22'].includes(port) ? { host: hostname, path: pathname } : undefined;
  return ['http:', 'https:', 'git:'].includes(protocol) ? { host, path: pathname } : undefined;
}

/** Returns what is the same for all forms of one remote: `github.com/you/app`. */
export function remoteKey(remote: string): string | undefined {
  const parts = partsOf(remote);
  return parts && `${parts.host.toLowerCase()}/${parts.path.replace(/^\/+|\/+$/g, '').replace(/\.git$/, '')}`;
}

/** Returns a remote as the platform takes it: `https://` without a token that it may hold, or `git@`. */
export function toRepoUrl(remote: string): string | undefined {
  const parts = partsOf(remote);
  if (!parts) return undefined;
  const path = parts.path.replace(/^\/+/, '');
  const isSsh = SCP.test(remote) || remote.startsWith('ssh:');
  return isSsh ? `git@${parts.host}:${path}` : `https://${parts.host}/${path}`;
}

const withoutToken = (remote: string): string => remote.replace(/\/\/[^/@]*:[^/@]*@/, '//');

/** Returns the remote that a branch deploys from: the one that it follows, `origin`, or the only one. @throws UsageError for several */
async function remoteOf(cwd: string, branch: string | undefined): Promise<string | undefined> {
  const followed = branch && (await git(cwd, 'config', `branch.${branch}.remote`));
  const names = (await git(cwd, 'remote'))?.split('\n').filter(Boolean) ?? [];
  // A branch may follow one of this folder: the remote `.`.
  const name = [followed, 'origin', ...(names.length === 1 ? names : [])].find((each) => each && names.includes(each));
  if (!name && names.length > 1)
    throw new UsageError(
      `Which remote, ${names.join(' or ')}? Push the branch to one (git push --set-upstream), or name the application with --app.`,
    );
  return name;
}

/** Returns the repository of a folder; undefined where it has none with a remote. @throws UsageError for one that cannot be cloned */
export async function readRepository(cwd: string): Promise<Repository | undefined> {
  const branch = await git(cwd, 'symbolic-ref', '--quiet', '--short', 'HEAD');
  const name = await remoteOf(cwd, branch);
  if (!name) return undefined;
  // As it was given: `get-url` applies the user's own `insteadOf`, which the platform does not have. It does resolve shorthands.
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

/** The name that an application of a repository gets: the last part of its address. */
export const nameOf = (repoUrl: string): string => basename(repoUrl.replace(/[:]/g, '/')).replace(/\.git$/, '');

/** Returns the names in a package.json's dependencies, as far as it has such. @throws CommandError */
function packageNames(text: string): Record<string, unknown> {
  try {
    const { dependencies, devDependencies } = (JSON.parse(text) ?? {}) as Record<string, object | undefined>;
    return { ...devDependencies, ...dependencies };
  } catch (error) {
    throw new CommandError(`package.json is not valid JSON: ${error instanceof Error ? error.message : error}`);
  }
}

/** Returns the framework that a folder's package.json names; the platform detects everything else itself. */
export function frameworkOf(cwd: string): 'NEXTJS' | 'NUXT' | 'EXPRESS' | 'NODE' {
  let text: string;
  try {
    text = readTextFile(join(cwd, 'package.json'));
  } catch (error) {
    if (error instanceof CommandError) throw error;
    // A site of plain files, or an application below this folder.
    return 'NODE';
  }
  const names = packageNames(text);
  if ('next' in names) return 'NEXTJS';
  if ('nuxt' in names) return 'NUXT';
  return 'express' in names ? 'EXPRESS' : 'NODE';
}
