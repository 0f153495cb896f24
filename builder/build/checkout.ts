import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeSupportWarning } from '../../contract/apps/node-support.ts';
import type { Detected } from '../../providers/builds/builds.ts';
import type { Framework } from '../../providers/builds/detection/frameworks.ts';
import type { Manifest } from '../../providers/builds/detection/manifest.ts';
import { chooseNode } from '../../providers/builds/detection/node-version.ts';
import { clone } from '../clone/clone.ts';
import { listFirst } from '../clone/repository.ts';
import { fetchSubmodules } from '../clone/submodules.ts';
import { chownTo } from '../commands/build-user.ts';
import { gitEnvironment } from '../commands/command.ts';
import { type Layout, layoutOf } from '../detect/layout.ts';
import { enginesOfDependencies } from '../detect/locked-engines.ts';
import { nodeRequirementOf } from '../detect/node-requirement.ts';
import {
  assertBuildable,
  assertNoNxProject,
  databaseNotes,
  dockerfileNote,
  processNotes,
  warningsFor,
} from '../detect/notes.ts';
import { packagesBelow } from '../detect/packages.ts';
import { procfileOf } from '../detect/procfile.ts';
import { assertStartableEarly } from '../detect/startable.ts';
import { type InstallPlan, planInstall } from '../install/install.ts';
import { readManifest } from '../install/manifest.ts';
import type { PackageManager } from '../install/package-manager.ts';
import type { Build } from './application.ts';
import { frameworkFor, resolveBuildCommand } from './build-command.ts';

/** A build after its repository was cloned. */
export interface ClonedBuild extends Build {
  commitSha: string;
  /** package.json of the application's directory. */
  manifest: Manifest | undefined;
  framework: Framework | undefined;
  layout: Layout;
  plan: InstallPlan;
  detected: Detected;
}

/** Display names of the settings' frameworks, for applications in which no framework is recognized. */
const NAMES = { NEXTJS: null, NUXT: null, EXPRESS: 'Express', NODE: null } as const;

/** Clones the repository and detects the settings that the owner left out. Throws BuildFailure if the repository cannot be built. */
export async function cloneRepository(build: Build): Promise<ClonedBuild> {
  const commit = await checkOut(build);
  return { ...build, commitSha: commit.commitSha, ...(await detectSettings(build, commit.branch)) };
}

/** Clones the repository with its submodules. Returns the commit, and the branch that has it. */
async function checkOut({ job, context, sections, ssh, limits, onCommit }: Build) {
  const { repoUrl, branch, branchByDefault: orDefaultBranch = false } = job;
  const { directory, user } = context;
  const gitContext = { ...context, environment: gitEnvironment(process.env), directory: tmpdir(), user: undefined };
  const source = { repoUrl, branch, orDefaultBranch, directory, ssh, limits };
  const { commitSha, subject, branch: cloned, submodules } = await clone(source, gitContext);
  onCommit(commitSha);
  if (cloned !== branch) {
    sections.note(`there is no branch ${branch}: using ${cloned}, the default branch of the repository`);
  }
  sections.note(`${commitSha} ${subject}`);
  if (user) chownTo(directory, user);
  if (submodules.length > 0) {
    sections.note(`fetching submodules: ${submodules.length}`);
    const HOME = user ? { HOME: user.home } : {};
    const environment = { ...gitContext.environment, ...HOME };
    const pointers = await fetchSubmodules(submodules, { ...context, environment });
    if (pointers.length > 0)
      sections.note(`warning: submodules keep files in Git LFS (${listFirst(pointers)}), which are not fetched`);
  }
  return { commitSha, branch: cloned };
}

/** Detects the settings that the owner left out. Throws BuildFailure if the repository cannot be built. @param branch the cloned branch */
async function detectSettings(
  build: Build,
  branch: string,
): Promise<Omit<ClonedBuild, keyof Build | 'commitSha'> & Pick<Build, 'context'>> {
  const { job, context, sections, onDetected } = build;
  const { directory } = context;
  const layout = layoutOf(directory, job.rootDirectory);
  const manifest = readManifest(layout.app);
  assertNoNxProject(directory, layout.app, manifest, job);
  assertBuildable(layout.app, manifest, job);
  const rootManifest = layout.install === layout.app ? manifest : readManifest(layout.install);
  const plan = planInstall(job.installCommand, layout.install, rootManifest);
  const engines = enginesOfDependencies(layout, plan.manager?.lockfile, manifest);
  const root = { directory: layout.install, manifest: rootManifest };
  const node = chooseNode(job, nodeRequirementOf(layout.app, directory, manifest, root), engines);
  if (node.note !== undefined) sections.note(node.note);
  const support = nodeSupportWarning(node.version, new Date());
  if (support !== undefined) sections.note(support);
  const environment =
    node.version === job.nodeVersion
      ? context.environment
      : { ...context.environment, PATH: await build.selectNode(node.version) };
  const framework = frameworkFor(job, manifest);
  const packages = packagesBelow(layout.app, manifest);
  const detected: Detected = {
    framework: framework?.name ?? NAMES[job.framework],
    packageManager: plan.manager ? describeManager(plan.manager) : null,
    nodeVersion: node.version,
    buildCommand: resolveBuildCommand(job, manifest, {
      runner: plan.manager?.name ?? 'npm',
      packages,
      procfile: procfileOf(layout.app),
      root: rootManifest,
      isRoot: layout.install === layout.app,
      hasFile: (name) => existsSync(join(layout.install, name)),
    }),
    ...(branch === job.branch ? {} : { branch }),
  };
  onDetected(detected);
  assertStartableEarly({
    directory: layout.app,
    repository: layout.packaged,
    settings: job,
    manifest,
    framework,
    buildCommand: detected.buildCommand,
  });
  const notes = [
    ...dockerfileNote(layout.app, framework),
    ...processNotes(procfileOf(layout.app)),
    ...databaseNotes(job),
    ...(manifest ? warningsFor(manifest) : []),
  ];
  for (const note of notes) sections.note(note);
  return { manifest, framework, layout, plan, detected, context: { ...context, environment } };
}

/** Names a package manager with its major version, if it is known: `pnpm 10`. */
const describeManager = ({ name, tool }: PackageManager): string => {
  const major = /@(\d+)[^@/]*$/.exec(tool ?? '')?.[1];
  return major === undefined ? name : `${name} ${major}`;
};
