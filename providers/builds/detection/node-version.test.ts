import { expect, test } from 'vitest';
import { chooseNode, readVersionFile } from './node-version.ts';

const manifest = (range: string | undefined) =>
  range === undefined ? undefined : { range, file: 'package.json', field: 'engines.node' };

test.each([
  [undefined, '22', undefined],
  ['>=20', '22', undefined],
  ['^22.12 || 24', '22', undefined],
  ['nonsense', '22', undefined],
  ['20.x', '20', 'package.json requires Node 20.x (engines.node): using Node 20'],
  ['>=24', '24', expect.stringContaining('using Node 24')],
  ['18 || 20', '20', expect.stringContaining('using Node 20')],
  ['18.x', '20', 'warning: package.json requires Node 18.x (engines.node), which is not available: using Node 20'],
  ['>=12 <17', '20', expect.stringContaining('which is not available')],
  ['26', '24', expect.stringContaining('which is not available: using Node 24')],
])('engines.node %s selects Node %s if the owner chose none', (node, version, note) => {
  expect(chooseNode({ nodeVersion: '22', nodeVersionByDefault: true }, manifest(node))).toEqual({ version, note });
});

const packages = (...ranges: string[]) => ranges.map((range, index) => ({ package: `p${index}`, range }));
test.each([
  ['no requirement', undefined, packages('>=20', '*'), '22', undefined],
  ['a later version', undefined, packages('>=20', '>=24'), '24', 'p1 requires Node >=24: using Node 24'],
  ['a later version that package.json allows', '>=20', packages('^24'), '24', 'p0 requires Node ^24: using Node 24'],
  ['a version that package.json excludes', '22', packages('>=24'), '22', undefined],
  ['a version of several', '20 || 24', packages('>=22'), '24', expect.stringContaining('package.json requires')],
  ['only an earlier version', undefined, packages('<22'), '22', undefined],
  ['a version that is not available, and one that is', undefined, packages('>=26', '>=24'), '24', expect.anything()],
  ['versions that contradict each other', undefined, packages('22', '>=24'), '22', undefined],
  ['nonsense', undefined, packages('node 24'), '22', undefined],
])(
  'dependencies that require %s select Node if the owner chose none',
  (_what, engines, dependencies, version, note) => {
    const job = { nodeVersion: '22', nodeVersionByDefault: true } as const;
    expect(chooseNode(job, manifest(engines), dependencies)).toEqual({ version, note });
  },
);

test('dependencies do not change a version that the owner or a file of the repository chose', () => {
  expect(chooseNode({ nodeVersion: '22' }, undefined, packages('>=24'))).toEqual({ version: '22', note: undefined });
  const job = { nodeVersion: '22', nodeVersionByDefault: true } as const;
  expect(chooseNode(job, readVersionFile('.nvmrc', '22'), packages('>=24')).version).toBe('22');
});

test('a version that the owner chose takes precedence, with a warning', () => {
  expect(chooseNode({ nodeVersion: '22' }, manifest('20.x'))).toEqual({
    version: '22',
    note: 'warning: package.json requires Node 20.x (engines.node), but nodeVersion is 22: set nodeVersion to 20',
  });
  expect(chooseNode({ nodeVersion: '22' }, manifest('18.x')).note).toContain('no available version matches');
});

test.each([
  ['24', '24.x'],
  ['v24.1.0\n', '24.x'],
  [' 20.x # for the time being\n', '20.x'],
  ['lts/*', undefined],
  ['lts/jod', '22.x'],
  ['lts/Iron', '20.x'],
  ['node', undefined],
  ['24 || 22', undefined],
  ['', undefined],
])('a version manager’s file with %j requires %s', (text, range) => {
  expect(readVersionFile('.nvmrc', text)?.range).toBe(range);
});

test.each([
  ['mise.toml', 'node = "24"'],
  ['.tool-versions', 'node 24'],
])('ignores a %s that is too long for a request to search', (file, line) => {
  expect(readVersionFile(file, `x${'\n'.repeat(1024 * 1024)}${line}`)).toBeUndefined();
  expect(readVersionFile(file, `x${'\n'.repeat(10_000)}${line}`)).toEqual({ range: '24.x', file });
});

test('a note names the file that requires the version', () => {
  const requirement = readVersionFile('.nvmrc', 'v24');
  expect(chooseNode({ nodeVersion: '22', nodeVersionByDefault: true }, requirement)).toEqual({
    version: '24',
    note: '.nvmrc requires Node 24.x: using Node 24',
  });
});
