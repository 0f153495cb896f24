import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Manifest, parseManifest, parseNpmJson } from '../../providers/builds/detection/manifest.ts';
import { overHttpsEnvironment } from '../clone/public-hosts.ts';
import { type CommandContext, describeExit, run } from '../commands/command.ts';
import { BuildFailure } from '../failure.ts';
import { readText } from '../read-text.ts';
import { describeEngines, engineNote } from './engines.ts';
import { describeGit, describeRegistry, describeScript, describeUnreached } from './failures.ts';
import { describeUnapproved, ignoredScriptsNote } from './ignored-scripts.ts';
import { installScripts, needsInstall } from './manifest.ts';
import { createNoiseFilter } from './noise.ts';
import { type PackageManager, packageManagerOf, packageManagerOfCommand } from './package-manager.ts';
import { ignoresScripts, rebuildCommand } from './rebuild.ts';
import { describeRegistryVariables } from './registry-variables.ts';

/**
 * The default install command. It means "install the locked versions with the package manager of the lockfile"; any
 * other command runs unchanged.
 */
const DEFAULT_COMMAND = /^npm\s+(ci|clean-install)$/;
const NEEDS_LOCKFILE = /^npm\s+(ci|clean-install)\b/;

/** Matches messages of package managers about a lockfile that does not match package.json. */
const MISMATCH =
  /package\.json and package-lock\.json.{0,80} are in sync|-lock\.yaml is not up to date|lockfile (needs to be updated|would have been modified|had changes, but lockfile is frozen)|ERR_PNPM_LOCKFILE_CONFIG_MISMATCH/;
/** Matches the lines of npm's list of mismatches. */
const LOCKFILE_ERROR = /Missing: .+ from lock file|Invalid: lock file's/;
/** Matches a mismatch without a version: an optional package of another platform that npm left out of the lockfile. */
const OTHER_PLATFORM = /Missing: @?[^@\s]+@(undefined)? from lock file/;
/** Matches npm's report of conflicting packages: the package found, the version required instead, and the package that requires it. */
const CONFLICT =
  /^npm (?:error|ERR!) Found: (\S+)$(?:\nnpm (?:error|ERR!).*){0,40}?\nnpm (?:error|ERR!) Could not resolve dependency:\nnpm (?:error|ERR!) (?:(?:peer|peerOptional|dev|optional) )?(\S+@"[^"]*") from (.+)$/m;
/** Matches the end of that report: the version of the found package that is required, and the package that requires it. */
const CONFLICTING =
  /^npm (?:error|ERR!) Conflicting peer dependency: \S+$\nnpm (?:error|ERR!) node_modules\/.*\nnpm (?:error|ERR!) +(?:peer|peerOptional) (\S+@"[^"]*") from (.+)$/m;
/** Matches npm's error if its cached list of versions is older than a version in the lockfile. */
const OUTDATED = /npm (error|ERR!) code (ETARGET|ENOTCACHED)/;
/** The lockfile contains every version and its hash, so npm need not query the registry for cached packages. */
const PREFER_CACHE = { npm_config_prefer_offline: 'true' };

/** Matches what npm, pnpm and Yarn print if there is no package.json where they look for it. */
const NO_MANIFEST = /ENOENT.*package\.json|No package\.json found|No project found/;

/** Characters of the end of the output that are kept to explain a failure. */
const MAX_TAIL_CHARACTERS = 64 * 1024;

/** The installation of one repository's dependencies. */
export interface InstallPlan {
  command: string;
  /** The package manager of the repository, if known. */
  manager: PackageManager | undefined;
  /** Reason why nothing needs to be installed; undefined if something does. */
  nothing: string | undefined;
  /** Note about the choice for the owner's build log. */
  note: string | undefined;
  /** The script that pnpm and Yarn run before they install the dependencies. */
  preinstall: string | undefined;
}

/** Plans the installation. */
export function planInstall(configured: string, directory: string, manifest: Manifest | undefined): InstallPlan {
  const isWorkspace = existsSync(join(directory, 'pnpm-workspace.yaml'));
  // pnpm installs the packages of a workspace even without a package.json in its root.
  const root = manifest ?? (isWorkspace ? parseManifest('{}') : undefined);
  const manager = root && packageManagerOf(directory, root);
  const preinstall = root?.scripts.preinstall;
  const plan: InstallPlan = { command: configured, manager, nothing: undefined, note: undefined, preinstall };
  if (!DEFAULT_COMMAND.test(configured)) {
    const named = packageManagerOfCommand(configured);
    return named && named.name !== manager?.name ? { ...plan, manager: named } : plan;
  }
  if (!root || !manager) return { ...plan, nothing: 'there is no package.json' };
  const { name, install = configured, lockfile } = manager;
  if (!needsInstall(root) && !isWorkspace) return { ...plan, nothing: 'package.json names no dependencies' };
  const note =
    lockfile === undefined
      ? `no ${name === 'npm' ? 'package-lock.json' : 'lockfile'} found: using "${install}"; commit one for reproducible builds`
      : undefined;
  return { ...plan, command: install, note };
}

/** Returns sentences about the output of a failed command, with a space before them. */
type Explain = (printed: string) => string;

/**
 * Runs the installation of a plan. Throws BuildFailure with advice for the owner if it fails.
 * @param explain returns sentences about output that shows no mistake of the installation itself
 */
