import type { BuiltApplication } from './built-application.ts';
import { tryFindStart } from './start.ts';

/** Scripts that build an application without a build script, in order of precedence. Feathers generates the first one. */
const SCRIPTS = ['compile', 'build:prod', 'build:production'] as const;

/**
 * Returns the build command of an application that was not built and that nothing starts: a script with a usual name. Returns undefined if
 * there is none. It does not run for an application that starts without it.
 */
export function lateBuildCommand(app: BuiltApplication, runner: string): string | undefined {
  const { manifest, buildCommand } = app;
  const script = SCRIPTS.find((name) => manifest && Object.hasOwn(manifest.scripts, name));
  if (script === undefined || buildCommand !== null || tryFindStart(app) !== undefined) return undefined;
  return `${runner} run ${script}`;
}
