import { posix } from 'node:path';
import { parseCommandLine, within } from '../../providers/builds/detection/command-line.ts';
import { runsAtOnce } from '../../providers/builds/detection/parallel.ts';
import { type DividedScript, lastStart } from '../../providers/builds/detection/start-script.ts';
import { unwrap } from '../../providers/builds/detection/unwrap.ts';
import type { BuiltApplication } from './built-application.ts';
import { describeStart } from './describe-start.ts';
import type { Start } from './existing-start.ts';
import { resolveFile } from './files.ts';

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

/** A start that a script or Procfile declares, and the start of the release to which it leads, if that exists. */
export interface Declared {
  from: string;
  script: DividedScript | undefined;
  start: Start | undefined;
}

/** Returns a warning if a script runs other commands before it starts the server that the start file is; otherwise undefined. */
export function warnOfCommands(app: BuiltApplication, { from, script }: Declared): string | undefined {
  const { startFile } = app.settings;
  const last = script && lastStart(script);
  if (!last || script.start.kind !== 'shell') return undefined;
  const notRun = `warning: "${last.before}" of the ${from} is not run`;
  if (last.start.kind === 'framework' && app.framework?.server?.includes(startFile) === true)
    return `${notRun}: the framework's server is started alone. Add it to the build command.`;
  if (last.start.kind !== 'node' || resolveFile(app, last.start.file) !== startFile) return undefined;
  return `${notRun}: the start file ${startFile} is started alone. To run both, set startCommand to "${script.start.command}".`;
}

/** Returns a warning if the start script runs several programs at the same time, of which a release starts one; otherwise undefined. */
export function warnOfParallel({ manifest }: BuiltApplication, found: Start): string | undefined {
  const command = parseCommandLine(manifest?.scripts.start ?? '')?.at(-1);
  const line = command && unwrap(command).words.map(({ text }) => text);
  if (line === undefined || !runsAtOnce(line.join(' '))) return undefined;
  return `warning: of the programs that the start script runs at the same time, a release starts one: ${describeStart(found)}. To start another, set startCommand.`;
}

/** Returns a warning if the default start file is started instead of another file or program that a script names; otherwise undefined. */
export function warnOfReplaced(
  { settings: { startFile }, framework }: BuiltApplication,
  { from, script, start }: Declared,
): string | undefined {
  if (!script || !start || script.start.kind === 'framework') return undefined;
  const file = start.kind === 'node' ? posix.join(start.directory, start.file) : '';
  const isFrameworks = framework?.server?.includes(startFile) === true && /(^|\/)node_modules\//.test(file);
  if (file === startFile || isFrameworks) return undefined;
  const directory = start.kind === 'site' ? '' : start.directory;
  const command =
    start.kind === 'site' ? `serve ${start.directory || '.'}` : describeStart({ ...start, directory: '' });
  return `warning: the ${from} is not run, because the start file ${startFile} exists. To run it instead, set startCommand to "${within(directory, command)}".`;
}
