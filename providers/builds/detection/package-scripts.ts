import { onePackage, type Packages, type Scripts } from './script-command.ts';
import { type DividedScript, divideStartScript } from './start-script.ts';
import { withoutRunner } from './without-manager.ts';

/** Returns the package's start script, divided, with `prestart`; undefined if there is no start script. */
export function startScriptOf(
  manifest: { scripts: Scripts } | undefined,
  packages: Packages = onePackage(manifest?.scripts ?? {}),
  picksServer = false,
): DividedScript | undefined {
  return divideScript('start', manifest?.scripts ?? {}, packages, picksServer);
}

/** Matches the names of scripts that start an application in production, where its start script is meant for development. */
const PRODUCTION_START = /^start[:_-]?prod(uction)?$/i;
/** Matches other names of such scripts, some of which do more than start it: `prod`, `server:prod`. */
export const PRODUCTION = /^(?:(?:run|serve|server)[:_-]?)?prod(uction)?$/i;

/** Returns the package's script for production, by default such as `start:prod`, and its name; undefined if there is none. */
export function productionScriptOf(
  manifest: { scripts: Scripts } | undefined,
  packages: Packages = onePackage(manifest?.scripts ?? {}),
  names = PRODUCTION_START,
): { name: string; script: DividedScript } | undefined {
  const scripts = manifest?.scripts ?? {};
  const name = Object.keys(scripts).find((script) => names.test(script));
  const script = name === undefined ? undefined : divideScript(name, scripts, packages, false);
  return name === undefined || !script ? undefined : { name, script };
}

/** Returns a script of a package, divided, with the script that npm runs before it; undefined if there is none. */
function divideScript(
  name: string,
  scripts: Scripts,
  packages: Packages,
  picksServer: boolean,
): DividedScript | undefined {
  if (!Object.hasOwn(scripts, name)) return undefined;
  const command = `npm run ${name}`;
  const divided = divideStartScript(command, packages, picksServer);
  if (divided.start.kind !== 'shell' || divided.start.command !== command) return divided;
  // A release has no npm, so a shell runs the script's text.
  const texts = [scripts[`pre${name}`], scripts[name]].filter((text) => text !== undefined);
  return { ...divided, start: { kind: 'shell', command: withoutRunner(texts.join(' && ')) } };
}
