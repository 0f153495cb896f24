import { existsSync } from 'node:fs';
import { delimiter, join, relative } from 'node:path';
import { FRAMEWORK_DEFAULTS } from '../../contract/enums.ts';
import type { Detected, Job } from '../../providers/builds/builds.ts';
import { PACKAGE_MANAGERS } from '../../providers/builds/detection/programs.ts';
import { missingVariableAdvice } from '../../providers/builds/missing-variables.ts';
import type { Source } from '../clone/clone.ts';
import { type CommandContext, describeExit, run, withTail } from '../commands/command.ts';
import type { BuiltApplication } from '../detect/built-application.ts';
import { describeStart } from '../detect/describe-start.ts';
import type { Start } from '../detect/existing-start.ts';
import { lateBuildCommand } from '../detect/late-build.ts';
import { withoutPreloads } from '../detect/node-options.ts';
import { siteWarnings } from '../detect/notes.ts';
import { monorepoBuild, usedBuiltPackages, workspaceBuild } from '../detect/packages.ts';
import { type FoundStart, findStart } from '../detect/start.ts';
import { assertStartable } from '../detect/startable.ts';
import { BuildFailure } from '../failure.ts';
import type { Cache } from '../install/cache.ts';
import { dependencyKey } from '../install/dependencies.ts';
import { developmentPackages, unreachedPackages } from '../install/development.ts';
import { finishInstall, install } from '../install/install.ts';
import { withTool } from '../install/tools.ts';
import type { Sections } from '../log/sections.ts';
import { pack, type RuntimeModules } from '../package/archive.ts';
import { importedPackages } from '../package/imports.ts';
import { neededPackages } from '../package/needed.ts';
import { fits, withoutDescriptions } from '../package/size.ts';
import { assertUnreserved, collect, isWholeTreePackaged, RESERVED } from '../package/tree.ts';
import { unneededPaths } from '../package/unneeded.ts';
import { buildCacheKey } from './build-command.ts';
import { buildFailureAdvice, codeAdvice, databaseAdvice, missingGeneratedCode } from './build-failures.ts';
import { type ClonedBuild, cloneRepository } from './checkout.ts';

export interface Build {
  job: Job;
  /** Runs the application's own commands. */
  context: CommandContext;
  sections: Sections;
  /** SSH access for Git; undefined unless the repository uses SSH. */
  ssh: Source['ssh'];
  limits: Source['limits'];
  cache: Cache;
  modules: RuntimeModules;
  /** Installs a major version of Node and returns the PATH with it in first place. */
  selectNode(major: string): Promise<string>;
  /** Called with the commit's hash as soon as it is known. */
  onCommit(commitSha: string): void;
  /** Called with the findings in the repository, and again when more is known. */
  onDetected(detected: Detected): void;
  /** Stores the artifact. */
  store(artifact: Buffer): Promise<void>;
}

/** Clones, installs, builds and packages. Throws {@link BuildFailure} with a message for the application's owner. */
export async function buildApplication(build: Build): Promise<void> {
  const { job, sections, cache } = build;
  cache.expect('dependencies');
  if (buildCacheKey(job) !== undefined) cache.expect('build');
  const cloned = await sections.run('clone', `Cloning ${job.repoUrl} (branch ${job.branch})`, () =>
    cloneRepository(build),
  );
  const { plan, detected } = cloned;
  const context = await sections.run('install', `Installing with Node ${detected.nodeVersion}: ${plan.command}`, () =>
    installDependencies(cloned),
  );
  let { buildCommand: built } = detected;
  const buildCommand = built ?? lateBuild(cloned);
  if (buildCommand !== undefined) {
    built = await sections.run('build', `Building: ${buildCommand}`, () => runBuild(cloned, context, buildCommand));
  }
  await sections.run('package', 'Packaging', () => packageApplication(cloned, built));
}

