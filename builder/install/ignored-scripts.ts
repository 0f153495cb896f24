/** Packages whose install scripts only verify or speed up what is installed anyway. */
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

/** pnpm's message about packages whose install scripts it did not run: a list in one line, or in a box. */
const IGNORED = /Ignored build scripts:([^│╰]*?)(?:\.\s|\.?\s*│|Run "pnpm approve-builds"|$)/;

/** Returns the packages whose install scripts a package manager did not run, by its output. */
export function ignoredScripts(output: string): string[] {
  const list = IGNORED.exec(output)?.[1] ?? '';
  return list
    .split(',')
    .map((name) => name.trim().replace(/(?<=.)@[\d.]\S*$/, ''))
    .filter((name) => /^(@[\w.-]+\/)?[\w.-]+$/.test(name));
}

/**
 * Returns what the owner should know about install scripts that pnpm 10 and later, and npm 12 and later, only run for
 * approved packages (https://pnpm.io/settings/build, https://github.com/npm/rfcs/pull/868). Undefined if nothing is missing.
 */
export function ignoredScriptsNote(output: string): string | undefined {
  const ignored = ignoredScripts(output);
  const needed = ignored.filter((name) => !WORK_WITHOUT.includes(name));
  if (ignored.length === 0) return undefined;
  if (needed.length === 0) return `the install scripts of ${ignored.join(', ')} were not run, and are not needed`;
  const prisma = needed.some((name) => /^(@prisma\/|prisma$)/.test(name))
    ? ' Prisma also works with "prisma generate" before the build command.'
    : '';
  return `warning: the install scripts of ${needed.join(', ')} were not run. If the application fails, approve them: "pnpm approve-builds", or pnpm.onlyBuiltDependencies in package.json.${prisma}`;
}
