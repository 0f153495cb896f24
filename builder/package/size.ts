import { posix } from 'node:path';
import { MAX_ARTIFACT_BYTES } from '../../contract/deployments/artifact-size.ts';
import { MAX_ENTRIES } from '../../providers/archives/zip.ts';
import { describeStart } from '../detect/describe-start.ts';
import type { Start } from '../detect/existing-start.ts';
import { BuildFailure } from '../failure.ts';
import { type Item, isWholeTreePackaged, sizeOf } from './tree.ts';

const MEGABYTE = 1024 * 1024;
/** Entries of an artifact that the platform's own files may take. */
const OWN_ENTRIES = 10;
/** Number of parts of an application that a failure names. */
const NAMED_PARTS = 5;
/** Smallest share of an application that a failure names. */
const NAMED_SHARE = 0.02;

/** Files of packages that debuggers and compilers read, and programs do not: source maps, and declarations of TypeScript and Flow. */
const DESCRIPTIONS = /(^|\/)node_modules\/.*(\.([cm]?[jt]sx?|css)\.map|\.d\.[cm]?ts|\.[cm]?js\.flow)$/;
/** The declarations of the language itself, without which TypeScript compiles nothing at run time. */
const LANGUAGE = /(^|\/)node_modules\/typescript\//;
/** Matches a start that checks types, which needs the declarations of packages. */
const CHECKS_TYPES = /\bts-node\b/;

/** Returns true if an application with these items can be hosted. */
export const fits = (items: readonly Item[]): boolean =>
  sizeOf(items) <= MAX_ARTIFACT_BYTES && items.length <= MAX_ENTRIES - OWN_ENTRIES;

/** Returns the items without the files that only describe the code of packages, unless the start may read them. */
export function withoutDescriptions(items: readonly Item[], start: Start): Item[] {
  const isKept = ({ path }: Item) => !DESCRIPTIONS.test(path) || LANGUAGE.test(path);
  return CHECKS_TYPES.test(describeStart(start)) ? [...items] : items.filter(isKept);
}

/** Throws BuildFailure if an application is too large to host, with advice for the owner. */
export function assertFits(items: readonly Item[], start: Start, directory: string): void {
  if (fits(items)) return;
  const bytes = sizeOf(items);
  const [actualMb, limitMb] = [bytes, MAX_ARTIFACT_BYTES].map(megabytes);
  const failure =
    bytes > MAX_ARTIFACT_BYTES
      ? `The application is ${actualMb} MB after the build; the limit is ${limitMb} MB.${largestParts(
          items,
          ({ size }) => size,
          (size) => `${megabytes(size)} MB`,
        )}`
      : `The application has ${items.length} files after the build; the limit is 65,000.${largestParts(
          items,
          () => 1,
          (count) => `${count} files`,
        )}`;
  throw new BuildFailure(failure + sizeAdvice(items, start, directory));
}

const megabytes = (bytes: number): number => Math.round(bytes / MEGABYTE);

/** Returns the package of a path, or the topmost file or directory outside of packages. */
function partOf(path: string): string {
  const name = /^.*(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
  return name ?? path.split('/', 1)[0] ?? path;
}

/** Returns a sentence that names the parts of an application that take the most, with a space before it. */
function largestParts(items: readonly Item[], amountOf: (item: Item) => number, describe: (amount: number) => string) {
  const parts = new Map<string, number>();
  for (const item of items) parts.set(partOf(item.path), (parts.get(partOf(item.path)) ?? 0) + amountOf(item));
  const total = items.reduce((sum, item) => sum + amountOf(item), 0);
  const largest = [...parts]
    .filter(([, amount]) => amount >= total * NAMED_SHARE)
    .sort(([, a], [, b]) => b - a)
    .slice(0, NAMED_PARTS);
  return largest.length === 0
    ? ''
    : ` The largest parts are ${largest.map(([name, amount]) => `${name} (${describe(amount)})`).join(', ')}.`;
}

/** Returns advice for an application that is too large: the smaller server that its build created, or what to do about its packages. */
function sizeAdvice(items: readonly Item[], start: Start, directory: string): string {
  if (!isWholeTreePackaged(start, directory)) return '';
  const server = items
    .map(({ path }) => posix.relative(directory, path))
    .find((path) => /^\.next\/standalone\/(?!.*node_modules\/).*server\.js$/.test(path));
  if (server !== undefined)
    return ` The build also created a smaller standalone server: set startCommand to "node ${server}", and move the other commands of the start script to the build command.`;
  const inPackages = items.filter(({ path }) => /(^|\/)node_modules\//.test(path));
  return sizeOf(inPackages) * 2 < sizeOf(items)
    ? ''
    : ' Remove packages that nothing uses, and move those that only the build needs to devDependencies.';
}