/** Restores the caches of earlier builds, and installs dependencies unless they were restored. Returns the command context of the next steps. */
async function installDependencies(cloned: ClonedBuild): Promise<CommandContext> {
  const { context, sections, cache, plan, manifest, layout, detected } = cloned;
  if (plan.nothing !== undefined) sections.note(`Nothing to install: ${plan.nothing}`);
  if (plan.note !== undefined) sections.note(plan.note);
  const { tool } = plan.manager ?? {};
  const { NODE_OPTIONS } = context.environment;
  // Modules that Node would preload are perhaps not installed yet.
  const installOptions = NODE_OPTIONS === undefined ? {} : { NODE_OPTIONS: withoutPreloads(NODE_OPTIONS) };
  const environment = { ...context.environment, ...installOptions };
  const installContext = { ...context, environment, directory: layout.install };
  const toolContext = tool === undefined ? installContext : await withTool(tool, installContext);
  const nextOptions = NODE_OPTIONS === undefined ? {} : { NODE_OPTIONS };
  const nextContext = { ...toolContext, environment: { ...toolContext.environment, ...nextOptions } };
  if (tool !== undefined) sections.note(`using ${tool}`);
  // Only applications in the repository's root directory use the cache.
  const isRoot = layout.install === context.directory && layout.app === context.directory;
  const key = isRoot ? dependencyKey(layout.install, plan, manifest, detected.nodeVersion) : undefined;
  // Both caches are restored before any command of the owner runs: a command that deletes `.next` or builds would find half of its cache.
  const [isRestored] = await Promise.all([
    key !== undefined && cache.restore('dependencies', key),
    restoreBuildCache(cloned),
  ]);
  if (plan.nothing !== undefined) return nextContext;
  const explain = (printed: string) =>
    databaseAdvice(printed, cloned.job) || missingVariableAdvice(printed) || codeAdvice(printed);
  if (isRestored && manifest) {
    sections.note('the lockfile has not changed: restored the dependencies of an earlier build');
    await finishInstall(plan, manifest, toolContext, explain);
    return nextContext;
  }
  await install(plan, toolContext, explain);
  if (key !== undefined && existsSync(join(layout.install, 'node_modules'))) await cache.keep('dependencies', key);
  return nextContext;
}

/** Returns the cache key of the build command's output; undefined if nothing is cached. */
const buildKey = ({ job, layout, detected, context: { directory } }: ClonedBuild): string | undefined =>
  layout.app === directory ? buildCacheKey({ ...job, nodeVersion: detected.nodeVersion }) : undefined;

/** Restores the cache of the build command from an earlier build. Never throws. */
async function restoreBuildCache(cloned: ClonedBuild): Promise<void> {
  const key = buildKey(cloned);
  if (key !== undefined && cloned.detected.buildCommand !== null) await cloned.cache.restore('build', key);
}

/** Returns true if the owner did not choose the build command. */
const hasDefaultBuild = ({ buildCommand, framework }: Job): boolean =>
  buildCommand === null || buildCommand === FRAMEWORK_DEFAULTS[framework].buildCommand;

/** Matches a build command that runs the tool of a monorepo itself. */
const RUNS_TOOL = /\b(turbo|nx)\b/;

/**
 * Returns the command that builds the application after the packages of its repository that it uses: that of the monorepo's tool, or else of
 * the package manager. Returns undefined if there is none, or if the command that failed runs it already, perhaps after another one.
 */
function wholeBuild({ layout, manifest, plan }: ClonedBuild, command: string): string | undefined {
  if (layout.packaged === layout.app || RUNS_TOOL.test(command)) return undefined;
  const whole =
    monorepoBuild(layout.packaged, layout.app, manifest) ??
    workspaceBuild(layout.packaged, manifest, plan.manager?.name ?? 'npm');
  return whole !== undefined && command.endsWith(whole) ? undefined : whole;
}

/** As {@link wholeBuild}, if a package needs to be built first, the program is installed, and the owner did not choose the command that failed. */
function nextBuild(cloned: ClonedBuild, command: string): string | undefined {
  const { job, layout, manifest } = cloned;
  const whole = wholeBuild(cloned, command)?.replace(/^npx /, '');
  const [tool = ''] = whole?.split(' ') ?? [];
  const isInstalled = PACKAGE_MANAGERS.test(tool) || existsSync(join(layout.install, 'node_modules/.bin', tool));
  if (!hasDefaultBuild(job) || !isInstalled) return undefined;
  return usedBuiltPackages(layout.packaged, manifest).length > 0 ? whole : undefined;
}

/** Runs the build command. Returns the command that built the application, which may be that of the monorepo's tool. */
async function runBuild(cloned: ClonedBuild, context: CommandContext, command: string): Promise<string> {
  const { cache, layout, framework, manifest, sections } = cloned;
  // Commands other than scripts also find the programs of packages. The relative path comes first, so that `cd` takes effect.
  const programs = ['', layout.app, layout.install].map((base) => join(base, 'node_modules', '.bin'));
  const PATH = [context.environment.PATH, ...new Set(programs)].join(delimiter);
  const environment = { ...framework?.environment, ...context.environment, PATH };
  const { context: tailContext, tail } = withTail({ ...context, environment, directory: layout.app });
  const status = await run('sh', ['-c', command], tailContext);
  if (status !== 0) {
    const printed = tail();
    const generated = missingGeneratedCode(printed, command, manifest);
    if (generated !== undefined && hasDefaultBuild(cloned.job)) {
      sections.note(`the build needs ${generated.name}, which is generated. Building again: ${generated.command}`);
      return runBuild(cloned, context, generated.command);
    }
    const next = nextBuild(cloned, command);
    if (next !== undefined) {
      sections.note(`the application uses packages of the repository that are built first. Building again: ${next}`);
      return runBuild(cloned, context, next);
    }
    const whole = wholeBuild(cloned, command);
    const advice =
      whole === undefined
        ? ''
        : ` If it needs other packages of the repository to be built first, set the build command to "${whole}".`;
    const cause =
      (generated && ` ${generated.name} was not generated: set the build command to "${generated.command}".`) ||
      databaseAdvice(printed, cloned.job) ||
      missingVariableAdvice(printed) ||
      buildFailureAdvice(printed, command);
    throw new BuildFailure(
      `The build command "${command}" failed with ${describeExit(status, printed)}.${cause}${advice}`,
    );
  }
  const key = buildKey(cloned);
  if (key !== undefined && existsSync(join(layout.app, '.next/cache'))) cache.keepAtEnd('build', key);
  return command;
}

