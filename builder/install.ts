import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CommandContext, run } from './command.ts';
import { BuildFailure } from './failure.ts';

const LOCKFILES = ['package-lock.json', 'npm-shrinkwrap.json'] as const;
const NEEDS_LOCKFILE = /^npm\s+(ci|clean-install)\b/;
/** As it stands by default: whatever else a command does besides, it does. */
const PLAIN = /^npm\s+(ci|clean-install)$/;

/** npm's words for a lockfile that does not fit, long before the end of what it says. */
const MISMATCH = /package\.json and package-lock\.json.{0,80} are in sync|Missing: \S+ from lock file/s;
/** The lockfile names every version and its hash: what npm has in its cache need not be asked for again. */
const UNASKED = { npm_config_prefer_offline: 'true' };

/** Why nothing needs to be installed; undefined when something does. */
export function nothingToInstall(command: string, directory: string): string | undefined {
  if (!PLAIN.test(command)) return undefined;
  const manifest = join(directory, 'package.json');
  if (!existsSync(manifest)) return 'there is no package.json';
  return hasWork(manifest) ? undefined : 'package.json names no dependencies';
}

/** Whether the default command is asked of a repository that has no lockfile of npm's: it would always fail. */
export const lacksLockfile = (command: string, directory: string): boolean =>
  PLAIN.test(command) && !LOCKFILES.some((name) => existsSync(join(directory, name)));

/** Runs the install command. */
export async function install(command: string, context: CommandContext): Promise<void> {
  let recent = '';
  let mismatched = false;
  const output = (text: string): void => {
    recent = (recent + text).slice(-1000 - text.length);
    mismatched ||= MISMATCH.test(recent);
    context.output(text);
  };
  // Build tools are development dependencies: they are installed whatever NODE_ENV the application has.
  const environment = {
    ...(NEEDS_LOCKFILE.test(command) ? UNASKED : {}),
    ...context.environment,
    npm_config_include: 'dev',
  };
  const status = await run('sh', ['-c', command], { ...context, environment, output });
  if (status === 0) return;
  const hint = mismatched
    ? ': package.json and package-lock.json do not match, run "npm install" and commit package-lock.json'
    : '';
  throw new BuildFailure(`The install command "${command}" failed with exit code ${status}${hint}.`);
}

/** Whether an install has anything to do: packages to get, or scripts of the application's own to run. */
function hasWork(manifest: string): boolean {
  try {
    const { dependencies, devDependencies, optionalDependencies, peerDependencies, workspaces, scripts } = JSON.parse(
      readFileSync(manifest, 'utf8'),
    );
    const packages = { ...dependencies, ...devDependencies, ...optionalDependencies, ...peerDependencies };
    const own = ['preinstall', 'install', 'postinstall', 'prepare'].some((name) => scripts?.[name] !== undefined);
    return workspaces !== undefined || own || Object.keys(packages).length > 0;
  } catch {
    // npm says better than we could what is wrong with it.
    return true;
  }
}
