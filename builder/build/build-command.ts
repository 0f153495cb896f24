import { createHash } from 'node:crypto';
import { FRAMEWORK_DEFAULTS } from '../../contract/enums.ts';
import type { Job } from '../../providers/builds/builds.ts';
import { type Around, detectBuildCommand, toolBuild } from '../../providers/builds/detection/build-script.ts';
import { type Framework, frameworkOf, namedFramework } from '../../providers/builds/detection/frameworks.ts';
import type { Manifest } from '../../providers/builds/detection/manifest.ts';
import { type CommandSettings, namesCommands } from '../detect/notes.ts';
import { BuildFailure } from '../failure.ts';

type BuildSettings = Pick<Job, 'framework' | 'buildCommand'>;

/** Returns the framework of package.json. Without a package.json, returns the framework of the settings if the owner set commands that build it. */
export function frameworkFor(job: CommandSettings, manifest: Manifest | undefined): Framework | undefined {
  if (manifest) return frameworkOf(manifest);
  return namesCommands(job) ? namedFramework(job.framework) : undefined;
}

/**
 * Returns the build command, or null for none: the owner's command, else the build script of package.json, else the build commands in its
 * Procfile or start script, else the framework's command. Throws BuildFailure if the command is a script that package.json does not have.
 */
export function resolveBuildCommand(
  { framework, buildCommand }: BuildSettings,
  manifest: Manifest | undefined,
  around: Around,
): string | null {
  if (buildCommand === '') return null;
  const detected = manifest && frameworkOf(manifest);
  const isDefault = buildCommand === FRAMEWORK_DEFAULTS[framework].buildCommand;
  if (buildCommand === null || (isDefault && manifest === undefined))
    return detectBuildCommand(manifest, detected, around);
  const script = /^(?:npm|pnpm|yarn) run ([\w:.-]+)$/.exec(buildCommand)?.[1];
  if (script === undefined) return buildCommand;
  if (manifest === undefined) {
    throw new BuildFailure(`The build command "${buildCommand}" needs a package.json, but the repository has none.`);
  }
  // `hasOwn`, because properties such as `constructor` are not scripts.
  if (Object.hasOwn(manifest.scripts, script))
    // The runner replaces npm, which would run nothing if `devEngines` names another package manager.
    return isDefault && script === 'build' ? `${around.runner} run build` : buildCommand;
  if (isDefault && detected !== namedFramework(framework)) return detectBuildCommand(manifest, detected, around);
  const byTool = script === 'build' ? toolBuild(manifest, detected, around) : undefined;
  if (byTool !== undefined) return byTool;
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
