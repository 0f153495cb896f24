import { expect, test } from 'vitest';
import { describeUnapproved, ignoredScripts, ignoredScriptsNote } from './ignored-scripts.ts';

/** pnpm 10.12 in a log, and in its box. */
const LINE = 'Done\nIgnored build scripts: @prisma/client, esbuild, sharp. Run "pnpm approve-builds" to pick\n';
const BOX = `╭ Warning ───────╮
│                                                │
│   Ignored build scripts: bcrypt@5.1.1, esbuild.      │
│   Run "pnpm approve-builds" to pick which      │
╰────────────────╯`;

test('names the packages whose install scripts were not run', () => {
  expect(ignoredScripts(LINE)).toEqual(['@prisma/client', 'esbuild', 'sharp']);
  expect(ignoredScripts(BOX)).toEqual(['bcrypt', 'esbuild']);
  expect(ignoredScripts('added 3 packages')).toEqual([]);
});

test('warns only of packages that may not work without', () => {
  expect(ignoredScriptsNote(LINE)).toContain('the install scripts of @prisma/client were not run.');
  expect(ignoredScriptsNote(LINE)).toContain('prisma generate');
  expect(ignoredScriptsNote(BOX)).toContain('warning: the install scripts of bcrypt were not run');
  expect(ignoredScriptsNote('Ignored build scripts: esbuild, sharp.\n')).toBe(
    'the install scripts of esbuild, sharp were not run, and are not needed',
  );
  expect(ignoredScriptsNote('added')).toBeUndefined();
});

test.each([
  ' ERR_PNPM_IGNORED_BUILDS  Ignored build scripts: esbuild@0.25.0, sharp@0.34.1\n\nRun "pnpm approve-builds" to pick\n',
  'Error: ERR_PNPM_IGNORED_BUILDS\n\n  × installing dependencies\n  ╰─▶ Ignored build scripts: esbuild@0.25.0, sharp@0.34.1\n  help: Run "pnpm approve-builds"\n',
])('explains that pnpm refuses scripts without a decision, and does not call them unneeded', (output) => {
  expect(describeUnapproved(output)).toBe(
    ': pnpm requires a decision about the install scripts of esbuild@0.25.0, sharp@0.34.1: run "pnpm approve-builds" and commit the changed file',
  );
  expect(ignoredScriptsNote(output)).toBeUndefined();
  expect(describeUnapproved(LINE)).toBe('');
});
