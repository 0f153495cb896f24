import { expect, test } from 'vitest';
import { createNoiseFilter } from './noise.ts';

function filtered(...pieces: string[]): string {
  let printed = '';
  const filter = createNoiseFilter((text) => {
    printed += text;
  });
  for (const piece of pieces) filter.write(piece);
  filter.end();
  return printed;
}

/** The output of npm 11's `npm ci` for a lockfile that does not match, shortened. */
const FAILED_CI = `npm warn Unknown user config "nodedir". This will stop working in the next major version of npm.
npm error code EUSAGE
npm error
npm error Missing: b@2.0.0 from lock file
npm error
npm error Clean install a project
npm error
npm error Usage:
npm error npm ci
npm error
npm error Options:
npm error [--install-strategy <hoisted|nested|shallow|linked>] [--legacy-bundling]
npm error
npm error Run "npm help ci" for more info
npm error A complete log of this run can be found in: /tmp/x-debug-0.log
added 3 packages
`;

test('leaves out the usage text and messages about the settings of npm, and nothing else', () => {
  const expected =
    'npm error code EUSAGE\nnpm error\nnpm error Missing: b@2.0.0 from lock file\nnpm error\nadded 3 packages\n';
  expect(filtered(FAILED_CI)).toBe(expected);
  expect(filtered(...FAILED_CI.split(/(?<=[aeiou])/))).toBe(expected);
});

test('passes other output on, whole lines and a last line without an end', () => {
  expect(filtered('> tsc\nnpm warn deprecated x@1\npro', 'gress')).toBe('> tsc\nnpm warn deprecated x@1\nprogress');
  const long = 'x'.repeat(20_000);
  expect(filtered(long, '\n')).toBe(`${long}\n`);
});

test('keeps the last of the lines about the progress of pnpm', () => {
  const counts = ['resolved 1, reused 0, downloaded 0, added 0', 'resolved 97, reused 68, downloaded 3, added 19'];
  const done = 'Progress: resolved 97, reused 68, downloaded 3, added 71, done\n';
  const output = `Packages: +71\n${counts.map((line) => `Progress: ${line}\n`).join('')}${done}Progress: of the tests\n`;
  expect(filtered(output)).toBe(`Packages: +71\n${done}Progress: of the tests\n`);
});
