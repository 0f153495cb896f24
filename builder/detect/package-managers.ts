import { parseCommandLine } from '../../providers/builds/detection/command-line.ts';
import type { Manifest } from '../../providers/builds/detection/manifest.ts';
import { BuildFailure } from '../failure.ts';
import { findProgram } from './bin.ts';
import type { Start } from './start.ts';

/** Programs that a release does not have, or that run one of them. */
const PACKAGE_MANAGERS = /^(npm|npx|pnpm|pnpx|yarn|corepack|bun|bunx)$/;
const RUNS_PACKAGE_MANAGER = /(^|\/)node_modules\/(turbo|lerna)\//;

/** Returns the programs that a shell's command begins with or comes to, as far as that can be read. */
const programsOf = (command: string): string[] =>
  (
    parseCommandLine(command)?.map(({ words }) => words.map(({ text }) => text)) ??
    command.split(/[|;&()\n]+/).map((each) => each.trim().split(/\s+/))
  ).flatMap((words) => words.find((word) => !/^([A-Za-z_]\w*=.*|exec)$/.test(word)) ?? []);

/**
 * Refuses a start that needs a package manager, which no release has (docs/decisions/0039-any-node-project.md). Throws BuildFailure.
 * @param directory the application's
 * @param repository the directory above which nothing is looked for
 */
export function assertNoPackageManager(
  start: Start,
  directory: string,
  repository: string,
  manifest: Manifest | undefined,
): void {
  const needed =
    start.kind === 'shell'
      ? programsOf(start.command).find(
          (program) =>
            PACKAGE_MANAGERS.test(program) && findProgram(directory, repository, manifest, program) === undefined,
        )
      : start.kind === 'node'
        ? RUNS_PACKAGE_MANAGER.exec(start.file)?.[2]
        : undefined;
  if (needed === undefined) return;
  throw new BuildFailure(
    `The start "${start.kind === 'shell' ? start.command : needed}" needs a package manager (${needed}), and a release has none: set startCommand to what it runs, such as "node app.js", or rootDirectory to the package that is started.`,
  );
}
