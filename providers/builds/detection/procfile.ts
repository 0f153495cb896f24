import { startScriptOf } from './package-scripts.ts';
import { onePackage, type Packages, type Scripts } from './script-command.ts';
import { type DividedScript, divideStartScript } from './start-script.ts';

/**
 * Returns the commands of a Procfile (https://devcenter.heroku.com/articles/procfile) by process name, such as `web` of `web: node server.js`.
 */
export function parseProcfile(text: string): { web?: string; worker?: string; release?: string } {
  const processes = text.split('\n').flatMap((line) => {
    const [, name = '', rest = ''] = /^\s*([\w-]+)\s*:(.*)$/s.exec(line) ?? [];
    const command = rest.trim();
    return command === '' ? [] : [[name, command] as const];
  });
  return Object.fromEntries(processes);
}

/**
 * Returns the starts of a Procfile's `web` and of the start script, in order of precedence. A Procfile command that only a shell can run,
 * such as a script of another host's image, comes after the start script.
 */
export const inPrecedence = <Declared extends { start: { kind: string } }>(
  process: Declared | undefined,
  script: Declared | undefined,
): Declared[] =>
  (process?.start.kind === 'shell' ? [script, process] : [process, script]).filter((start) => start !== undefined);

/**
 * Returns the commands that a Procfile and package.json declare, in order of precedence.
 * @param procfile text of the Procfile, empty if there is none
 * @param picksServer as for {@link divideStartScript}
 */
export function declaredStarts(
  manifest: { scripts: Scripts },
  procfile: string,
  packages: Packages = onePackage(manifest.scripts),
  picksServer = false,
): DividedScript[] {
  const { web } = parseProcfile(procfile);
  const process = web === undefined ? undefined : divideStartScript(web, packages, picksServer);
  return inPrecedence(process, startScriptOf(manifest, packages, picksServer));
}
