import type { Manifest } from '../../providers/builds/detection/manifest.ts';
import { findProgram } from '../detect/bin.ts';
import type { Start } from '../detect/existing-start.ts';
import { LOADS_MODULE } from '../detect/node-options.ts';

/** Returns the package of a module: `ts-node` for `ts-node/register`; undefined for a file. */
export const packageOf = (specifier: string): string | undefined =>
  /^(@[\w.-]+\/[\w.-]+|[A-Za-z][\w.-]*)(\/|$)/.exec(specifier)?.[1];

/** Returns the modules that Node loads first, from a command or from the value of `NODE_OPTIONS`. */
const preloadedModules = (text: string): string[] =>
  text.split(/[\s;&|()'"=]+/).filter((_, index, words) => LOADS_MODULE.test(words[index - 1] ?? ''));

/** Returns the package of a path: `node_modules/@x/y` for `../node_modules/@x/y/bin.js`. */
const installedPath = (path: string): string | undefined =>
  /(?:^|\/)(node_modules\/(?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];

/**
 * Returns the development packages that a start needs: programs such as tsx, which projects list next to their test tools and linters.
 * @param development paths of development packages, relative to the packaged directory
 */
export function neededPackages(
  start: Start,
  directory: string,
  repository: string,
  manifest: Manifest | undefined,
  development: ReadonlySet<string>,
): string[] {
  if (start.kind === 'site' || start.kind === 'export' || development.size === 0) return [];
  const packageOfProgram = (word: string): string | undefined => {
    const file = /^[\w@./-]+$/.test(word) ? findProgram(directory, repository, manifest, word) : undefined;
    return file === undefined ? undefined : installedPath(file);
  };
  const isShell = start.kind === 'shell';
  const options = isShell ? start.command : [...start.options, start.environment.NODE_OPTIONS ?? ''].join(' ');
  const modules = preloadedModules(options).flatMap((module) => packageOf(module) ?? []);
  const words = isShell ? start.command.split(/[\s;&|()]+/) : [];
  const paths = [
    ...words.map((word) => packageOfProgram(word.replace(/^.*\bnode_modules\/\.bin\//, ''))),
    ...(isShell ? words : [start.file]).map(installedPath),
    ...modules.map((name) => `node_modules/${name}`),
  ];
  const needed = paths.filter((path) => path !== undefined && development.has(path));
  return [...new Set(needed)].map((path) => String(path).replace('node_modules/', ''));
}
