import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, listDatabases, MAX_DATABASES } from '../../contract/databases/databases.ts';
import { AWS_LIMITS } from '../../contract/limits/aws-limits.ts';
import { deployer } from '../support/deployer.ts';
import { newAccount, type OpenedAccount, setLimits, waitFor } from '../support/harness.ts';
import { type Run, startRun } from '../support/platform.ts';
import { app, committer } from '../support/repositories.ts';

/** The whole platform against what a new AWS account meets (docs/decisions/0035-strict-emulators.md). */
const root = mkdtempSync(join(tmpdir(), 'strict-run-'));
const commit = committer(root);
const APPLICATIONS = 5;
let run: Run;
let account: OpenedAccount;
let ids: string[];
const { create, deploy } = deployer(() => account);

beforeAll(async () => {
  run = await startRun({ DATA_DIR: ':memory:', LOCAL_GIT_ROOT: root, RATE_LIMIT_SECRET: '100000', STRICT_AWS: 'true' });
  account = await newAccount({}, run.local);
  await setLimits(account.id, { concurrentBuilds: APPLICATIONS, databases: 50 }, run.local);
  ids = [];
  for (let number = 0; number < APPLICATIONS; number += 1) {
    commit(`strict-${number}`, app(`'app ${number}'`));
    ids.push((await create(`strict-${number}`)).id);
  }
}, 240_000);
afterAll(async () => {
  await run?.stop();
  rmSync(root, { recursive: true, force: true });
});

test('deployments at once build one after another, meet Lambda’s rate and states, and all succeed', async () => {
  for (const round of ['first', 'second']) {
    const ended = await Promise.all(ids.map(deploy));
    for (const { status, log } of ended) expect(status, `${round}: ${log}`).toBe('SUCCEEDED');
  }
}, 400_000);

test('databases beyond the quota fail with a reason, and the others are created', async () => {
  const quota = AWS_LIMITS.dsqlClusters.value;
  for (let number = 0; number <= quota; number += 1) {
    const applicationId = ids[Math.floor(number / MAX_DATABASES)] ?? '';
    const answer = await account.dashboard.call(createDatabase, { body: { applicationId, name: `d${number}` } });
    expect(answer.status).toBe(202);
  }
  const all = await waitFor(async () => {
    const { data } = (await account.dashboard.call(listDatabases, { query: { limit: '100' } })).body;
    return data.every(({ status }) => status !== 'PROVISIONING') && data;
  }, 500);
  const failed = all.filter(({ status }) => status === 'FAILED');
  expect(all.filter(({ status }) => status === 'AVAILABLE')).toHaveLength(quota);
  expect(failed.map(({ failureReason }) => failureReason)).toEqual([expect.stringContaining('cannot create any more')]);
}, 120_000);
