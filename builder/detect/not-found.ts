import { existsSync, globSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import { FRAMEWORK_DEFAULTS } from '../../contract/enums.ts';
import { quoteWord } from '../../providers/builds/detection/command-line.ts';
import { namedFramework } from '../../providers/builds/detection/frameworks.ts';
import { type DividedScript, divideStartScript } from '../../providers/builds/detection/start-script.ts';
import { BuildFailure } from '../failure.ts';
import { BUILDS_NODE, otherProject } from './notes.ts';
import { applicationsBelow, monorepoBuild, packagesBelow } from './packages.ts';
import type { BuiltApplication } from './start.ts';

/** Packages that a failure lists. */
const MAX_LISTED = 5;

/** Returns true if the start file is the framework's default: the owner may not have chosen it. */
export const isDefaultStartFile = ({ framework, startFile }: BuiltApplication['settings']): boolean =>
  startFile === FRAMEWORK_DEFAULTS[framework].startFile;

/**
 * Refuses a start with the framework of another package: how it is built, and what its build makes, is known of the package alone that is
 * deployed. Throws BuildFailure.
 * @param from what names it, for the owner
 */
export function assertOwnFramework({ start, directory }: DividedScript, from: string): void {
  if (start.kind !== 'framework' || directory === '') return;
  throw new BuildFailure(
    `The ${from} runs "${start.command}" in ${directory}: set rootDirectory to "${directory}", so that this package is built and started.`,
  );
}

/** Returns the failure of an application of which nothing was found that starts it, with advice for its owner. */
export function notFound(app: BuiltApplication, divided: DividedScript | undefined): BuildFailure {
  const { settings, framework, directory, manifest } = app;
  // To the owner of an application of no framework, or another, the default start file of one says nothing.
  const isOthers = isDefaultStartFile(settings) && ![undefined, framework].includes(namedFramework(settings.framework));
  const missing = isOthers
    ? 'Nothing that starts the application was'
    : `The start file "${settings.startFile}" was not`;
  const said = (sentence: string) => new BuildFailure(`${missing} found after the build${sentence}${site}`);
  const isServer = divided !== undefined && ['node', 'program', 'shell'].includes(divided.start.kind);
  const site = isServer ? '' : siteAdvice(directory);
  const namesNone =
    manifest === undefined ? 'there is no package.json' : `package.json names ${isOthers ? 'nothing' : 'no other'}`;
  const advice = buildAdvice(app) ?? namedFileAdvice(app, divided, isOthers) ?? layoutAdvice(app, divided, namesNone);
  if (advice !== undefined) return said(advice);
  // A package.json may be there for style sheets alone.
  const other = otherProject(directory);
  if (other !== undefined) return new BuildFailure(`${other}: ${BUILDS_NODE}`);
  const example = developedFile(app) ?? 'node app.js';
  return said(`, and ${namesNone}: set startFile or startCommand, or add a start script such as "${example}".`);
}

/** Returns a start of the file that the script `dev` runs below its watcher; undefined for a development server, and a file that is not there. */
function developedFile({ directory, manifest }: BuiltApplication): string | undefined {
  const { dev } = manifest?.scripts ?? {};
  const start = dev === undefined ? undefined : divideStartScript(dev, packagesBelow(directory, manifest)).start;
  if (start?.kind !== 'node' || !existsSync(join(directory, start.file))) return undefined;
  return ['node', ...start.options, start.file].map(quoteWord).join(' ');
}

/** Returns the failure of a start command that serves a directory of files which is not there. */
export const siteNotFound = (directory: string, site: string | undefined): BuildFailure =>
  new BuildFailure(
    `The directory ${site === undefined ? '' : `"${site}" `}of the start command was not found after the build.${siteAdvice(directory)}`,
  );

/** Returns a sentence about the directories that may be a site of files, to whose owner nothing else says how to name one; empty for none. */
function siteAdvice(directory: string): string {
  const exclude = (path: string) => /^(\.|node_modules$)/.test(basename(path));
  const found = globSync(['*/index.html', '*/*/index.html', '*/*/*/index.html'], { cwd: directory, exclude })
    .map((path) => posix.dirname(path.replaceAll('\\', '/')))
    .sort();
  // Below a site, an index.html is one of its pages.
  const sites = found.filter((path) => !found.some((other) => path.startsWith(`${other}/`))).slice(0, MAX_LISTED);
  if (sites.length === 0) return '';
  const commands = sites.map((path) => `"serve ${quoteWord(path)}"`).join(' or ');
  return ` There is an index.html in ${sites.join(' and ')}: for a site of files, set startCommand to ${commands}.`;
}

/** Returns the end of the sentence where the build or the owner's start file is the reason. */
function buildAdvice({ settings, framework, skippedBuild, directory }: BuiltApplication): string | undefined {
  if (skippedBuild)
    return ': the build script of package.json was not run, because the build command is empty. Set the build command to "npm run build", or to null.';
  if (!isDefaultStartFile(settings)) return '.';
  if (framework?.name === 'Next.js' && !existsSync(join(directory, '.next')))
    return ': the build command did not run "next build".';
  return undefined;
}

/** Returns the end of the sentence where a start script names a file, or the framework says how its server is made. */
function namedFileAdvice(
  { framework }: BuiltApplication,
  divided: DividedScript | undefined,
  isOthers: boolean,
): string | undefined {
  const named = divided && namedPath(divided);
  // Whose start script names a server has followed the advice of most frameworks; Next.js and Nuxt are asked how they build it.
  const isFollowed = named !== undefined && !['Next.js', 'Nuxt'].includes(framework?.name ?? '');
  if (framework?.advice !== undefined && !isFollowed) return `: ${framework.advice}.`;
  if (named === undefined) return undefined;
  return isOthers
    ? `: the start script names "${named}", which is not there. Check that the build creates it.`
    : `, and neither was "${named}", which the start script names: check that the build creates it.`;
}

/** Returns the file or the directory of files that a start script names; undefined if it names none. */
function namedPath({ start, directory }: DividedScript): string | undefined {
  const path = start.kind === 'node' ? start.file : start.kind === 'site' ? start.directory : undefined;
  return path && posix.join(directory, path);
}

/** Returns the end of the sentence for a monorepo and for a development server; undefined for others. */
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
    return `, and the start script "${divided.start.command}" is a development server: set ${remedy}.`;
  }
  const build = monorepoBuild(repository, directory, manifest);
  if (build === undefined) return undefined;
  return `, and ${namesNone}: set the build command to "${build}" if the monorepo's tool builds it, or set startFile or startCommand.`;
}
