import { expect, test } from 'vitest';
import { AWS_LIMITS } from '../../contract/limits/aws-limits.ts';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import type { BuildRunner, RunningBuild } from '../../providers/builds/build-runner.ts';
import { createBuilds, type Result } from '../../providers/builds/builds.ts';
import { PLATFORM_FAULT, timeLimitExceeded } from '../../providers/builds/failures.ts';
import { Deployment, NextBuild } from '../../table/entities/deployments.ts';
import { SwitchState } from '../../table/entities/switches.ts';
import { change, create, upsert } from '../../table/writes.ts';
import { deploymentSimulation } from '../../test/simulation/deployments.ts';
import { queuePause, submitBuild, watchBuild } from './build.ts';
import { createDeployment } from './create.ts';
import { discardBuild, startTeardown } from './executions.ts';
import { recordFailure } from './failure.ts';
import { withVerdict } from './verdict.ts';

/** A running deployment, and a CodeBuild whose one build has the state that the test gives it. */
async function submitting() {
  const made = await deploymentSimulation();
  const { deps, ids, caller, clock } = made;
  const asked = { id: ids.applicationId } as Parameters<typeof createDeployment>[2];
  const deploymentId = (await createDeployment(deps, caller, asked)).data.id;
  const of = { ...ids, deploymentId };
  const key = { accountId: ids.accountId, id: deploymentId };
  const beganAt = new Date(clock.now).toISOString();
  await deps.table.transact([change(Deployment, key, { set: { status: 'RUNNING', beganAt } })]);
  const build: RunningBuild = { id: 'b:1', status: 'QUEUED', submittedAt: new Date(clock.now), phases: [] };
  const stopped: string[] = [];
  const jobs: string[] = [];
  const results: Result[] = [];
  const buildRunner: BuildRunner = {
    async start(_, job) {
      jobs.push(job);
      return build.id;
    },
    find: async (id) => (id === build.id ? build : undefined),
    stop: async (id) => void stopped.push(id),
  };
  const all = {
    ...deps,
    buildRunner,
    buildRegion: 'eu-west-1',
    async pause(ms: number) {
      clock.now += ms;
    },
    builds: { removeJob: async () => undefined, readResult: async () => results.at(-1) } as never,
  };
  return { ...made, all, of, key, build, stopped, jobs, results };
}
const STEP = { step: { jobUrl: 'https://job' } };

test('a submitted build is found by the id that the deployment keeps', async () => {
  const { all, of, deployments, jobs, stopped } = await submitting();
  expect(await submitBuild(all, { ...of, ...STEP })).toMatchObject({ status: 'RUNNING', id: 'b:1' });
  expect(deployments()).toMatchObject([{ buildId: 'b:1' }]);
  expect(jobs).toEqual(['https://job']);
  expect(stopped).toEqual([]);
});

test('a build that CodeBuild does not accept is submitted again later', async () => {
  const { all, of } = await submitting();
  const full = { ...all, buildRunner: { ...all.buildRunner, start: async () => undefined } };
  const build = await submitBuild(full, { ...of, ...STEP });
  expect(build).toEqual({ status: 'REFUSED' });
  expect(await recordFailure(all, { ...of, build })).toEqual({ again: true, fault: false, pause: 45 });
});

test('a build in a region that operators turned off waits until the region is on again', async () => {
  const { all, of, jobs } = await submitting();
  const set = (off: SwitchState['off']) => all.table.transact([upsert(SwitchState, {}, { set: { off, version: 1 } })]);
  await set({ 'build-region:eu-west-1': { message: 'Away.', since: '2026-01-31T09:30:00.000Z' } });
  const build = await submitBuild(all, { ...of, ...STEP });
  expect(await recordFailure(all, { ...of, build })).toMatchObject({ again: true, fault: false });
  expect(jobs).toEqual([]);
  await set({});
  expect(await submitBuild(all, { ...of, ...STEP })).toMatchObject({ status: 'RUNNING' });
});

/** Submits the build while something happens to the deployment, after CodeBuild was asked and before it answers. */
async function submitDuring({ all, of }: Awaited<ReturnType<typeof submitting>>, happens: () => Promise<unknown>) {
  const { buildRunner } = all;
  const meanwhile = {
    ...buildRunner,
    async start(id: string, job: string) {
      await happens();
      return await buildRunner.start(id, job);
    },
  };
  return await withVerdict(submitBuild, { ...all, buildRunner: meanwhile }, { ...of, ...STEP });
}

