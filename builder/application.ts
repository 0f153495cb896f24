import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Job } from '../providers/builds.ts';
import { pack } from './archive.ts';
import { handOver } from './build-user.ts';
import { clone, type Source } from './clone.ts';
import { type CommandContext, gitEnvironment, run } from './command.ts';
import { BuildFailure } from './failure.ts';
import { install, lacksLockfile, nothingToInstall } from './install.ts';
import type { Sections } from './sections.ts';
import { checkStartFile, collect, developmentPackages, RESERVED } from './tree.ts';

export interface Build {
  job: Job;
  /** How the application's own commands are run. */
  context: CommandContext;
  sections: Sections;
  /** How git gets in over SSH, where the repository is reached so. */
  ssh: Source['ssh'];
  /** The bundled environment.ts. */
  environmentModule: Buffer;
  /** Hears the commit as soon as it is known. */
  onCommit(commitSha: string): void;
  /** Keeps the artifact. */
  store(artifact: Buffer): Promise<void>;
}

/** Clones, installs, builds and packages. Throws {@link BuildFailure} with what the owner should know. */
export async function buildApplication(build: Build): Promise<void> {
  const { job, context, sections } = build;
  let commitSha = '';
  await sections.run('clone', `Cloning ${job.repoUrl} (branch ${job.branch})`, async () => {
    commitSha = await checkOut(build);
  });
  await sections.run('install', `Installing with Node ${job.nodeVersion}: ${job.installCommand}`, async () => {
    const reason = nothingToInstall(job.installCommand, context.directory);
    if (reason !== undefined) return sections.note(`nothing to install: ${reason}`);
    const locked = !lacksLockfile(job.installCommand, context.directory);
    if (!locked) sections.note('there is no package-lock.json: using "npm install"; commit one for builds that repeat');
    await install(locked ? job.installCommand : 'npm install', context);
  });
  const { buildCommand } = job;
  if (buildCommand !== null) {
    await sections.run('build', `Building: ${buildCommand}`, async () => {
      const status = await run('sh', ['-c', buildCommand], context);
      if (status !== 0) throw new BuildFailure(`The build command "${buildCommand}" failed with exit code ${status}.`);
    });
  }
  await sections.run('package', 'Packaging', () => packageUp(build, commitSha));
}

async function checkOut({ job: { repoUrl, branch }, context, sections, ssh, onCommit }: Build): Promise<string> {
  const { directory, user } = context;
  const ours = { ...context, environment: gitEnvironment(process.env), directory: tmpdir(), user: undefined };
  const { commitSha, subject } = await clone({ repoUrl, branch, directory, ssh }, ours);
  onCommit(commitSha);
  sections.note(`${commitSha} ${subject}`);
  if (user) handOver(directory, user);
  return commitSha;
}

async function packageUp(build: Build, commitSha: string): Promise<void> {
  const {
    job,
    context: { directory },
    sections,
    environmentModule,
    store,
  } = build;
  checkStartFile(directory, job);
  for (const name of RESERVED) {
    if (existsSync(join(directory, name))) sections.note(`${name} is left out: the platform puts its own there`);
  }
  const left = developmentPackages(directory).size;
  if (left > 0) sections.note(`${left} development packages are left out`);
  const items = await collect(directory, job);
  const artifact = await pack(items, {
    job,
    environmentModule,
    release: { deploymentId: job.deploymentId, commitSha },
  });
  sections.note(`${items.length} files, ${(artifact.length / 1024 / 1024).toFixed(1)} MB packed`);
  await store(artifact);
}
