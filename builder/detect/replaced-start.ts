import { type DividedScript, lastStart } from '../../providers/builds/detection/start-script.ts';
import { resolveFile } from './files.ts';
import type { BuiltApplication, Start } from './start.ts';

/** Variables that the platform sets, whatever a script assigns. */
const SET_BY_PLATFORM = /^((NITRO_|NUXT_)?(PORT|HOST)|HOSTNAME|NODE_ENV)$/;

/**
 * Returns a warning if a script sets variables for a framework's start, which the server of its build output does not get; otherwise undefined.
 * @param from the script, as the warning names it
 * @param found the start of the release
 */
export function warnOfVariables(
  { variables }: Pick<BuiltApplication['settings'], 'variables'>,
  from: string,
  { start }: DividedScript,
  found: Start,
): string | undefined {
  const set = start.kind === 'framework' && found.kind === 'node' ? Object.keys(start.environment) : [];
  const names = set.filter((name) => !SET_BY_PLATFORM.test(name) && !Object.hasOwn(variables, name));
  if (names.length === 0) return undefined;
  return `warning: the framework's server is started without the variables that the ${from} sets: ${names.join(', ')}. Add them to the application's environment variables.`;
}

/** Returns a warning if a script runs other commands before it starts the server that the start file is; otherwise undefined. */
export function warnOfCommands(app: BuiltApplication, from: string, script: DividedScript): string | undefined {
  const { startFile } = app.settings;
  const last = lastStart(script);
  if (!last || script.start.kind !== 'shell') return undefined;
  const notRun = `warning: "${last.before}" of the ${from} is not run`;
  if (last.start.kind === 'framework' && app.framework?.server?.includes(startFile) === true)
    return `${notRun}: the framework's server is started alone. Add it to the build command.`;
  if (last.start.kind !== 'node' || resolveFile(app, last.start.file) !== startFile) return undefined;
  return `${notRun}: the start file ${startFile} is started alone. To run both, set startCommand to "${script.start.command}".`;
}
