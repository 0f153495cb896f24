import { afterAll, beforeAll, expect, test } from 'vitest';
import { entriesOf } from '../../test/support/archive.ts';
import { build, closeTestHarness, openTestHarness, repository } from '../test-harness.ts';

beforeAll(openTestHarness);
afterAll(closeTestHarness);

const manifest = JSON.stringify({ dependencies: { kept: '1' }, scripts: { start: 'node server.js' } });
const workspace = { 'pnpm-workspace.yaml': 'packages:\n  - api\n', 'api/package.json': manifest, 'api/server.js': '' };

/** Deploys an application of a workspace in which another package of a size in megabytes is installed. */
const deployed = (size: number) =>
  build({
    repoUrl: repository(workspace),
    rootDirectory: 'api',
    startFile: '.next/standalone/server.js',
    framework: 'NEXTJS',
    installCommand: [
      'for each in kept other; do mkdir -p node_modules/.pnpm/$each@1/node_modules/$each',
      'echo {} > node_modules/.pnpm/$each@1/node_modules/$each/package.json; done',
      'mkdir api/node_modules; ln -s ../../node_modules/.pnpm/kept@1/node_modules/kept api/node_modules',
      `truncate -s ${size}M node_modules/.pnpm/other@1/node_modules/other/large`,
    ].join('; '),
  });

test('an application of a workspace is packaged with all packages, or with only its own if they are too large', async () => {
  const pathsOf = async ({ artifact }: Awaited<ReturnType<typeof build>>) =>
    [...(await entriesOf(artifact)).keys()].filter((path) => path.includes('.pnpm/'));
  const kept = 'node_modules/.pnpm/kept@1/node_modules/kept/package.json';
  const small = await deployed(1);
  expect(await pathsOf(small)).toContain('node_modules/.pnpm/other@1/node_modules/other/package.json');
  const large = await deployed(240);
  expect(await pathsOf(large)).toEqual([kept]);
  expect(large.log).toContain('leaving out the packages that api does not need');
  expect(small.log).not.toContain('leaving out');
});
