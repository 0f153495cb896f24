import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CommandContext, run } from './command.ts';
import { BuildFailure } from './failure.ts';

const LOCKFILES = ['package-lock.json', 'npm-shrinkwrap.json'] as const;
const NEEDS_LOCKFILE = /^npm\s+(ci|clean-install)\b/;

/** The lockfile names every version and its hash: what npm has in its cache need not be asked for again. */
const UNASKED = { npm_config_prefer_offline: 'true' };

/** Why nothing needs to be installed; undefined when something does. Throws when it cannot work. */
export function nothingToInstall(command: string, directory: string): string | undefined {
  if (!NEEDS_LOCKFILE.test(command)) return undefined;
  const manifest = join(directory, 'package.json');
  if (!existsSync(manifest)) return 'there is no package.json';
  if (LOCKFILES.some((name) => existsSync(join(directory, name)))) return undefined;
  if (!hasDependencies(manifest)) return 'package.json names no dependencies';
  throw new BuildFailure(
    `"${command}" needs a package-lock.json, and the repository has none: run "npm install" and commit package-lock.json, or set the install command to "npm install".`,
  );
}

/** Runs the install command. */
export async function install(command: string, context: CommandContext): Promise<void> {
  let end = '';
  const output = (text: string): void => {
    end = (end + text).slice(-4000);
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
  const hint = /package\.json and package-lock\.json .*are (not )?in sync/.test(end)
    ? ': package.json and package-lock.json do not match, run "npm install" and commit package-lock.json'
    : '';
  throw new BuildFailure(`The install command "${command}" failed with exit code ${status}${hint}.`);
}

function hasDependencies(manifest: string): boolean {
  try {
    const { dependencies, devDependencies, optionalDependencies, peerDependencies, workspaces } = JSON.parse(
      readFileSync(manifest, 'utf8'),
    );
    if (workspaces) return true;
    const all = { ...dependencies, ...devDependencies, ...optionalDependencies, ...peerDependencies };
    return Object.keys(all).length > 0;
  } catch {
    // npm says better than we could what is wrong with it.
    return true;
  }
}
