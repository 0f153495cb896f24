import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Job } from '../../providers/builds/builds.ts';
import { clone, type Source } from '../clone/clone.ts';
import { chownTo } from '../commands/build-user.ts';
import { type CommandContext, describeExit, gitEnvironment, run, withTail } from '../commands/command.ts';
import { BuildFailure } from '../failure.ts';
import type { Cache } from '../install/cache.ts';
import { dependencyKey } from '../install/dependencies.ts';
import { developmentPackages, installedPackages } from '../install/development.ts';
import { finishInstall, type InstallPlan, install, planInstall } from '../install/install.ts';
import { type Manifest, readManifest } from '../install/manifest.ts';
import { withTool } from '../install/tools.ts';
import type { Sections } from '../log/sections.ts';
import { pack } from '../package/archive.ts';
import { collect, isWholeTreePackaged, RESERVED } from '../package/tree.ts';
import { checkEngines } from './engines.ts';
import { buildCacheKey, frameworkEnvironment, resolveBuildCommand } from './frameworks.ts';
import { readNodeVersion } from './node-version.ts';
import { findStartFile } from './start-file.ts';

export interface Build {
  job: Job;
  /** Runs the application's own commands. */
  context: CommandContext;
  sections: Sections;
  /** SSH access for git; undefined unless the repository is reached over SSH. */
  ssh: Source['ssh'];
  limits: Source['limits'];
  cache: Cache;
  /** The bundled environment.ts. */
  environmentModule: Buffer;
  /** Called with the commit's hash as soon as it is known. */
  onCommit(commitSha: string): void;
  /** Stores the artifact. */
  store(artifact: Buffer): Promise<void>;
}

/** A build after its repository was cloned. */
interface ClonedBuild extends Build {
  commitSha: string;
  manifest: Manifest | undefined;
  plan: InstallPlan;
}

/** Clones, installs, builds and packages. Throws {@link BuildFailure} with a message for the application's owner. */
export async function buildApplication(build: Build): Promise<void> {
  const { job, sections, cache } = build;
  cache.expect('dependencies');
  if (buildCacheKey(job) !== undefined) cache.expect('build');
  const cloned = await sections.run('clone', `Cloning ${job.repoUrl} (branch ${job.branch})`, () =>
    cloneRepository(build),
  );
  const { command } = cloned.plan;
  const context = await sections.run('install', `Installing with Node ${job.nodeVersion}: ${command}`, () =>
    installDependencies(cloned),
  );
  const buildCommand = resolveBuildCommand(job, cloned.manifest);
  if (buildCommand !== null) {
    await sections.run('build', `Building: ${buildCommand}`, () => runBuild(cloned, context, buildCommand));
  }
  await sections.run('package', 'Packaging', () => packageApplication(cloned));
}

async function cloneRepository(build: Build): Promise<ClonedBuild> {
  const { job, context, sections, ssh, limits, onCommit } = build;
  const { repoUrl, branch } = job;
  const { directory, user, environment } = context;
  const gitContext = { ...context, environment: gitEnvironment(process.env), directory: tmpdir(), user: undefined };
  const { commitSha, subject } = await clone({ repoUrl, branch, directory, ssh, limits }, gitContext);
  onCommit(commitSha);
  sections.note(`${commitSha} ${subject}`);
  if (user) chownTo(directory, user);
  const manifest = readManifest(directory);
  if (manifest?.engines.node !== undefined) checkEngines(manifest, readNodeVersion(environment.PATH ?? ''));
  return { ...build, commitSha, manifest, plan: planInstall(job.installCommand, directory, manifest) };
}

/** Installs dependencies or restores those of an earlier build. Returns the command context of the following steps. */
async function installDependencies({
  job,
  context,
  sections,
  cache,
  plan,
  manifest,
}: ClonedBuild): Promise<CommandContext> {
  if (plan.nothing !== undefined) sections.note(`Nothing to install: ${plan.nothing}`);
  if (plan.note !== undefined) sections.note(plan.note);
  const { tool } = plan.manager ?? {};
  const toolContext = tool === undefined ? context : await withTool(tool, context);
  if (tool !== undefined) sections.note(`using ${tool}`);
  if (plan.nothing !== undefined) return toolContext;
  const key = dependencyKey(context.directory, plan, manifest, job.nodeVersion);
  if (key !== undefined && manifest && (await cache.restore('dependencies', key))) {
    sections.note('the lockfile has not changed: restored the dependencies of an earlier build');
    const hasScripts = installedPackages(context.directory).some(([, { hasInstallScript }]) => hasInstallScript);
    await finishInstall(plan, manifest, hasScripts, toolContext);
    return toolContext;
  }
  await install(plan, toolContext);
  if (key !== undefined && existsSync(join(context.directory, 'node_modules'))) await cache.keep('dependencies', key);
  return toolContext;
}

async function runBuild({ job, cache }: ClonedBuild, context: CommandContext, command: string): Promise<void> {
  const { directory } = context;
  const key = buildCacheKey(job);
  if (key !== undefined) await cache.restore('build', key);
  const environment = { ...frameworkEnvironment(job), ...context.environment };
  const { context: observed, tail } = withTail({ ...context, environment });
  const status = await run('sh', ['-c', command], observed);
  if (status !== 0)
    throw new BuildFailure(`The build command "${command}" failed with ${describeExit(status, tail())}.`);
  if (key !== undefined && existsSync(join(directory, '.next/cache'))) void cache.keep('build', key);
}

async function packageApplication({
  job,
  context,
  sections,
  manifest,
  commitSha,
  environmentModule,
  store,
}: ClonedBuild) {
  const { directory } = context;
  const { file: startFile, from } = findStartFile(directory, job, manifest);
  if (from !== undefined)
    sections.note(`${job.startFile} does not exist: starting ${startFile}, the ${from} of package.json`);
  for (const name of RESERVED) {
    if (existsSync(join(directory, name))) sections.note(`${name} is left out: the platform adds a file of that name`);
  }
  const excluded = isWholeTreePackaged(job) ? developmentPackages(directory, manifest) : new Set<string>();
  if (excluded.size > 0) sections.note(`${excluded.size} development packages are left out`);
  const items = await collect(directory, job, excluded);
  const artifact = await pack(items, {
    job: { ...job, startFile },
    environmentModule,
    release: { deploymentId: job.deploymentId, commitSha },
  });
  sections.note(`${items.length} files, ${(artifact.length / 1024 / 1024).toFixed(1)} MB packed`);
  await store(artifact);
}
