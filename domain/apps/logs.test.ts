import { expect, test } from 'vitest';
import { LogsThrottled } from '../../providers/app-host/logs.ts';
import { deploymentSimulation } from '../../test/simulation/deployments.ts';
import { inEveryCell } from '../../test/support/cells.ts';
import { readAppLogs } from './logs.ts';

/** Reads the log of an application as several viewers at once. */
async function viewers(read: () => Promise<{ lines: never[]; more: boolean }>) {
  const { deps, caller } = await deploymentSimulation();
  let reads = 0;
  const counted = () => {
    reads += 1;
    return read();
  };
  const appLogs = { prepare: async () => {}, read: counted, tail: async () => [], remove: async () => {} };
  const view = (after: string) =>
    readAppLogs({ ...deps, ...inEveryCell({ appLogs }) }, caller, { id: 'app_1', after, limit: 100 });
  return { view, reads: () => reads };
}

test('viewers who know the same line share one read of CloudWatch', async () => {
  const { view, reads } = await viewers(async () => ({ lines: [], more: false }));
  await Promise.all([view('1-a'), view('1-a'), view('1-a')]);
  await view('1-a');
  expect(reads()).toBe(1);
  await view('2-b');
  expect(reads()).toBe(2);
});

test('a reader is told when to ask again where CloudWatch’s rate is used up', async () => {
  const { view } = await viewers(() => Promise.reject(new LogsThrottled('Rate exceeded')));
  await expect(view('3-c')).rejects.toMatchObject({ code: 'rate_limited', status: 429, retryAfter: 5 });
});
