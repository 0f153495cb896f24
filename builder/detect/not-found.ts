import { existsSync, globSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import { FRAMEWORK_DEFAULTS } from '../../contract/enums.ts';
import { quoteWord } from '../../providers/builds/detection/command-line.ts';
import { namedFramework } from '../../providers/builds/detection/frameworks.ts';
import { productionScriptOf } from '../../providers/builds/detection/package-scripts.ts';
import { runsAtOnce } from '../../providers/builds/detection/parallel.ts';
import { type DividedScript, divideStartScript } from '../../providers/builds/detection/start-script.ts';
import { BuildFailure } from '../failure.ts';
import type { BuiltApplication } from './built-application.ts';
import { builtServers, isMonorepoRoot, nestServer } from './built-servers.ts';
import { ECOSYSTEM } from './ecosystem.ts';
import { frameworkOutput } from './existing-start.ts';
import { BUILDS_NODE, otherProject } from './notes.ts';
import { applicationsBelow, monorepoBuild, packagesBelow } from './packages.ts';

/** Maximum packages that a failure lists. */
const MAX_LISTED = 5;

/** Returns true if the start file is the framework's default, so that the owner may not have chosen it. */
export const isDefaultStartFile = ({ framework, startFile }: BuiltApplication['settings']): boolean =>
  startFile === FRAMEWORK_DEFAULTS[framework].startFile;

/**
 * Throws BuildFailure if a start uses the framework of another package: the build and its output are known only for the deployed package.
 * @param from the place that declares the start, for the owner
 */
export function assertOwnFramework({ start, directory }: DividedScript, from: string): void {
  if (start.kind !== 'framework' || directory === '') return;
  throw new BuildFailure(
    `The ${from} runs "${start.command}" in ${directory}: set rootDirectory to "${directory}", so that this package is built and started.`,
  );
}

/** Returns the failure of an application for which no start was found, with advice for its owner. */
export function notFound(app: BuiltApplication, divided: DividedScript | undefined): BuildFailure {
  const { settings, framework, directory, manifest } = app;
  // The default start file of the framework in the settings means nothing to the owner if the application uses another framework or none.
  const isForeignDefault =
    isDefaultStartFile(settings) && ![undefined, framework].includes(namedFramework(settings.framework));
  const missing = isForeignDefault
    ? 'Nothing that starts the application was'
    : `The start file "${settings.startFile}" was not`;
  const failure = (sentence: string) => new BuildFailure(`${missing} found after the build${sentence}${site}`);
  const isServer = divided !== undefined && ['node', 'program', 'shell'].includes(divided.start.kind);
  const declared = declaredScript(app, divided);
  const isNamed = declared !== undefined && namedPath(app, declared.script) !== undefined;
  const several = isNamed ? undefined : severalAdvice(app);
  const site = isServer || several !== undefined ? '' : siteAdvice(directory);
  const namesNone =
    manifest === undefined
      ? 'there is no package.json'
      : `package.json names ${isForeignDefault ? 'nothing' : 'no other'}`;
  const advice =
    buildAdvice(app) ??
    several ??
    namedFileAdvice(app, declared, isForeignDefault) ??
    workersAdvice(app, divided) ??
    layoutAdvice(app, divided, namesNone);
  if (advice !== undefined) return failure(advice);
  // Projects in other languages may have a package.json only for their style sheets.
  const other = otherProject(directory);
  if (other !== undefined) return new BuildFailure(`${other}: ${BUILDS_NODE}`);
  const example = developedFile(app) ?? 'node app.js';
  return failure(`, and ${namesNone}: set startFile or startCommand, or add a start script such as "${example}".`);
}

/** A script that declares a start, and its name for the owner. */
interface DeclaredScript {
  name: string;
  script: DividedScript;
}

/** Returns the script that starts an application in production: the start script, else that for production; undefined if there is none. */
function declaredScript(
  { directory, manifest }: BuiltApplication,
  divided: DividedScript | undefined,
): DeclaredScript | undefined {
  if (divided && divided.start.kind !== 'development') return { name: 'start script', script: divided };
  const found = productionScriptOf(manifest, packagesBelow(directory, manifest));
  return found && { name: `script ${found.name}`, script: found.script };
}

/** Returns a command that starts the file of the script `dev` without its watcher; undefined for a development server or a missing file. */
function developedFile({ directory, manifest }: BuiltApplication): string | undefined {
  const { dev } = manifest?.scripts ?? {};
  const start = dev === undefined ? undefined : divideStartScript(dev, packagesBelow(directory, manifest)).start;
  if (start?.kind !== 'node' || !existsSync(join(directory, start.file))) return undefined;
  return ['node', ...start.options, start.file].map(quoteWord).join(' ');
}

/** Returns the failure of a start command that serves a missing directory of files. */
export const siteNotFound = (directory: string, site: string | undefined): BuildFailure =>
  new BuildFailure(
    `The directory ${site === undefined ? '' : `"${site}" `}of the start command was not found after the build.${siteAdvice(directory)}`,
  );

/** Returns a sentence that lists the directories that may be a static site, and how to serve them; empty if there are none. */
function siteAdvice(directory: string): string {
  const exclude = (path: string) => /^(\.|node_modules$)/.test(basename(path));
  const found = globSync(['*/index.html', '*/*/index.html', '*/*/*/index.html'], { cwd: directory, exclude })
    .map((path) => posix.dirname(path.replaceAll('\\', '/')))
    .sort();
  // An index.html below a site is a page of that site.
  const sites = found.filter((path) => !found.some((other) => path.startsWith(`${other}/`))).slice(0, MAX_LISTED);
  if (sites.length === 0) return '';
  const commands = sites.map((path) => `"serve ${quoteWord(path)}"`).join(' or ');
  return ` There is an index.html in ${sites.join(' and ')}: to serve a static site, set startCommand to ${commands}.`;
}

/** Returns the end of the sentence if the build or the owner's start file is the reason; otherwise undefined. */
function buildAdvice({ settings, framework, buildCommand, manifest, directory }: BuiltApplication): string | undefined {
  if (buildCommand === null && manifest?.scripts.build !== undefined)
    return ': the build script of package.json was not run, because the build command is empty. Set the build command to "npm run build", or to null.';
  if (!isDefaultStartFile(settings)) return '.';
  if (framework?.name !== 'Next.js' || existsSync(join(directory, '.next'))) return undefined;
  // A star matches no name that begins with a dot.
  const patterns = ['{*,.*}/BUILD_ID', '{*,.*}/{*,.*}/BUILD_ID', 'apps/*/.next/BUILD_ID'];
  const [built] = globSync(patterns, { cwd: directory, exclude: ['node_modules'] }).map((file) => posix.dirname(file));
  // The build of a package below.
  if (built !== undefined && posix.basename(built) === '.next') return undefined;
  if (built !== undefined) return `: next.config sets distDir to "${built}". Remove it, so that the build is in .next.`;
  return ': the build command did not run "next build".';
}

/** Returns the end of the sentence if the build created several servers or sites, of which none is chosen; otherwise undefined. */
function severalAdvice(app: BuiltApplication): string | undefined {
  const { servers, sites } = frameworkOutput(app);
  const isMonorepo = app.framework === undefined || isMonorepoRoot(app);
  const found = servers.length > 0 || sites.length > 0 ? servers : isMonorepo ? builtServers(app) : [];
  if (found.length > 1)
    return `, and the build created several servers: set startFile to ${found.slice(0, MAX_LISTED).join(' or ')}.`;
  if (sites.length < 2) return undefined;
  const commands = sites.slice(0, MAX_LISTED).map((path) => `"serve ${quoteWord(path)}"`);
  return `, and the build created several sites: set startCommand to ${commands.join(' or ')}.`;
}

/** Returns the end of the sentence if a start script names a file, or if there is advice for the framework; otherwise undefined. */
function namedFileAdvice(
  app: BuiltApplication,
  declared: DeclaredScript | undefined,
  isForeignDefault: boolean,
): string | undefined {
  const { framework, directory, buildCommand } = app;
  const named = declared && namedPath(app, declared.script);
  if (named !== undefined && ECOSYSTEM.test(named) && existsSync(join(directory, named)))
    return `, and the first program of "${named}" names no file that exists: set startCommand to the command that it runs, such as "node app.js".`;
  // If the start script names a server, the owner has already followed the advice of most frameworks. Next.js and Nuxt need it even then.
  const isFollowed = named !== undefined && !['Next.js', 'Nuxt'].includes(framework?.name ?? '');
  if (framework?.advice !== undefined && !isFollowed) return `: ${framework.advice}.`;
  if (named === undefined) return undefined;
  const remedy =
    buildCommand === null
      ? 'set buildCommand to the command that creates it, or add a build script'
      : 'check that the build creates it';
  return isForeignDefault
    ? `, and the ${declared?.name} names "${named}", which is not there: ${remedy}.`
    : `, and neither was "${named}", which the ${declared?.name} names: ${remedy}.`;
}

/** Returns the package by which a project is built for Cloudflare's runtime; undefined if it has none. */
export function workersTool({ manifest }: Pick<BuiltApplication, 'manifest'>): string | undefined {
  const { dependencies, devDependencies } = manifest ?? { dependencies: {}, devDependencies: {} };
  return ['wrangler', '@cloudflare/vite-plugin'].find(
    (name) => Object.hasOwn(dependencies, name) || Object.hasOwn(devDependencies, name),
  );
}

/** Returns the end of the sentence for a project that only Cloudflare's runtime starts; undefined for others, and if a script starts a server. */
function workersAdvice(app: BuiltApplication, divided: DividedScript | undefined): string | undefined {
  const tool = workersTool(app);
  if (tool === undefined || (divided !== undefined && divided.start.kind !== 'development')) return undefined;
  return `: the project is made for Cloudflare Workers (${tool}), and a release runs Node. Add a server for Node, and a start script such as "node server.js".`;
}

/** Returns the file or directory that a start script names; undefined if it names none. */
function namedPath(app: BuiltApplication, { start, directory }: DividedScript): string | undefined {
  const ofFramework = start.kind === 'framework' ? nestServer(app, start.command) : undefined;
  const path = start.kind === 'node' ? start.file : start.kind === 'site' ? start.directory : ofFramework;
  return path && posix.join(directory, path);
}

/** Returns the end of the sentence for a monorepo or a development server; otherwise undefined. */
function layoutAdvice(
  { framework, directory, repository, manifest }: BuiltApplication,
  divided: DividedScript | undefined,
  namesNone: string,
): string | undefined {
  const applications = applicationsBelow(directory, framework === undefined).slice(0, MAX_LISTED);
  if (applications.length > 0 && (divided === undefined || divided.directory === ''))
    return `: if a package of the repository is the application, set rootDirectory to ${applications.join(' or ')}.`;
  if (divided?.start.kind === 'development') {
    const remedy = divided.directory === '' ? 'startCommand' : `rootDirectory to "${divided.directory}"`;
    if (runsAtOnce(divided.start.command.replace(/^(npx|\w+=\S*) /, '')))
      return `, and a release starts only one of the programs of the start script "${divided.start.command}": set ${remedy} to the one that answers requests, such as "node app.js".`;
    return `, and the start script "${divided.start.command}" is a development server: set ${remedy}.`;
  }
  const build = monorepoBuild(repository, directory, manifest);
  if (build === undefined) return undefined;
  return `, and ${namesNone}: set the build command to "${build}" if the monorepo's tool builds it, or set startFile or startCommand.`;
}
