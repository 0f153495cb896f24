import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type CommandContext, run, withTail } from '../commands/command.ts';
import { BuildFailure } from '../failure.ts';
import { overHttpsArguments } from './public-hosts.ts';
import { listFirst, pointersIn } from './repository.ts';

/**
 * Fetches the submodules of a repository recursively, each without its history. Runs as the user of the application's commands, because
 * submodules may name any address, and within the limits of a build. Throws {@link BuildFailure} with a message for the application's owner.
 * @param paths paths of the repository's submodules
 * @param context the context of that user, with Git's environment, in the repository's directory
 * @returns files of the submodules that are in Git LFS and were not fetched. This is no error: applications rarely need such files of libraries.
 */
export async function fetchSubmodules(paths: readonly string[], context: CommandContext): Promise<string[]> {
  const { context: quiet, tail } = withTail({ ...context, output: () => undefined });
  const args = ['submodule', '--quiet', 'update', '--init', '--recursive', '--depth=1'];
  const status = await run('git', [...overHttpsArguments, ...args], quiet);
  if (status === 0) return pointersIn(context.directory, pathsBelow(paths, context.directory));
  const printed = tail();
  const [, nested] = /No url found for submodule path '(.+)' in \.gitmodules/.exec(printed) ?? [];
  if (nested !== undefined) {
    const outer = paths.find((path) => nested.startsWith(`${path}/`));
    const remedy =
      outer === undefined
        ? `delete ${nested}/.git, run "git rm --cached ${nested}", and commit the files`
        : `commit the files in the repository of ${outer}, or add ${outer} as a package or files`;
    throw new BuildFailure(`"${nested}" was committed as a nested Git repository, without its files: ${remedy}.`);
  }
  context.output(printed);
  throw new BuildFailure(
    `The submodules (${listFirst(paths)}) could not be fetched: only submodules in public repositories can be fetched, over HTTPS. Add others as packages or files.`,
  );
}

/** Returns the paths of all files and directories below the given directories. */
const pathsBelow = (directories: readonly string[], root: string): string[] =>
  directories.flatMap((directory) =>
    readdirSync(join(root, directory), { recursive: true, encoding: 'utf8' }).map((path) => join(directory, path)),
  );
