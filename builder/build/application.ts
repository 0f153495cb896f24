import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Job } from '../../providers/builds/builds.ts';
import { clone, type Source } from '../clone.ts';
import { handOver } from '../commands/build-user.ts';
import { type CommandContext, exitOf, gitEnvironment, run } from '../commands/command.ts';
import { checkEngines } from '../engines.ts';
import { BuildFailure } from '../failure.ts';
import type { Cache } from '../install/cache.ts';
import { dependencyKey } from '../install/dependencies.ts';
import { developmentPackages, installedPackages } from '../install/development.ts';
import { finishInstall, type InstallPlan, install, planInstall } from '../install/install.ts';
import { type Manifest, readManifest } from '../install/manifest.ts';
import { withTool } from '../install/tools.ts';
import type { Sections } from '../log/sections.ts';
import { pack } from '../package/archive.ts';
import { collect, packagesAll, RESERVED } from '../package/tree.ts';
import { buildCacheKey, buildCommandOf, frameworkEnvironment } from './frameworks.ts';
import { versionOf } from './node-version.ts';
import { findStartFile } from './start-file.ts';

export interface Build {
  job: Job;
  /** How the application's own commands are run. */
  context: CommandContext;
  sections: Sections;
  /** How git gets in over SSH, where the repository is reached so. */
  ssh: Source['ssh'];
  limits: Source['limits'];
  cache: Cache;
  /** The bundled environment.ts. */
  environmentModule: Buffer;
  /** Hears the commit as soon as it is known. */
  onCommit(commitSha: string): void;
  /** Keeps the artifact. */
  store(artifact: Buffer): Promise<void>;
}

/** A build whose repository is there: what it says of itself. */
interface Opened extends Build {
  commitSha: string;
  manifest: Manifest | undefined;
  plan: InstallPlan;
}

/** Clones, installs, builds and packages. Throws {@link BuildFailure} with what the owner should know. */
export async function buildApplication(build: Build): Promise<void> {
  const { job, sections, cache } = build;
  cache.expect('dependencies');
  if (buildCacheKey(job) !== undefined) cache.expect('build');
  const opened = await sections.run('clone', `Cloning ${job.repoUrl} (branch ${job.branch})`, () => open(build));
  const { command } = opened.plan;
  const context = await sections.run('install', `Installing with Node ${job.nodeVersion}: ${command}`, () =>
    installDependencies(opened),
  );
  const buildCommand = buildCommandOf(job, opened.manifest);
  if (buildCommand !== null) {
    await sections.run('build', `Building: ${buildCommand}`, () => runBuild(opened, context, buildCommand));
  }
  await sections.run('package', 'Packaging', () => packageUp(opened));
}

async function open(build: Build): Promise<Opened> {
  const { job, context, sections, ssh, limits, onCommit } = build;
  const { repoUrl, branch } = job;
  const { directory, user, environment } = context;
  const ours = { ...context, environment: gitEnvironment(process.env), directory: tmpdir(), user: undefined };
  const { commitSha, subject } = await clone({ repoUrl, branch, directory, ssh, limits }, ours);
  onCommit(commitSha);
  sections.note(`${commitSha} ${subject}`);
  if (user) handOver(directory, user);
  const manifest = readManifest(directory);
  if (manifest?.engines.node !== undefined) checkEngines(manifest, versionOf(environment.PATH ?? ''));
  return { ...build, commitSha, manifest, plan: planInstall(job.installCommand, directory, manifest) };
}

/** Installs, or takes over what the last build installed. Returns the context for what comes after. */
async function installDependencies({ job, context, sections, cache, plan, manifest }: Opened): Promise<CommandContext> {
  if (plan.nothing !== undefined) sections.note(`nothing to install: ${plan.nothing}`);
  if (plan.note !== undefined) sections.note(plan.note);
  const { tool } = plan.manager ?? {};
  const equipped = tool === undefined ? context : await withTool(tool, context);
  if (tool !== undefined) sections.note(`with ${tool}`);
  if (plan.nothing !== undefined) return equipped;
  const key = dependencyKey(context.directory, plan, manifest, job.nodeVersion);
  if (key !== undefined && manifest && (await cache.restore('dependencies', key))) {
    sections.note('the lockfile has not changed: dependencies are those of the last build');
    const hasScripts = installedPackages(context.directory).some(([, { hasInstallScript }]) => hasInstallScript);
    await finishInstall(plan, manifest, hasScripts, equipped);
    return equipped;
  }
  await install(plan, equipped);
  if (key !== undefined && existsSync(join(context.directory, 'node_modules'))) await cache.keep('dependencies', key);
  return equipped;
}

async function runBuild({ job, cache }: Opened, context: CommandContext, command: string): Promise<void> {
  const { directory } = context;
  const key = buildCacheKey(job);
  if (key !== undefined) await cache.restore('build', key);
  const environment = { ...frameworkEnvironment(job), ...context.environment };
  const status = await run('sh', ['-c', command], { ...context, environment });
  if (status !== 0) throw new BuildFailure(`The build command "${command}" failed with ${exitOf(status)}.`);
  if (key !== undefined && existsSync(join(directory, '.next/cache'))) void cache.keep('build', key);
}

async function packageUp({ job, context, sections, manifest, commitSha, environmentModule, store }: Opened) {
  const { directory } = context;
  const { file: startFile, from } = findStartFile(directory, job, manifest);
  if (from !== undefined)
    sections.note(`${job.startFile} is not there: starting ${startFile}, the ${from} of package.json`);
  for (const name of RESERVED) {
    if (existsSync(join(directory, name))) sections.note(`${name} is left out: the platform puts its own there`);
  }
  const left = packagesAll(job) ? developmentPackages(directory, manifest) : new Set<string>();
  if (left.size > 0) sections.note(`${left.size} development packages are left out`);
  const items = await collect(directory, job, left);
  const artifact = await pack(items, {
    job: { ...job, startFile },
    environmentModule,
    release: { deploymentId: job.deploymentId, commitSha },
  });
  sections.note(`${items.length} files, ${(artifact.length / 1024 / 1024).toFixed(1)} MB packed`);
  await store(artifact);
}
