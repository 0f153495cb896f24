import { createHash } from 'node:crypto';
import type { Job } from '../../providers/builds/builds.ts';
import { BuildFailure } from '../failure.ts';
import type { Manifest } from '../install/manifest.ts';

/**
 * Returns environment variables that make a framework build a standalone server unless its configuration says
 * otherwise. The application's own variables override them.
 */
export function frameworkEnvironment({ framework }: Pick<Job, 'framework'>): Record<string, string> {
  switch (framework) {
    case 'NEXTJS':
      // Next.js reads this as `output: 'standalone'` unless next.config sets another output.
      return { NEXT_PRIVATE_STANDALONE: 'true' };
    case 'NUXT':
      return { NITRO_PRESET: 'node-server' };
    default:
      return {};
  }
}

/** The frameworks' build commands, for a package.json without the script that the default build command runs. */
const FRAMEWORK_BUILD_COMMANDS: Partial<Record<Job['framework'], string>> = {
  NEXTJS: 'npx next build',
  NUXT: 'npx nuxt build',
};

/**
 * Returns the build command, or null for none. Throws BuildFailure if the command is a script that package.json lacks.
 */
export function resolveBuildCommand(
  { framework, buildCommand }: Pick<Job, 'framework' | 'buildCommand'>,
  manifest: Manifest | undefined,
): string | null {
  const script = /^(?:npm|pnpm|yarn) run ([\w:.-]+)$/.exec(buildCommand ?? '')?.[1];
  // `constructor` is a property of every object, and no script.
  if (script === undefined || (manifest && Object.hasOwn(manifest.scripts, script))) return buildCommand;
  if (manifest === undefined)
    throw new BuildFailure(`The build command "${buildCommand}" needs a package.json, but the repository has none.`);
  const frameworkCommand = script === 'build' ? FRAMEWORK_BUILD_COMMANDS[framework] : undefined;
  if (frameworkCommand !== undefined) return frameworkCommand;
  throw new BuildFailure(`The build command is "${buildCommand}", but package.json has no script "${script}".`);
}

/**
 * Returns the key of the framework's own build cache, or undefined for none. The framework distinguishes versions of
 * its cache itself.
 */
export const buildCacheKey = ({
  framework,
  nodeVersion,
}: Pick<Job, 'framework' | 'nodeVersion'>): string | undefined =>
  framework === 'NEXTJS'
    ? createHash('sha256')
        .update(JSON.stringify([framework, nodeVersion, process.arch]))
        .digest('hex')
    : undefined;
