import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import * as z from 'zod/mini';
import { type Manifest, parseNpmJson } from '../../providers/builds/detection/manifest.ts';
import { RUNNERS } from '../../providers/builds/detection/runners.ts';
import { readBeginning, readText } from '../read-text.ts';

const Package = z.object({ bin: z.optional(z.union([z.string(), z.record(z.string(), z.string())])) });

/**
 * Returns the JavaScript file of a program that a dependency provides, relative to the directory, with `/`. Returns undefined if no
 * dependency provides the program in JavaScript. Does not use the links in `node_modules/.bin`, because pnpm's are shell scripts.
 * @param repository the topmost directory of the search
 */
export function findProgram(
  directory: string,
  repository: string,
  manifest: Manifest | undefined,
  program: string,
): string | undefined {
  for (const name of Object.keys({ ...manifest?.dependencies, ...manifest?.devDependencies })) {
    const folder = findPackage(directory, repository, name);
    if (folder === undefined) continue;
    const { bin } = Package.safeParse(readJson(join(folder, 'package.json'))).data ?? {};
    const path =
      typeof bin === 'string' ? (name.replace(/^@[^/]+\//, '') === program ? bin : undefined) : bin?.[program];
    if (path === undefined) continue;
    const candidates = [path, `${path}.js`].map((name) => join(folder, name));
    const file = candidates.find((candidate) => isScript(candidate, repository));
    if (file !== undefined) return relative(directory, file).replaceAll('\\', '/');
  }
  return undefined;
}

/** Reads a JSON file, with or without a byte order mark, as npm does. Returns undefined if the file is not valid JSON. */
function readJson(file: string): unknown {
  try {
    return parseNpmJson(readText(file));
  } catch {
    return undefined;
  }
}

/** Returns the folder of an installed package. Searches upwards as Node does, and follows links. */
function findPackage(directory: string, repository: string, name: string): string | undefined {
  for (let at = directory; ; at = dirname(at)) {
    const folder = join(at, 'node_modules', name);
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (at === repository || at === dirname(at)) return undefined;
  }
}

/** Returns true for a JavaScript file inside the repository. */
function isScript(file: string, repository: string): boolean {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false;
  if (relative(realpathSync(repository), realpathSync(file)).startsWith('..')) return false;
  return /\.[cm]?js$/.test(file) || /^#!.*\bnode\b/.test(readBeginning(file, 80));
}

/**
 * Returns true if a program's arguments name another program that it starts, as those of `dotenv -- tsx a.ts` do.
 * @param find returns the file of a package's program
 */
export const runsProgram = (args: readonly string[], find: (program: string) => string | undefined): boolean =>
  args.some((word) => /^\w[\w.-]*$/.test(word) && (Object.hasOwn(RUNNERS, word) || find(word) !== undefined));
