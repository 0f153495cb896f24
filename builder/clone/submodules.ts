import { type CommandContext, run, withTail } from '../commands/command.ts';
import { BuildFailure } from '../failure.ts';
import { listFirst } from './repository.ts';

/** Addresses by which hosts are reached with a key, which the submodule of a public repository does not need. */
const OVER_HTTPS = ['github.com', 'gitlab.com', 'bitbucket.org'].flatMap((host) =>
  [`git@${host}:`, `ssh://git@${host}/`].flatMap((address) => ['-c', `url.https://${host}/.insteadOf=${address}`]),
);

/**
 * Fetches the submodules of a repository, and those in them, each without its history. Runs as the user of the application's own
 * commands, who may name any address, and within the limits of a build. Throws {@link BuildFailure} with a message for the
 * application's owner.
 * @param paths of the repository's submodules
 * @param context with git's environment, of that user, in the repository's directory
 */
export async function fetchSubmodules(paths: readonly string[], context: CommandContext): Promise<void> {
  const { context: quiet, tail } = withTail({ ...context, output: () => undefined });
  const args = ['submodule', '--quiet', 'update', '--init', '--recursive', '--depth=1'];
  const status = await run('git', [...OVER_HTTPS, ...args], quiet);
  if (status === 0) return;
  const printed = tail();
  const [, nested] = /No url found for submodule path '(.+)' in \.gitmodules/.exec(printed) ?? [];
  if (nested !== undefined) {
    throw new BuildFailure(
      `"${nested}" was committed as a Git repository of its own, without its files: delete ${nested}/.git, run "git rm --cached ${nested}", and commit the files.`,
    );
  }
  context.output(printed);
  throw new BuildFailure(
    `The submodules (${listFirst(paths)}) could not be fetched: only those of public repositories are, by https. Add others as packages or files.`,
  );
}
