import { expect, test } from 'vitest';
import type { Start } from '../detect/existing-start.ts';
import { assertFits, withoutDescriptions } from './size.ts';

const MEGABYTE = 1024 * 1024;
const start: Start = { kind: 'node', directory: '', options: [], file: 'server.js', args: [], environment: {} };
const typeChecking: Start = { kind: 'shell', directory: '', command: 'ts-node src/server.ts' };

/** Items of an artifact by path, with sizes in megabytes. */
const itemsOf = (sizes: Record<string, number>) =>
  Object.entries(sizes).map(([path, size]) => ({ path, source: path, size: size * MEGABYTE, executable: false }));

const DESCRIPTIONS = ['index.js.map', 'dist/a.mjs.map', 'index.d.ts', 'a.d.mts', 'a.js.flow'].map(
  (name) => `api/node_modules/@scope/a/${name}`,
);
const PROGRAMS = [
  'node_modules/a/index.js',
  'node_modules/a/source.map',
  'node_modules/typescript/lib/lib.d.ts',
  'src/index.d.ts',
  'public/app.js.map',
];

test.each([
  ['leaves out files that describe the code of packages', start, PROGRAMS],
  ['keeps them for a start that checks types', typeChecking, [...DESCRIPTIONS, ...PROGRAMS]],
])('an application that is too large: %s', (_what, of, kept) => {
  const items = itemsOf(Object.fromEntries([...DESCRIPTIONS, ...PROGRAMS].map((path) => [path, 1])));
  expect(withoutDescriptions(items, of).map(({ path }) => path)).toEqual(kept);
});

test('names the largest packages of an application that is too large, and what to do about them', () => {
  const items = itemsOf({
    'node_modules/.pnpm/a@1/node_modules/@scope/a/index.js': 150,
    'node_modules/b/index.js': 40,
    'c/node_modules/b/index.js': 40,
    'src/large.bin': 20,
    'node_modules/small/index.js': 1,
  });
  expect(() => assertFits(items, start, '')).toThrow(
    'The application is 251 MB after the build; the limit is 235 MB. The largest parts are @scope/a (150 MB), b (80 MB), src (20 MB). Remove packages that nothing uses, and move those that only the build needs to devDependencies.',
  );
});

test('names the packages with the most files of an application that has too many', () => {
  const paths = Array.from({ length: 66_000 }, (_, index) => `node_modules/${index % 3 === 0 ? 'a' : 'b'}/${index}.js`);
  const items = paths.map((path) => ({ path, source: path, size: 1, executable: false }));
  expect(() => assertFits(items, start, '')).toThrow(
    'The application has 66000 files after the build; the limit is 65,000. The largest parts are b (44000 files), a (22000 files).',
  );
});