test.each(['SUSPENDED', 'DELETING'] as const)(
  'a build whose application is %s while it is submitted is stopped',
  async (status) => {
    const made = await submitting();
    const verdict = await submitDuring(made, () => made.set({ status }));
    const reason = expect.stringMatching(/application was (deleted|suspended)/);
    expect(verdict).toMatchObject({ failed: true, reason });
    expect(made.stopped).toEqual(['b:1']);
  },
);

test('a build whose deployment failed while it was submitted is stopped', async () => {
  const made = await submitting();
  const verdict = await submitDuring(made, () => made.fail(made.of.deploymentId));
  expect(verdict).toMatchObject({ failed: true, reason: 'The deployment has already ended.' });
  expect(made.stopped).toEqual(['b:1']);
});

test('a failed deployment stops its build unless the build has ended', async () => {
  const { all, of, deployments, stopped } = await submitting();
  await submitBuild(all, { ...of, ...STEP });
  // The execution was stopped, or a look at the build failed for good.
  await recordFailure(all, { ...of, error: { Error: 'Error', Cause: '' }, build: { status: 'RUNNING', id: 'b:1' } });
  for (const failed of deployments()) await discardBuild(all, failed);
  expect(stopped).toEqual(['b:1']);

  const other = await submitting();
  await submitBuild(other.all, { ...other.of, ...STEP });
  const phases = [{ type: 'BUILD', status: 'FAILED', seconds: 3 }];
  await recordFailure(other.all, { ...other.of, build: { status: 'FAILED', id: 'b:1', phases } });
  for (const failed of other.deployments()) await discardBuild(other.all, failed);
  expect(other.stopped).toEqual([]);
});

test('the teardown of an application stops its build', async () => {
  const { all, of, app, stopped } = await submitting();
  await submitBuild(all, { ...of, ...STEP });
  const executions = {
    start: async () => undefined,
    stop: async () => undefined,
    status: async () => 'ENDED' as const,
  };
  await startTeardown(
    { ...all, deployments: executions, teardowns: executions },
    (await app()) ?? expect.unreachable(),
  );
  expect(stopped).toEqual(['b:1']);
});

test('a watch ends with the build, and returns its phases', async () => {
  const { all, of, build, clock } = await submitting();
  const phases = [{ type: 'BUILD', status: 'SUCCEEDED', seconds: 5 }];
  const ending = {
    ...all,
    async pause(ms: number) {
      clock.now += ms;
      const age = clock.now - build.submittedAt.getTime();
      Object.assign(build, age > 4000 ? { status: 'SUCCEEDED', phases } : { status: 'RUNNING' });
    },
  };
  expect(await watchBuild(ending, { ...of, build })).toEqual({ status: 'SUCCEEDED', id: 'b:1', phases });
  expect(clock.now - build.submittedAt.getTime()).toBeLessThan(4500);
});

test.each<[string, Result, RunningBuild['status'], string]>([
  ['while CodeBuild ends the build', { commitSha: 'abc' }, 'RUNNING', 'SUCCEEDED'],
  ['also that it failed', { error: 'The build command failed.' }, 'RUNNING', 'FAILED'],
  ['although CodeBuild lost the builder then', { commitSha: 'abc' }, 'FAULT', 'SUCCEEDED'],
])('a look ends when the builder has reported, %s', async (_, result, status, end) => {
  const { all, of, build, clock, results } = await submitting();
  const minute = clock.now + 60_000;
  const queued = { type: 'QUEUED', status: 'SUCCEEDED', seconds: 12 };
  Object.assign(build, { status: 'RUNNING', phases: [queued, { type: 'BUILD' }] });
  const reporting = {
    ...all,
    async pause(ms: number) {
      clock.now = clock.now < minute ? Math.min(clock.now + ms, minute) : clock.now + ms;
      if (clock.now < minute) return;
      results.push(result);
      if (status === 'FAULT')
        Object.assign(build, { status, phases: [queued, { type: 'BUILD', status, seconds: 48 }] });
    },
  };
  let found = await watchBuild(reporting, { ...of, build });
  while (found.status === 'RUNNING') found = await watchBuild(reporting, { ...of, build });
  expect(found).toMatchObject({ status: end, phases: [queued, { type: 'BUILD', seconds: 48 }] });
  expect(clock.now - minute).toBeLessThan(1000);
});

