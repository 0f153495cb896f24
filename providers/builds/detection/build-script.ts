import type { Framework } from './frameworks.ts';
import type { Manifest } from './manifest.ts';
import { declaredStarts } from './procfile.ts';
import type { Packages } from './script-command.ts';

/** Scripts that build, in order of precedence. Hosts before us run the second one. */
const BUILD_SCRIPTS = ['build', 'heroku-postbuild'] as const;

/**
 * Returns the command that builds an application whose owner set none, or null for none: a build script of package.json,
 * else what its Procfile or start script would build, else the framework's own.
 *
 * @param runner the repository's package manager
 * @param packages those below the application, whose scripts its start script may run; only its own if they are not known
 * @param procfile text of its Procfile, empty if there is none
 */
export function detectBuildCommand(
  manifest: Pick<Manifest, 'scripts'> | undefined,
  framework: Framework | undefined,
  runner: string,
  packages?: Packages,
  procfile = '',
): string | null {
  if (manifest === undefined) return null;
  const script = BUILD_SCRIPTS.find((name) => Object.hasOwn(manifest.scripts, name));
  if (script !== undefined) return `${runner} run ${script}`;
  const building = declaredStarts(manifest, procfile, packages).find(({ build }) => build.length > 0);
  return building?.build.join(' && ') ?? frameworkBuild(framework, runner) ?? null;
}

/**
 * Returns the framework's own build command; undefined if it has none. npm runs nothing beside a package.json whose `devEngines` names
 * another package manager, as `pnpm init` has it.
 */
export const frameworkBuild = (framework: Framework | undefined, runner: string): string | undefined =>
  runner === 'pnpm' ? framework?.build?.replace(/^npx /, 'pnpm exec ') : framework?.build;
