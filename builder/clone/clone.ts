import { parseRepositoryAddress } from '../../contract/apps/repositories.ts';
import { type CommandContext, run } from '../commands/command.ts';
import { BuildFailure } from '../failure.ts';
import { LIMITS, listFiles, type RepositoryLimits, refusePointers, submodulesOf, watchSize } from './repository.ts';
import { withSshAccess } from './ssh-access.ts';

export interface Source {
  repoUrl: string;
  branch: string;
  /** True if the repository's default branch may replace a branch that does not exist. */
  orDefaultBranch?: boolean;
  /** Target directory; must not exist. */
  directory: string;
  /** SSH access: the private half of the deploy key, and known_hosts lines in addition to the built-in ones. */
  ssh?: { deployKey: string; knownHosts: string } | undefined;
  limits?: Partial<RepositoryLimits> | undefined;
}

interface Commit {
  /** The branch that was cloned. */
  branch: string;
  commitSha: string;
  subject: string;
  /** Paths of its submodules, which are not fetched. */
  submodules: string[];
}

/**
 * Clones the newest commit of a branch without its history. Returns the commit's short hash and subject. Throws {@link
 * BuildFailure} with a message for the application's owner.
 */
export async function clone(source: Source, context: CommandContext): Promise<Commit> {
  const { ssh } = source;
  if (!ssh) return await fetchBranch(source, context);
  return await withSshAccess(ssh.deployKey, ssh.knownHosts, (variables) =>
    fetchBranch(source, { ...context, environment: { ...context.environment, ...variables } }),
  );
}

async function fetchBranch(source: Source, context: CommandContext): Promise<Commit> {
  const commit = await fetchNamed(source, source.branch, context);
  if (commit !== undefined) return commit;
  const missing = new BuildFailure(`Branch "${source.branch}" was not found in ${source.repoUrl}.`);
  if (!source.orDefaultBranch) throw missing;
  const defaultCommit = await fetchNamed(source, undefined, context);
  if (defaultCommit === undefined) throw missing;
  return defaultCommit;
}

/**
 * Fetches a branch, or the repository's default branch.
 * @returns undefined if the repository has no branch of that name
 */
async function fetchNamed(
  { repoUrl, directory, ...source }: Source,
  branch: string | undefined,
  context: CommandContext,
): Promise<Commit | undefined> {
  const limits = { ...LIMITS, ...source.limits };
  let printed = '';
  const output = (text: string): void => {
    printed += text;
  };
  const watch = watchSize(directory, limits);
  const status = await run(
    'git',
    [
      ...GIT_OPTIONS,
      'clone',
      '--quiet',
      '--no-checkout',
      '--depth=1',
      '--single-branch',
      '--no-tags',
      '--no-recurse-submodules',
      ...(branch === undefined ? [] : [`--branch=${branch}`]),
      '--',
      repoUrl,
      directory,
    ],
    { ...context, output, limit: AbortSignal.any([context.limit, watch.signal]) },
  ).finally(watch.end);
  if (status !== 0) {
    if (branch !== undefined && /Remote branch .* not found/i.test(printed)) return undefined;
    const failure = explainCloneFailure(printed, repoUrl);
    if (failure) throw new BuildFailure(failure);
    context.output(printed);
    const last = /^fatal: (.+?)\.?\r?$/m.exec(printed)?.[1] ?? `git ended with exit code ${status}`;
    throw new BuildFailure(`The repository ${repoUrl} could not be cloned: ${last}.`);
  }
  if (branch === undefined && /cloned an empty repository/.test(printed)) return undefined;
  // Checked before the files are written, because a small archive can expand to any size.
  const [entries, commit] = await Promise.all([
    listFiles(directory, context.environment, limits),
    readGit(directory, context, 'log', '-1', '--abbrev=7', '--format=%h%n%s'),
  ]);
  const resetStatus = await run('git', [...GIT_OPTIONS, '-C', directory, 'reset', '--quiet', '--hard'], context);
  if (resetStatus !== 0) throw new BuildFailure(`The files of ${repoUrl} could not be written.`);
  refusePointers(directory, entries);
  const [commitSha = '', subject = ''] = commit.split('\n');
  const cloned = branch ?? (await readGit(directory, context, 'symbolic-ref', '--short', 'HEAD')).trim();
  return { branch: cloned, commitSha, subject, submodules: submodulesOf(entries) };
}

/** Runs a git command in a repository and returns its output. */
async function readGit(directory: string, context: CommandContext, ...args: string[]): Promise<string> {
  let printed = '';
  const output = (text: string): void => {
    printed += text;
  };
  await run('git', ['-C', directory, ...args], { ...context, output });
  return printed;
}

/** Options that keep git from running hooks of a repository. */
const GIT_OPTIONS = ['-c', 'core.hooksPath=/dev/null', '-c', 'advice.detachedHead=false'];

/**
 * Explains a common failure to users who do not know Git. Returns undefined for other failures.
 * @param printed what git printed
 */
export function explainCloneFailure(printed: string, repoUrl: string): string | undefined {
  if (/Could not resolve host/i.test(printed)) return `The host of ${repoUrl} was not found.`;
  const sshFailure = explainSsh(printed, repoUrl);
  if (sshFailure) return sshFailure;
  if (
    /could not read (Username|Password)|Authentication failed|Permission denied|terminal prompts disabled|\b40[13]\b/i.test(
      printed,
    )
  ) {
    return `The repository ${repoUrl} cannot be read: it does not exist or is private.`;
  }
  if (/not found|does not exist|does not appear to be a git repository|not a git repository|\b404\b/i.test(printed)) {
    return `The repository ${repoUrl} was not found.`;
  }
  return undefined;
}

/** Explains a failure that only occurs over SSH. Returns undefined for other failures. */
function explainSsh(printed: string, repoUrl: string): string | undefined {
  if (parseRepositoryAddress(repoUrl)?.scheme !== 'ssh') return undefined;
  const host = parseRepositoryAddress(repoUrl)?.host;
  if (/HOST IDENTIFICATION HAS CHANGED/.test(printed))
    return `The host key of ${host} differs from the known key: the host changed its key, or the connection is intercepted. Nothing was sent.`;
  if (/Host key verification failed/.test(printed))
    return `The host key of ${host} is unknown: ask the platform's operator to add it. Nothing was sent.`;
  if (/Could not resolve hostname/.test(printed)) return `The host of ${repoUrl} was not found.`;
  if (/Permission denied/.test(printed))
    return `${repoUrl} does not accept this application's deploy key: add the public key from the dashboard to the repository.`;
  if (/not found|does not exist|not appear to be a git repository/i.test(printed))
    return `The repository ${repoUrl} was not found, or does not accept this application's deploy key.`;
  const unreachable = /^ssh: (connect to .+?)\.?\r?$/m.exec(printed)?.[1];
  return unreachable && `The host of ${repoUrl} cannot be reached: ${unreachable}.`;
}
