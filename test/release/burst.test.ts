import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getDeployment } from '../../contract/deployments/deployments.ts';
import { deployer } from '../support/deployer.ts';
import { newAccount, type OpenedAccount, waitFor } from '../support/harness.ts';
import { type Run, startRun } from '../support/platform.ts';
import { app, committer } from '../support/repositories.ts';

const root = mkdtempSync(join(tmpdir(), 'burst-'));
const COUNT = 60;
let run: Run;
let account: OpenedAccount;
const { create, begin } = deployer(() => account);

beforeAll(async () => {
  committer(root)('burst', app("'ok'"));
  run = await startRun({ DATA_DIR: ':memory:', LOCAL_GIT_ROOT: root });
  account = await newAccount({ appLimit: 100, keyCount: 24 }, run.local);
}, 240_000);
afterAll(async () => {
  await run?.stop();
  rmSync(root, { recursive: true, force: true });
});

test('sixty deployments at once of one account all succeed, and start in the order of their arrival', async () => {
  const apps = await Promise.all(Array.from({ length: COUNT }, () => create('burst')));
  const ids: string[] = [];
  for (const { id } of apps) ids.push((await begin(id)).id);
  const read = async (id: string) => (await account.call(getDeployment, { params: { id } })).body.data;
  let seenWaiting = 0;
  const ended = await waitFor(async () => {
    const all: Awaited<ReturnType<typeof read>>[] = [];
    // The last first: what began before it had begun when it is read.
    for (const id of [...ids].reverse()) all.unshift(await read(id));
    const waiting = all.map(({ status }) => status === 'QUEUED');
    const first = waiting.indexOf(true);
    if (first >= 0) {
      seenWaiting = Math.max(seenWaiting, COUNT - first);
      expect(waiting.slice(first), 'none begins before one that arrived earlier').not.toContain(false);
    }
    return all.every(({ finishedAt }) => finishedAt !== null) && all;
  }, 500);
  for (const { status, log } of ended) expect(status, log).toBe('SUCCEEDED');
  // Otherwise they did not wait for each other, and the order shows nothing.
  expect(seenWaiting).toBeGreaterThan(COUNT / 2);
}, 1_200_000);