/** Returns the application, in which a start is looked for. @param buildCommand the command that built it; null if none did */
const builtApplication = (
  { job, layout, manifest, framework }: ClonedBuild,
  buildCommand: string | null,
): BuiltApplication => ({
  directory: layout.app,
  repository: layout.packaged,
  settings: job,
  manifest,
  framework,
  buildCommand,
});

/** Returns the command that builds an application without a build script, if nothing starts it otherwise and the owner did not choose that. */
const lateBuild = (cloned: ClonedBuild): string | undefined =>
  hasDefaultBuild(cloned.job)
    ? lateBuildCommand(builtApplication(cloned, null), cloned.plan.manager?.name ?? 'npm')
    : undefined;

/** Returns the paths of the development packages that are not packaged, and notes which ones the start needs. */
function excludedPackages({ layout, manifest, sections }: ClonedBuild, start: Start): ReadonlySet<string> {
  const { app, packaged } = layout;
  const imported = importedPackages(start, app, manifest?.devDependencies);
  if (imported.length > 0)
    sections.note(`development packages that the server imports are kept: ${imported.join(', ')}`);
  const development = developmentPackages(packaged, manifest, imported);
  const needed = neededPackages(start, app, packaged, manifest, development);
  if (needed.length > 0) {
    sections.note(`development packages are kept, because the start needs ${needed.join(', ')}`);
    return new Set();
  }
  if (development.size > 0) sections.note(`development packages left out: ${development.size}`);
  return development;
}

async function packageApplication(cloned: ClonedBuild, buildCommand: string | null) {
  const { job, context, sections, manifest, layout, detected, commitSha, modules, onDetected, store } = cloned;
  const { app, packaged } = layout;
  const found = findStart(builtApplication(cloned, buildCommand));
  const { start } = found;
  onDetected({ ...detected, buildCommand, start: describeStart(start) });
  sections.note(summarize(detected, found));
  if (found.warning !== undefined) sections.note(found.warning);
  const warnings = start.kind === 'site' ? siteWarnings(join(app, start.directory)) : [];
  for (const warning of warnings) sections.note(warning);
  for (const name of RESERVED) {
    if (existsSync(join(packaged, name))) sections.note(`${name} is left out: the platform adds a file of that name`);
  }
  const directory = relative(packaged, app).replaceAll('\\', '/');
  assertStartable(start, app, packaged, manifest);
  assertUnreserved(start, directory, packaged);
  const isWhole = isWholeTreePackaged(start, directory);
  const excluded = isWhole ? excludedPackages(cloned, start) : new Set<string>();
  const unneeded = isWhole ? unneededPaths(start, directory, packaged) : [];
  const leftOut = new Set([...excluded, ...unneeded]);
  const collectWithout = (paths: ReadonlySet<string>) => collect(packaged, start, directory, paths, context.directory);
  let items = await collectWithout(leftOut);
  if (isWhole && !fits(items)) {
    const smaller = withoutDescriptions(items, start);
    if (smaller.length < items.length)
      sections.note('too large: leaving out the source maps and type declarations of packages');
    items = smaller;
  }
  if (isWhole && app !== packaged && !fits(items)) {
    const unreached = unreachedPackages(packaged, app, manifest, describeStart(start));
    if (unreached.size > 0) {
      sections.note(
        `too large with all packages of the repository: leaving out the packages that ${directory} does not need`,
      );
      items = withoutDescriptions(await collectWithout(new Set([...leftOut, ...unreached])), start);
    }
  }
  const artifact = await pack(items, {
    job,
    start,
    directory,
    modules,
    release: { deploymentId: job.deploymentId, commitSha },
  });
  sections.note(`packed ${(artifact.length / 1024 / 1024).toFixed(1)} MB, files: ${items.length}`);
  await store(artifact);
}

/** Returns the summary line of the detection: `Detected Express, pnpm 10, start: node dist/index.js (start script)`. */
function summarize({ framework, packageManager }: Detected, { start, from }: FoundStart): string {
  const parts = [framework ?? 'Node.js', ...(packageManager === null ? [] : [packageManager])];
  return `Detected ${parts.join(', ')}, start: ${describeStart(start)}${from === undefined ? '' : ` (${from})`}`;
}
