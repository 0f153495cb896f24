import { createHash } from 'node:crypto';
import type { Job } from '../../providers/builds/builds.ts';
import { BuildFailure } from '../failure.ts';
import type { Manifest } from '../install/manifest.ts';

/**
 * What a build needs to be told so that a framework makes what can be hosted: a server of its own, whatever its
 * configuration leaves open. The application's variables come before these.
 */
export function frameworkEnvironment({ framework }: Pick<Job, 'framework'>): Record<string, string> {
  switch (framework) {
    case 'NEXTJS':
      // Next.js takes it for `output: 'standalone'`, where next.config does not say otherwise.
      return { NEXT_PRIVATE_STANDALONE: 'true' };
    case 'NUXT':
      return { NITRO_PRESET: 'node-server' };
    default:
      return {};
  }
}

/** The frameworks' own commands, for a package.json without the script that their defaults run. */
const OWN_BUILD: Partial<Record<Job['framework'], string>> = { NEXTJS: 'npx next build', NUXT: 'npx nuxt build' };

/** The command that builds. Throws where it is a script that is not there. */
export function buildCommandOf(
  { framework, buildCommand }: Pick<Job, 'framework' | 'buildCommand'>,
  manifest: Manifest | undefined,
): string | null {
  const script = /^(?:npm|pnpm|yarn) run ([\w:.-]+)$/.exec(buildCommand ?? '')?.[1];
  if (script === undefined || manifest?.scripts[script] !== undefined) return buildCommand;
  if (manifest === undefined)
    throw new BuildFailure(`The build command "${buildCommand}" needs a package.json, and the repository has none.`);
  const own = script === 'build' ? OWN_BUILD[framework] : undefined;
  if (own !== undefined) return own;
  throw new BuildFailure(`The build command is "${buildCommand}", and package.json has no script "${script}".`);
}

/** Under which key the framework's own cache is kept for the next build; it tells its versions apart itself. */
export const buildCacheKey = ({
  framework,
  nodeVersion,
}: Pick<Job, 'framework' | 'nodeVersion'>): string | undefined =>
  framework === 'NEXTJS'
    ? createHash('sha256')
        .update(JSON.stringify([framework, nodeVersion, process.arch]))
        .digest('hex')
    : undefined;
