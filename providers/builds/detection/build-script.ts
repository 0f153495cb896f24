import { entryOf } from '../../../contract/enums.ts';
import type { Framework } from './frameworks.ts';
import type { Manifest } from './manifest.ts';
import { declaredStarts } from './procfile.ts';
import type { Packages } from './script-command.ts';

/** Commands that run a package's program, by package manager; `npx` for the others. */
const RUNS_PACKAGES: Readonly<Record<string, string>> = { pnpm: 'pnpm exec ', bun: 'bunx ' };
/** Build scripts, in order of precedence. The second one is known from other hosts. */
const BUILD_SCRIPTS = ['build', 'heroku-postbuild'] as const;

/**
 * Returns the build command of an application whose owner set none: the build script of package.json, else the build commands in its
 * Procfile or start script, else the framework's build command. Returns null if there is none of these.
 *
 * @param runner the repository's package manager
 * @param packages the packages whose scripts the start script may run; by default only the application's own package
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
  const start = declaredStarts(manifest, procfile, packages).find(({ build }) => build.length > 0);
  return start?.build.join(' && ') ?? frameworkBuild(framework, runner) ?? null;
}

/**
 * Returns the framework's build command; undefined if it has none. It must not use `npx` with other package managers: npm runs nothing in a
 * package whose `devEngines` names another one, and `pnpm init` writes that.
 */
export const frameworkBuild = (framework: Framework | undefined, runner: string): string | undefined =>
  framework?.build?.replace(/^npx /, entryOf(RUNS_PACKAGES, runner) ?? 'npx ');