test.each([
  [1000, 50],
  [4000, 100],
  [60_000, 250],
])('a build whose result is there after %i ms goes on after %i ms at most', async (duration, wait) => {
  const { all, of, build, clock, results } = await submitting();
  build.status = 'RUNNING';
  const done = build.submittedAt.getTime() + duration;
  const reporting = {
    ...all,
    async pause(ms: number) {
      clock.now += ms;
      if (clock.now >= done && results.length === 0) results.push({ commitSha: 'abc' });
    },
  };
  let found = await watchBuild(reporting, { ...of, build });
  while (found.status === 'RUNNING') found = await watchBuild(reporting, { ...of, build });
  expect(found).toMatchObject({ status: 'SUCCEEDED' });
  expect(clock.now - done).toBeLessThanOrEqual(wait);
});

test('a watch of a long build ends in time, and for a queued build the execution pauses', async () => {
  const { all, of, build, clock } = await submitting();
  build.status = 'RUNNING';
  const began = clock.now;
  expect(await watchBuild(all, { ...of, build })).toMatchObject({ status: 'RUNNING' });
  expect(clock.now - began).toBeLessThanOrEqual(TIMEOUTS_S.build.watch * 1000);
  build.status = 'QUEUED';
  clock.now = build.submittedAt.getTime() + 700_000;
  expect(await watchBuild(all, { ...of, build })).toMatchObject({ status: 'QUEUED', pause: 30, waited: 700 });
});

test('a build that CodeBuild never ends is stopped, and one that it lost has failed', async () => {
  const { all, of, build, clock, stopped } = await submitting();
  expect(await watchBuild(all, { ...of, build: { id: 'b:other' } })).toMatchObject({ status: 'FAULT' });
  const found = { ...all, builds: { readResult: async () => ({ commitSha: 'abc' }) } };
  expect(await watchBuild(found, { ...of, build: { id: 'b:other' } })).toMatchObject({ status: 'SUCCEEDED' });
  build.status = 'RUNNING';
  clock.now += (TIMEOUTS_S.build.whole + 1) * 1000;
  expect(await watchBuild(all, { ...of, build })).toMatchObject({ status: 'FAULT' });
  expect(stopped).toEqual(['b:1']);
});

test('a build that fails by CodeBuild’s fault is submitted again, for as long as a build may take', async () => {
  const { all, of, clock, deployments, account } = await submitting();
  const build = { status: 'FAULT', id: 'b:1', phases: [{ type: 'BUILD', status: 'FAULT', seconds: 600 }] };
  expect(await recordFailure(all, { ...of, build })).toEqual({ again: true, fault: false, pause: 5 });
  clock.now += TIMEOUTS_S.build.project * 1000;
  expect(await recordFailure(all, { ...of, build })).toEqual({ again: false, fault: true });
  expect(deployments()).toMatchObject([{ status: 'FAILED' }]);
  expect(await account()).toMatchObject({ buildMinutes: 0 });
});

test('a build that the builder could not complete is a fault of the platform, and one that its owner can fix is not', async () => {
  for (const { error, fault } of [
    { error: PLATFORM_FAULT, fault: true },
    // A text that an owner's own command may print.
    { error: PLATFORM_FAULT, fault: false },
    { error: 'The build command "exit 2" failed with exit code 2.', fault: false },
  ]) {
    const { all, of, deployments, results } = await submitting();
    results.push({ error, step: 'build', ...(fault ? { fault } : {}) });
    const build = { status: 'FAILED', id: 'b:1', phases: [] };
    expect(await recordFailure(all, { ...of, build })).toEqual({ again: false, fault });
    expect(deployments()).toMatchObject([{ status: 'FAILED', notes: [expect.stringContaining(error)] }]);
  }
});

