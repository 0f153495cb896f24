import { afterAll, beforeAll, expect, test } from 'vitest';
import { build, closeTestHarness, openTestHarness, repository } from '../test-harness.ts';

beforeAll(openTestHarness);
afterAll(closeTestHarness);

test('the cache of a build is complete before the first command of the application, and then stays as the command leaves it', async () => {
  const next = { repoUrl: repository({ 'server.js': '1' }), framework: 'NEXTJS', startFile: 'server.js' } as const;
  const files = 'mkdir -p .next/cache && cd .next/cache && seq 300 | while read n; do echo $n > $n; done';
  const install = (installCommand: string, buildCommand: string) => build({ ...next, installCommand, buildCommand });
  expect(await install('true', files)).toMatchObject({ code: 0 });
  const { log } = await install('ls .next/cache | wc -l', 'echo still $(ls .next/cache | wc -l)');
  expect(log).toMatch(/\n300\n.*\n.*\nstill 300\n/);
  expect(await install('rm -r .next', 'test ! -e .next')).toMatchObject({ code: 0 });
});
