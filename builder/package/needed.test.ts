import { afterEach, expect, test } from 'vitest';
import { application, removeApplications } from '../detect/test-applications.ts';
import { neededPackages } from './needed.ts';

afterEach(removeApplications);

const node = { kind: 'node', directory: '', options: [], file: 'a.js', args: [], environment: {} } as const;

test('keeps development packages that the start needs', () => {
  const app = application(
    { devDependencies: { tool: '1', tsx: '4' } },
    { 'node_modules/tool/package.json': '{"bin":"cli.js"}', 'node_modules/tool/cli.js': '' },
  );
  const needed = (start: Parameters<typeof neededPackages>[0]) =>
    neededPackages(
      start,
      app.directory,
      app.directory,
      app.manifest,
      new Set(['node_modules/tool', 'node_modules/tsx']),
    );
  expect(needed(node)).toEqual([]);
  expect(needed({ ...node, options: ['--import', 'tsx'] })).toEqual(['tsx']);
  expect(needed({ ...node, file: 'node_modules/tool/cli.js' })).toEqual(['tool']);
  expect(needed({ kind: 'shell', directory: '', command: 'tool --x | cat' })).toEqual(['tool']);
  for (const NODE_OPTIONS of ['--import tsx', '--no-warnings --import=tsx/esm'])
    expect(needed({ ...node, environment: { NODE_OPTIONS } })).toEqual(['tsx']);
  for (const [command, name] of [
    ['node a.js && node -r tsx/cjs b.ts', 'tsx'],
    ['node --import=tsx b.ts | cat', 'tsx'],
    ['NODE_OPTIONS="--loader tsx" node b.ts | cat', 'tsx'],
    ['node a.js && node node_modules/tsx/dist/cli.mjs b.ts', 'tsx'],
    ['node a.js && ./node_modules/.bin/tool', 'tool'],
  ] as const)
    expect(needed({ kind: 'shell', directory: '', command }), command).toEqual([name]);
  expect(needed({ kind: 'shell', directory: '', command: 'wrapper -- tool b.ts' })).toEqual(['tool']);
  expect(needed({ kind: 'shell', directory: '', command: 'cat x tsx' })).toEqual([]);
});
