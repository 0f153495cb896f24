/** Packages that work without their install scripts, which only verify or speed up the installed files. */
const WORK_WITHOUT = [
  'esbuild',
  'sharp',
  '@swc/core',
  '@parcel/watcher',
  'unrs-resolver',
  'core-js',
  'core-js-pure',
  'es5-ext',
  'protobufjs',
  'msgpackr-extract',
  'lmdb',
  '@tailwindcss/oxide',
  'vue-demi',
  '@nestjs/core',
  'nx',
  '@scarf/scarf',
];

/** Matches pnpm's message about install scripts that it did not run: a list in one line or in a box. */
const IGNORED = /Ignored build scripts:([^│╰]*?)(?:\.\s|\.?\s*│|Run "pnpm approve-builds"|$)/;

/** Matches the error of pnpm 11 and later versions, which refuse to install such packages. */
const REFUSED = /ERR_PNPM_IGNORED_BUILDS[\s\S]*?Ignored build scripts: (.+)/;

/** Returns the cause and the remedy if pnpm refuses unapproved install scripts; an empty text for other failures. */
export function describeUnapproved(output: string): string {
  const [, packages] = REFUSED.exec(output) ?? [];
  return packages === undefined
    ? ''
    : `: pnpm requires a decision about the install scripts of ${packages}: run "pnpm approve-builds" and commit the changed file`;
}

/** Returns the packages whose install scripts a package manager did not run, according to its output. */
export function ignoredScripts(output: string): string[] {
  const list = IGNORED.exec(output)?.[1] ?? '';
  return list
    .split(',')
    .map((name) => name.trim().replace(/(?<=.)@[\d.]\S*$/, ''))
    .filter((name) => /^(@[\w.-]+\/)?[\w.-]+$/.test(name));
}

/**
 * Returns a note for the owner about install scripts that were not run: pnpm 10 and npm 12 and later versions run them only for approved
 * packages (https://pnpm.io/settings/build, https://github.com/npm/rfcs/pull/868). Returns undefined if all scripts were run, or if the
 * installation failed without them.
 */
export function ignoredScriptsNote(output: string): string | undefined {
  const ignored = REFUSED.test(output) ? [] : ignoredScripts(output);
  const needed = ignored.filter((name) => !WORK_WITHOUT.includes(name));
  if (ignored.length === 0) return undefined;
  if (needed.length === 0) return `the install scripts of ${ignored.join(', ')} were not run, and are not needed`;
  const prisma = needed.some((name) => /^(@prisma\/|prisma$)/.test(name))
    ? ' Prisma also works with "prisma generate" before the build command.'
    : '';
  return `warning: the install scripts of ${needed.join(', ')} were not run. If the application fails, approve them: "pnpm approve-builds", or pnpm.onlyBuiltDependencies in package.json.${prisma}`;
}