test('a build that was stopped by CodeBuild has the reason of one that the builder stopped', async () => {
  const { all, of, deployments } = await submitting();
  const build = { status: 'TIMED_OUT', id: 'b:1', phases: [{ type: 'BUILD', status: 'TIMED_OUT', seconds: 1800 }] };
  expect(await recordFailure(all, { ...of, build })).toEqual({ again: false, fault: false });
  expect(deployments()).toMatchObject([
    { notes: [expect.stringContaining(timeLimitExceeded(TIMEOUTS_S.build.builder))] },
  ]);
});

/** Events of a standard execution: a task has five, a choice, a wait and a pass two each. */
const TASK = 5;
const OTHER = 2;

test('the longest wait for a builder fits into the history of an execution', () => {
  const { queue, project, wait, watch, pause } = TIMEOUTS_S.build;
  let events = 0;
  for (let waited = 0; waited < wait; ) {
    // Begin, its verdict, the submission, its status, the failure, its choice, the pause, and the state without the build.
    events += 3 * TASK + 5 * OTHER;
    let age = 10;
    for (; age < queue; age += queuePause(age * 1000)) events += TASK + 2 * OTHER;
    waited += age + pause;
  }
  // The last build runs, and is released.
  events += Math.ceil(project / (watch - 5)) * (TASK + OTHER) + 10 * (TASK + OTHER);
  expect(events).toBeLessThan(AWS_LIMITS.executionHistory.value);
});

test.each([
  ['is not JSON', '<html>'],
  ['is cut', '{"commitSha":"ab'],
  ['has another form', '{"detected":{"nodeVersion":"99"}}'],
  ['is a list', '[]'],
])('a build whose result %s has failed on our side', async (_, text) => {
  const { all, of, build, deployments, app } = await submitting();
  const getObject = async () => Buffer.from(text);
  const unused = async () => undefined;
  const builds = createBuilds({ getObject, putObject: unused, deleteObject: unused }, 'builds');
  build.status = 'RUNNING';
  const ended = await watchBuild({ ...all, builds }, { ...of, build: { id: build.id } });
  expect(ended.status).toBe('FAILED');
  expect(await recordFailure({ ...all, builds }, { ...of, build: ended })).toMatchObject({ again: false, fault: true });
  expect(deployments()).toMatchObject([{ status: 'FAILED', notes: [expect.stringContaining(PLATFORM_FAULT)] }]);
  expect((await app())?.activeDeploymentId).toBeUndefined();
});

test.each(['QUEUED', 'RUNNING', 'SUCCEEDED'] as const)(
  'a build that is %s holds up the next one only while it waits for a builder',
  async (status) => {
    const { all, of, build, clock } = await submitting();
    const since = new Date(clock.now).toISOString();
    await all.table.transact([create(NextBuild, { accountId: of.accountId, deploymentId: of.deploymentId, since })]);
    build.status = status;
    await watchBuild(all, { ...of, build });
    expect((await all.table.get(NextBuild, {})) !== undefined).toBe(status === 'QUEUED');
  },
);

test('a release that began to receive traffic is published again after errors, and its deployment fails after an hour', async () => {
  const { all, of, key, clock, deployments } = await submitting();
  const failing = { ...of, error: { Error: 'TimeoutError', Cause: '' }, step: { failed: false } };
  const set = { status: 'RUNNING', switchingAt: new Date(clock.now).toISOString() };
  await all.table.transact([change(Deployment, key, { set })]);
  for (const minutes of [2, 57]) {
    clock.now += minutes * 60_000;
    expect(await recordFailure(all, failing)).toEqual({ again: false, publish: true, fault: false, pause: 60 });
  }
  expect(deployments()).toMatchObject([{ status: 'RUNNING', finishedAt: null }]);
  clock.now += 60_000;
  expect(await recordFailure(all, failing)).toEqual({ again: false, fault: true });
  expect(deployments()).toMatchObject([{ status: 'FAILED', notes: [expect.stringContaining('may receive traffic')] }]);
});

test('a verdict ends a deployment whose release began to receive traffic, because its application was deleted', async () => {
  const { all, of, key, clock, deployments } = await submitting();
  const set = { status: 'RUNNING', switchingAt: new Date(clock.now).toISOString() };
  await all.table.transact([change(Deployment, key, { set })]);
  const step = { failed: true, reason: 'The application was deleted.' };
  expect(await recordFailure(all, { ...of, step })).toEqual({ again: false, fault: false });
  expect(deployments()).toMatchObject([{ status: 'FAILED' }]);
});
