import type { Framework } from './frameworks.ts';
import type { Manifest } from './manifest.ts';
import type { Packages } from './script-command.ts';
import { startScriptOf } from './start-script.ts';

/** Scripts that build, in order of precedence. Hosts before us run the second one. */
const BUILD_SCRIPTS = ['build', 'heroku-postbuild'] as const;

/**
 * Returns the command that builds an application whose owner set none, or null for none: a build script of package.json,
 * else what its start script would build, else the framework's own.
 *
 * @param runner the repository's package manager
 * @param packages those below the application, whose scripts its start script may run; only its own if they are not known
 */
export function detectBuildCommand(
  manifest: Pick<Manifest, 'scripts'> | undefined,
  framework: Framework | undefined,
  runner: string,
  packages?: Packages,
): string | null {
  if (manifest === undefined) return null;
  const script = BUILD_SCRIPTS.find((name) => Object.hasOwn(manifest.scripts, name));
  if (script !== undefined) return `${runner} run ${script}`;
  const fromStart = startScriptOf(manifest, packages)?.build ?? [];
  if (fromStart.length > 0) return fromStart.join(' && ');
  return framework?.build ?? null;
}
