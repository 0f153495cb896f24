import { type CommandContext, exitOf, run } from '../commands/command.ts';
import { BuildFailure } from '../failure.ts';
import { installScripts, type Manifest, needsInstall } from './manifest.ts';
import { type PackageManager, packageManagerOf } from './package-manager.ts';

/** As it stands by default, where it means "what is locked, by whatever locked it"; any other command is run as it is. */
const DEFAULT = /^npm\s+(ci|clean-install)$/;
const NEEDS_LOCKFILE = /^npm\s+(ci|clean-install)\b/;

/** What package managers say of a lockfile that does not fit, long before the end of what they say. */
const MISMATCH =
  /package\.json and package-lock\.json.{0,80} are in sync|-lock\.yaml is not up to date|lockfile (needs to be updated|would have been modified)/;
/** npm's list of what is wrong with it. */
const COMPLAINT = /Missing: .+ from lock file|Invalid: lock file's/;
/** An entry without a version: an optional package of another platform, which npm itself left out of the lockfile. */
const OTHER_PLATFORM = /Missing: @?[^@\s]+@(undefined)? from lock file/;
/** npm's cache has a list of versions from before one of the lockfile's was published. */
const OUTDATED = /npm (error|ERR!) code (ETARGET|ENOTCACHED)/;
/** The lockfile names every version and its hash: what npm has in its cache need not be asked for again. */
const UNASKED = { npm_config_prefer_offline: 'true' };

/** How the dependencies of one repository are installed. */
export interface InstallPlan {
  command: string;
  /** What it is a command of, as far as that is known. */
  manager: PackageManager | undefined;
  /** Why nothing needs to be installed; undefined when something does. */
  nothing: string | undefined;
  /** What the owner may want to know of the choice. */
  note: string | undefined;
}

/** Decides how to install. Throws where the repository asks for what is not supported. */
export function planInstall(asked: string, directory: string, manifest: Manifest | undefined): InstallPlan {
  const manager = manifest && packageManagerOf(directory, manifest);
  const plan: InstallPlan = { command: asked, manager, nothing: undefined, note: undefined };
  if (!DEFAULT.test(asked)) return plan;
  if (!manifest || !manager) return { ...plan, nothing: 'there is no package.json' };
  const { name, install, lockfile } = manager;
  if (!needsInstall(manifest)) return { ...plan, nothing: 'package.json names no dependencies' };
  if (install === undefined) {
    const because = lockfile === undefined ? 'package.json' : lockfile;
    throw new BuildFailure(
      `The repository is written for ${name} (${because}), which is not supported: commit a lockfile of npm, pnpm or yarn.`,
    );
  }
  const note =
    lockfile === undefined
      ? `there is no ${name === 'npm' ? 'package-lock.json' : 'lockfile'}: using "${install}"; commit one for builds that repeat`
      : undefined;
  return { ...plan, command: install, note };
}

/** Runs the install of a plan. Throws with what the owner can do when it fails. */
export async function install(plan: InstallPlan, context: CommandContext): Promise<void> {
  const { command } = plan;
  let outcome = await attempt(command, context, UNASKED);
  if (outcome.status !== 0 && outcome.outdated && NEEDS_LOCKFILE.test(command)) {
    context.output("    npm's cache is older than the lockfile: asking the registry\n");
    outcome = await attempt(command, context, {});
  }
  const { status, mismatched, complaints } = outcome;
  if (status === 0) return;
  if (DEFAULT.test(command) && complaints.length > 0 && complaints.every((line) => OTHER_PLATFORM.test(line))) {
    context.output('    package-lock.json lacks optional packages of other platforms: using "npm install"\n');
    return install({ ...plan, command: 'npm install' }, context);
  }
  const { name = 'npm', lockfile = 'package-lock.json' } = plan.manager ?? {};
  const hint = mismatched
    ? `: package.json and ${lockfile} do not match, run "${name} install" and commit ${lockfile}`
    : '';
  throw new BuildFailure(`The install command "${command}" failed with ${exitOf(status)}${hint}.`);
}

/**
 * What of an install remains to be done where the packages are in place already: the scripts. pnpm, Yarn and commands of
 * the owner's see for themselves what there is to do; `npm ci` would begin by deleting all.
 */
export async function finishInstall(
  plan: InstallPlan,
  manifest: Manifest,
  hasScripts: boolean,
  context: CommandContext,
): Promise<void> {
  if (!DEFAULT.test(plan.command)) return install(plan, context);
  const commands = [
    ...(hasScripts ? ['npm rebuild'] : []),
    ...installScripts(manifest).map((name) => `npm run ${name}`),
  ];
  for (const command of commands) await install({ ...plan, command }, context);
}

/**
 * Runs a command and listens to what is said against the lockfile.
 * @param settings of npm's, where it installs what is locked
 */
async function attempt(command: string, context: CommandContext, settings: Record<string, string>) {
  const complaints: string[] = [];
  let mismatched = false;
  let outdated = false;
  let line = '';
  const output = (text: string): void => {
    const lines = (line + text).split('\n');
    line = lines.pop() ?? '';
    complaints.push(...lines.filter((each) => COMPLAINT.test(each)));
    mismatched ||= lines.some((each) => MISMATCH.test(each));
    outdated ||= lines.some((each) => OUTDATED.test(each));
    context.output(text);
  };
  // Build tools are development dependencies: they are installed whatever NODE_ENV the application has.
  const environment = {
    ...(NEEDS_LOCKFILE.test(command) ? settings : {}),
    ...context.environment,
    npm_config_include: 'dev',
  };
  const status = await run('sh', ['-c', command], { ...context, environment, output });
  return { status, mismatched, complaints, outdated };
}