export async function install(plan: InstallPlan, context: CommandContext, explain: Explain = () => ''): Promise<void> {
  const { command, manager, preinstall } = plan;
  const commands = preinstall === undefined ? [command] : [command, preinstall];
  // Build tools are development dependencies, so they are installed regardless of the application's NODE_ENV.
  const environment = {
    ...overHttpsEnvironment(commands, context.environment),
    ...context.environment,
    npm_config_include: 'dev',
    // Yarn 1, and pnpm before version 10, ignore npm's setting. Later versions of Yarn refuse Yarn 1's variable.
    ...(manager?.tool?.startsWith('yarn@') ? { YARN_PRODUCTION: 'false' } : {}),
    ...(manager?.tool?.startsWith('pnpm@') ? { npm_config_production: 'false' } : {}),
  };
  const settings = NEEDS_LOCKFILE.test(command) ? PREFER_CACHE : {};
  let outcome = await runInstall(command, { ...context, environment: { ...settings, ...environment } });
  if (outcome.status !== 0 && outcome.outdated && NEEDS_LOCKFILE.test(command)) {
    context.output("    npm's cache is older than the lockfile: querying the registry\n");
    outcome = await runInstall(command, { ...context, environment });
  }
  const { status, mismatched, lockfileErrors, printed } = outcome;
  if (status === 0) return;
  if (
    DEFAULT_COMMAND.test(command) &&
    lockfileErrors.length > 0 &&
    lockfileErrors.every((line) => OTHER_PLATFORM.test(line))
  ) {
    context.output('    package-lock.json lacks optional packages of other platforms: using "npm install"\n');
    return install({ ...plan, command: 'npm install' }, context, explain);
  }
  const { name = 'npm', lockfile = 'package-lock.json' } = plan.manager ?? {};
  const hint = mismatched
    ? `: package.json and ${lockfile} do not match: run "${name} install" and commit ${lockfile}`
    : describeFiles(printed, context.directory, lockfile) ||
      describeEngines(printed) ||
      describeUnapproved(printed) ||
      describeConflict(printed) ||
      describeGit(printed) ||
      describeScript(printed) ||
      describeRegistryVariables(context.directory, context.environment) ||
      describeRegistry(printed, context.directory) ||
      describeUnreached(printed, context.directory, lockfile);
  const cause = hint === '' ? explain(printed) : '';
  throw new BuildFailure(
    `The install command "${command}" failed with ${describeExit(status, printed)}${hint}.${cause}`,
  );
}

/** Returns the cause and the remedy if package.json is missing or a lockfile is invalid; otherwise an empty text. */
function describeFiles(printed: string, directory: string, lockfile: string): string {
  if (NO_MANIFEST.test(printed) && !existsSync(join(directory, 'package.json')))
    return ': there is no package.json. Set installCommand to "npm ci", which then installs nothing';
  // npm, pnpm and Yarn 1 resolve conflicts that Git marked in a lockfile, or fail with another message.
  if (/YN0047/.test(printed))
    return `: ${lockfile} contains a merge conflict: run "yarn install" and commit ${lockfile}`;
  const file = join(directory, lockfile);
  if (!lockfile.endsWith('.json') || !existsSync(file)) return '';
  try {
    parseNpmJson(readText(file));
    return '';
  } catch {
    return `: ${lockfile} is not valid JSON, perhaps because of a merge conflict: run "npm install" and commit ${lockfile}`;
  }
}

/** Returns the cause and the remedy of conflicting packages; an empty text for other failures. */
function describeConflict(printed: string): string {
  const [, found, ...unresolved] = CONFLICT.exec(printed) ?? [];
  if (found === undefined) return '';
  // The package that could not be resolved may itself have the peer dependency that conflicts.
  const [required, dependent] = CONFLICTING.exec(printed)?.slice(1) ?? unresolved;
  return `: ${dependent} needs ${required}, but ${found} is used: change one of them in package.json, or commit a file .npmrc with the line "legacy-peer-deps=true"`;
}

/**
 * Completes an installation with restored packages by running the install scripts. Installs again if the script of a package fails. pnpm, Yarn
 * and custom commands skip existing packages themselves; `npm ci` would delete all of them first.
 */
export async function finishInstall(
  plan: InstallPlan,
  manifest: Manifest,
  context: CommandContext,
  explain?: Explain,
): Promise<void> {
  const isWithoutScripts = ignoresScripts(plan, context.directory, context.environment);
  const rebuild = isWithoutScripts ? undefined : rebuildCommand(plan, context.directory);
  if (rebuild !== undefined && (await runInstall(rebuild, context)).status !== 0) {
    context.output('    the restored packages could not be completed: installing all of them again\n');
    await run('rm', ['-rf', 'node_modules'], context);
    return install(plan, context, explain);
  }
  if (!DEFAULT_COMMAND.test(plan.command)) return install(plan, context, explain);
  if (isWithoutScripts) return;
  for (const name of installScripts(manifest)) await install({ ...plan, command: `npm run ${name}` }, context, explain);
}

/** Runs a command and collects its messages about the lockfile. */
async function runInstall(command: string, context: CommandContext) {
  const lockfileErrors: string[] = [];
  let mismatched = false;
  let outdated = false;
  let line = '';
  let printed = '';
  const filter = createNoiseFilter(context.output);
  const output = (text: string): void => {
    const lines = (line + text).split('\n');
    line = lines.pop() ?? '';
    lockfileErrors.push(...lines.filter((text) => LOCKFILE_ERROR.test(text)));
    mismatched ||= lines.some((text) => MISMATCH.test(text));
    outdated ||= lines.some((text) => OUTDATED.test(text));
    printed = (printed + text).slice(-MAX_TAIL_CHARACTERS);
    filter.write(text);
  };
  const status = await run('sh', ['-c', command], { ...context, output });
  filter.end();
  for (const note of [ignoredScriptsNote(printed), engineNote(printed)])
    if (note !== undefined) context.output(`    ${note}\n`);
  return { status, mismatched, lockfileErrors, outdated, printed };
}
