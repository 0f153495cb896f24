import { repositoryAddress } from '../contract/apps/repositories.ts';
import { LIMITS, listFiles, type RepositoryLimits, refusePointers, watchSize } from './clone/repository.ts';
import { withSshAccess } from './clone/ssh-access.ts';
import { type CommandContext, run } from './commands/command.ts';
import { BuildFailure } from './failure.ts';

export interface Source {
  repoUrl: string;
  branch: string;
  /** Where it goes; must not exist. */
  directory: string;
  /** What lets us in over SSH: the private half of the deploy key, and known_hosts lines beside the built-in ones. */
  ssh?: { deployKey: string; knownHosts: string } | undefined;
  limits?: Partial<RepositoryLimits> | undefined;
}

interface Commit {
  commitSha: string;
  subject: string;
}

/** Gets the newest commit of a branch, and nothing that came before it. Returns its short hash and its subject. */
export async function clone(source: Source, context: CommandContext): Promise<Commit> {
  const { ssh } = source;
  if (!ssh) return await fetch(source, context);
  return await withSshAccess(ssh.deployKey, ssh.knownHosts, (variables) =>
    fetch(source, { ...context, environment: { ...context.environment, ...variables } }),
  );
}

async function fetch({ repoUrl, branch, directory, ...source }: Source, context: CommandContext): Promise<Commit> {
  const limits = { ...LIMITS, ...source.limits };
  let said = '';
  const output = (text: string): void => {
    said += text;
  };
  const listening = { ...context, output };
  const watch = watchSize(directory, limits);
  const status = await run(
    'git',
    [
      ...[...QUIETLY, 'clone', '--quiet', '--no-checkout', '--depth=1', '--single-branch', '--no-tags'],
      ...['--no-recurse-submodules', `--branch=${branch}`, '--', repoUrl, directory],
    ],
    { ...listening, limit: AbortSignal.any([context.limit, watch.signal]) },
  ).finally(watch.end);
  if (status !== 0) {
    const known = explain(said, repoUrl, branch);
    if (known) throw new BuildFailure(known);
    context.output(said);
    const last = /^fatal: (.+)$/m.exec(said)?.[1] ?? `git ended with exit code ${status}`;
    throw new BuildFailure(`The repository ${repoUrl} could not be cloned: ${last}.`);
  }
  // Looked at before it is written: a small archive can hold files without end.
  const entries = await listFiles(directory, context.environment, limits);
  const written = await run('git', [...QUIETLY, '-C', directory, 'reset', '--quiet', '--hard'], context);
  if (written !== 0) throw new BuildFailure(`The files of ${repoUrl} could not be written.`);
  await refusePointers(directory, entries);
  said = '';
  await run('git', ['-C', directory, 'log', '-1', '--abbrev=7', '--format=%h%n%s'], listening);
  const [commitSha = '', subject = ''] = said.split('\n');
  return { commitSha, subject };
}

/** Nothing that a repository brings is run. */
const QUIETLY = ['-c', 'core.hooksPath=/dev/null', '-c', 'advice.detachedHead=false'];

/** The usual failures in the words of somebody who does not know git. */
function explain(said: string, repoUrl: string, branch: string): string | undefined {
  if (/Remote branch .* not found/i.test(said)) return `Branch "${branch}" was not found in ${repoUrl}.`;
  if (/Could not resolve host/i.test(said)) return `The host of ${repoUrl} was not found.`;
  const inVain = explainSsh(said, repoUrl);
  if (inVain) return inVain;
  if (
    /could not read (Username|Password)|Authentication failed|Permission denied|terminal prompts disabled|\b40[13]\b/i.test(
      said,
    )
  ) {
    return `The repository ${repoUrl} cannot be read: it does not exist or is private.`;
  }
  if (/not found|does not exist|does not appear to be a git repository|not a git repository|\b404\b/i.test(said)) {
    return `The repository ${repoUrl} was not found.`;
  }
  return undefined;
}

/** What goes wrong over SSH only. */
function explainSsh(said: string, repoUrl: string): string | undefined {
  if (repositoryAddress(repoUrl)?.scheme !== 'ssh') return undefined;
  const host = repositoryAddress(repoUrl)?.host;
  if (/HOST IDENTIFICATION HAS CHANGED/.test(said))
    return `The host key of ${host} is not the one that is known: it has a new one, or somebody stands in between. Nothing was sent.`;
  if (/Host key verification failed/.test(said))
    return `The host key of ${host} is not known here: the platform's operator can add it. Nothing was sent.`;
  if (/Could not resolve hostname/.test(said)) return `The host of ${repoUrl} was not found.`;
  if (/Permission denied/.test(said))
    return `${repoUrl} does not take this application's deploy key: add the public key that the dashboard shows to the repository.`;
  if (/not found|does not exist|not appear to be a git repository/i.test(said))
    return `The repository ${repoUrl} was not found, or does not take this application's deploy key.`;
  return undefined;
}
