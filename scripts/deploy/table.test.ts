import { expect, test } from 'vitest';
import { assertSameTable, contextOf, profileOf } from './table.ts';

const restored = async () => 'hosting-prod-1';

test('settings of the command line go over those of the file', () => {
  const joined = ['--context=region=eu-west-1', '-c=canary=off'];
  const args = ['-c', 'stage=prod', '--context', 'table=t=1', ...joined, '--concurrency', '4'];
  expect(contextOf(args, { stage: 'dev', domain: 'example.com' })).toEqual({
    stage: 'prod',
    domain: 'example.com',
    table: 't=1',
    region: 'eu-west-1',
    canary: 'off',
  });
});

test('the profile of a deployment is that of cdk', () => {
  expect(profileOf(['-c', 'stage=prod', '--profile', 'a'])).toBe('a');
  expect(profileOf(['--profile=b', '-c', 'stage=prod'])).toBe('b');
  expect(profileOf(['-c', 'stage=--profile'])).toBeUndefined();
});

test('a deployment that leaves out the restored table is refused, and one that names it passes', async () => {
  const asked: string[][] = [];
  const inUse = async (...where: [string, string]) => {
    asked.push(where);
    return 'hosting-prod-1';
  };
  await expect(assertSameTable(['-c', 'stage=prod', '-c', 'region=eu-west-1'], {}, inUse)).rejects.toThrow(
    /uses the table hosting-prod-1.*change to hosting-prod\..*--switch-table/,
  );
  expect(asked).toEqual([['eu-west-1', 'prod']]);
  const args = ['-c', 'stage=prod', '-c', 'table=hosting-prod-1'];
  expect(await assertSameTable(args, {}, restored)).toEqual(args);
  expect(await assertSameTable(['-c', 'stage=prod'], { table: 'hosting-prod-1' }, restored)).toEqual([
    '-c',
    'stage=prod',
  ]);
});

test('a change that is meant passes, and so does a first deployment', async () => {
  expect(await assertSameTable(['-c', 'stage=prod', '--switch-table'], {}, restored)).toEqual(['-c', 'stage=prod']);
  expect(await assertSameTable(['-c', 'stage=prod'], {}, async () => undefined)).toEqual(['-c', 'stage=prod']);
});
