import { entryOf } from '../../../contract/enums.ts';
import type { Framework } from './frameworks.ts';
import type { Manifest } from './manifest.ts';
import { declaredStarts } from './procfile.ts';
import type { Packages } from './script-command.ts';

/** Commands that run a package's program, by package manager; `npx` for the others. */
const RUNS_PACKAGES: Readonly<Record<string, string>> = { pnpm: 'pnpm exec ', bun: 'bunx ' };
/** Build scripts, in order of precedence. The second one is known from other hosts. */
const BUILD_SCRIPTS = ['build', 'heroku-postbuild'] as const;

/** The surroundings of an application on which its build depends, beside its own package.json. */
export interface Around {
  /** The repository's package manager. */
  runner: string;
  /** The packages whose scripts the start script may run. Default: only the application's own package. */
  packages?: Packages;
  /** Text of the application's Procfile, empty if there is none. */
  procfile?: string;
  /** package.json of the directory with which the application is installed: its own, or that of its repository. */
  root?: Dependencies | undefined;
  /** True if the application is in that directory. */
  isRoot?: boolean;
  /** Returns true for a file of that directory. */
  hasFile?(name: string): boolean;
}

type Dependencies = Partial<Pick<Manifest, 'dependencies' | 'devDependencies'>>;
type Fields = Pick<Manifest, 'scripts'> & Partial<Pick<Manifest, 'name'>> & Dependencies;

/** Returns true if a package.json names a dependency. */
const names = (manifest: Dependencies | undefined, name: string) =>
  [manifest?.dependencies, manifest?.devDependencies].some((packages) => packages && Object.hasOwn(packages, name));

/** Returns a command of npx for another package manager. npm runs nothing in a package whose `devEngines` names another one. */
const withRunner = (command: string | undefined, runner: string): string | undefined =>
  command?.replace(/^npx /, entryOf(RUNS_PACKAGES, runner) ?? 'npx ');

/**
 * Returns the build command of an application whose owner set none: the build script of package.json, else the build commands in its
 * Procfile or start script, else {@link toolBuild}. Returns null if there is none of these.
 */
export function detectBuildCommand(
  manifest: Fields | undefined,
  framework: Framework | undefined,
  around: Around,
): string | null {
  const { runner, packages, procfile = '' } = around;
  if (manifest === undefined) return null;
  const script = BUILD_SCRIPTS.find((name) => Object.hasOwn(manifest.scripts, name));
  if (script !== undefined) return `${runner} run ${script}`;
  const start = declaredStarts(manifest, procfile, packages).find(({ build }) => build.length > 0);
  return start?.build.join(' && ') ?? toolBuild(manifest, framework, around) ?? null;
}

/**
 * Returns the build command of a package without a build script: that of Nx in the root of its workspace, else the framework's, else that of
 * Nx for a package of the workspace. Returns undefined if there is none. Nx passes over packages that it cannot build.
 */
export function toolBuild(
  manifest: Fields,
  framework: Framework | undefined,
  { runner, root = manifest, isRoot = true, hasFile = () => false }: Around,
): string | undefined {
  const isNx = hasFile('nx.json') && names(root, 'nx');
  if (isNx && isRoot) return withRunner('npx nx run-many -t build', runner);
  const { build, builder } = framework ?? {};
  const isProvided = builder === undefined || names(manifest, builder) || names(root, builder);
  if (build !== undefined && isProvided) return withRunner(build, runner);
  return isNx && manifest.name !== undefined
    ? withRunner(`npx nx run-many -t build -p ${manifest.name}`, runner)
    : undefined;
}
