import { type CommandContext, run } from './command.ts';
import { BuildFailure } from './failure.ts';

export interface Source {
  repoUrl: string;
  branch: string;
  /** Where it goes; must not exist. */
  directory: string;
}

/** Gets the newest commit of a branch, and nothing that came before it. Returns its short hash and its subject. */
export async function clone(
  { repoUrl, branch, directory }: Source,
  context: CommandContext,
): Promise<{ commitSha: string; subject: string }> {
  let said = '';
  const listen = (text: string): void => {
    said += text;
  };
  const status = await run(
    'git',
    [
      ...['-c', 'core.hooksPath=/dev/null', '-c', 'advice.detachedHead=false', 'clone', '--quiet'],
      ...['--depth=1', '--single-branch', '--no-tags', '--no-recurse-submodules', `--branch=${branch}`],
      ...['--', repoUrl, directory],
    ],
    { ...context, output: listen },
  );
  if (status !== 0) {
    const known = explain(said, repoUrl, branch);
    if (known) throw new BuildFailure(known);
    context.output(said);
    const last = /^fatal: (.+)$/m.exec(said)?.[1] ?? `git ended with exit code ${status}`;
    throw new BuildFailure(`The repository ${repoUrl} could not be cloned: ${last}.`);
  }
  said = '';
  await run('git', ['-C', directory, 'log', '-1', '--abbrev=7', '--format=%h%n%s'], { ...context, output: listen });
  const [commitSha = '', subject = ''] = said.split('\n');
  return { commitSha, subject };
}

/** The usual failures in the words of somebody who does not know git. */
function explain(said: string, repoUrl: string, branch: string): string | undefined {
  if (/Remote branch .* not found/i.test(said)) return `Branch "${branch}" was not found in ${repoUrl}.`;
  if (/Could not resolve host/i.test(said)) return `The host of ${repoUrl} was not found.`;
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
