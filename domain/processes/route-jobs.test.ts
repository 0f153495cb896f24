import { expect, test } from 'vitest';
import type { Job } from '../../providers/queues/job-queue.ts';
import { App } from '../../table/entities/apps.ts';
import { PendingJob } from '../../table/entities/jobs.ts';
import { remove } from '../../table/writes.ts';
import { deploymentSimulation } from '../../test/simulation/deployments.ts';
import {
  crashAtStep,
  type FaultPlan,
  interruptEach,
  runUntil,
  SimulatedCrash,
} from '../../test/simulation/simulation.ts';
import { inEveryCell } from '../../test/support/cells.ts';
import { addSuspension, removeSuspension } from '../apps/suspension.ts';
import { pendingJobQueue } from '../sweep/pending-jobs.ts';
import { sweep } from '../sweep/sweep.ts';
import { createApp } from './create-app.ts';
import { performJob } from './jobs.ts';
import { ROUTE_JOBS } from './route-jobs.ts';

const MINUTE = 60_000;

/** Applications whose every change the stream loses, and the sweep of pending jobs. The edge only records what is asked of it. */
async function harness() {
  const made = await deploymentSimulation();
  const { deps, ids, clock, memory, startProcess } = made;
  const of = { accountId: ids.accountId, id: ids.applicationId };
  const edge = { isSuspended: false, isClosed: false, routed: [] as string[] };
  const record = async (set: Partial<typeof edge>) => void Object.assign(edge, set);
  const nothing = async () => undefined;
  const hostRoutes = {
    point: nothing,
    pointIfUnset: async (hosts: readonly string[]) => void edge.routed.push(...hosts),
    remove: nothing,
    suspend: () => record({ isSuspended: true }),
    resume: () => record({ isSuspended: false }),
  };
  const appAccess = { close: () => record({ isClosed: true }), open: () => record({ isClosed: false }) };
  const deployments = { start: nothing, status: async () => 'RUNNING' as const, stop: nothing };
  const queue: Job[] = [];
  const routes = { send: async (jobs: readonly Job[]) => void queue.push(...jobs) };

  /** Performs a job in a process of its own. */
  async function perform(job: Job, faults?: FaultPlan) {
    const process = startProcess(faults ? { faults } : {});
    const cell = inEveryCell({
      hostRoutes: process.port('routes', hostRoutes),
      appAccess: process.port('access', appAccess),
    });
    return await performJob(ROUTE_JOBS, { ...process.deps, ...cell, deployments }, job, nothing);
  }
  const sweepJobs = async () => {
    clock.now += MINUTE;
    return await sweep({ ...deps, jobs: { routes } }, pendingJobQueue);
  };
  const pending = () => memory.items('PENDING_JOB');
  return {
    ...made,
    of,
    edge,
    queue,
    perform,
    sweepJobs,
    pending,
    /** The message that the stream sends with a change. */
    message: { job: 'app.apply-status', key: App.key(of), accountId: of.accountId } satisfies Job,
    suspend: (cause: 'OPERATOR' | 'PLAN' = 'OPERATOR') => addSuspension(deps, of, { cause, reason: 'Phishing.' }),
    resume: () => removeSuspension(deps, of, 'OPERATOR'),
    /** Sweeps, and performs what was handed over, until no job is pending. */
    settle: () =>
      runUntil(
        () => pending().length === 0,
        async () => {
          await sweepJobs();
          for (const job of queue.splice(0)) await perform(job);
        },
        10,
      ),
  };
}
type Harness = Awaited<ReturnType<typeof harness>>;

/** Changes of the status that the stream loses, each after the other one was applied. */
const changes = Object.entries({
  suspended: async ({ suspend }: Harness): Promise<void> => {
    await suspend();
  },
  resumed: async ({ suspend, resume, perform, message, edge }: Harness): Promise<void> => {
    await suspend();
    await perform(message);
    expect(edge).toMatchObject({ isSuspended: true, isClosed: true });
    await resume();
  },
});

test.each(changes)(
  'an application that was %s is handed over again a minute after the stream lost it',
  async (name, act) => {
    const made = await harness();
    const { edge, queue, sweepJobs, pending, settle } = made;
    await act(made);
    made.clock.now -= 1;
    await sweepJobs();
    expect(queue, 'not before the stream had its time').toEqual([]);
    await settle();
    expect(edge).toMatchObject({ isSuspended: name === 'suspended', isClosed: name === 'suspended' });
    await sweepJobs();
    expect([pending(), queue]).toEqual([[], []]);
  },
);

test('a change that the stream delivers leaves nothing to sweep, and a further cause requires no job', async () => {
  const { suspend, resume, message, perform, pending } = await harness();
  await suspend();
  expect(pending()).toHaveLength(1);
  await perform(message);
  expect(pending()).toEqual([]);
  await suspend('PLAN');
  await resume();
  expect(pending(), 'it stays suspended').toEqual([]);
});

test('a change while an earlier one is handed over again is due a minute after itself', async () => {
  await interruptEach(async (interruption) => {
    const { suspend, resume, pending, startProcess, clock } = await harness();
    await suspend();
    clock.now += 30 * MINUTE;
    const { deps } = startProcess({ faults: interruption.by(resume) });
    await sweep({ ...deps, jobs: { routes: { send: async () => undefined } } }, pendingJobQueue);
    const [job] = pending().map((item) => PendingJob.parse(item));
    const minutes = (Date.parse(job?.dueAt ?? '') - clock.now) / MINUTE;
    expect(minutes, `before call ${interruption.step}`).toBeCloseTo(interruption.isReached ? 1 : 30, 0);
  });
});

test.each(changes)(
  'a change while a job applies that it was %s is applied, although the stream loses it',
  async (name, act) => {
    await interruptEach(async (interruption) => {
      const made = await harness();
      const { perform, message, suspend, resume, settle, edge, app } = made;
      await act(made);
      const opposite = () => (name === 'suspended' ? resume() : suspend());
      await perform(message, interruption.by(opposite));
      await settle();
      const isSuspended = (await app())?.status === 'SUSPENDED';
      expect(isSuspended).toBe((name === 'suspended') !== interruption.isReached);
      expect(edge, `before call ${interruption.step}`).toMatchObject({ isSuspended, isClosed: isSuspended });
    });
  },
);

test.each(changes)(
  'a message of the sweep that arrives after the end of what was %s does not repeat it',
  async (name, act) => {
    const made = await harness();
    const { perform, sweepJobs, queue, message, suspend, resume, edge, pending } = made;
    await act(made);
    await sweepJobs();
    await (name === 'suspended' ? resume() : suspend());
    await perform(message);
    for (const late of queue.splice(0)) await perform(late);
    const isSuspended = name !== 'suspended';
    expect(edge).toMatchObject({ isSuspended, isClosed: isSuspended });
    expect(pending()).toEqual([]);
  },
);

test.each(changes)(
  'an application that was %s has its status although the job crashes and its message is lost',
  async (name, act) => {
    let crashes = 0;
    for (const when of ['before', 'after'] as const)
      for (let step = 1, crashed = true; crashed; step += 1) {
        const made = await harness();
        await act(made);
        crashed = await made.perform(made.message, crashAtStep(step, when)).then(
          () => false,
          (error: unknown) => error instanceof SimulatedCrash,
        );
        await made.settle();
        const expected = { isSuspended: name === 'suspended', isClosed: name === 'suspended' };
        expect(made.edge, `crashed ${when} call ${step}`).toMatchObject(expected);
        crashes += Number(crashed);
      }
    expect(crashes).toBeGreaterThan(8);
  },
);

test('a job about an application that is deleted meanwhile leaves neither a suspension nor itself', async () => {
  for (const deletion of ['DELETING', 'gone']) {
    const { suspend, set, deps, of, settle, edge } = await harness();
    await suspend();
    await (deletion === 'gone' ? deps.table.transact([remove(App, of)]) : set({ status: 'DELETING' }));
    await settle();
    expect(edge.isSuspended, deletion).toBe(false);
  }
});

test('a job that keeps failing is handed over again at growing intervals, at most once an hour in the end', async () => {
  const { suspend, sweepJobs, queue } = await harness();
  await suspend();
  const at: number[] = [];
  for (let minute = 1; minute <= 600; minute += 1) {
    await sweepJobs();
    if (queue.splice(0).length > 0) at.push(minute);
  }
  expect(at).toEqual([1, 2, 4, 8, 16, 32, 64, 124, 184, 244, 304, 364, 424, 484, 544]);
});

test('a new application gets its placeholder although the stream loses its creation', async () => {
  const { deps, ids, settle, edge, pending } = await harness();
  const sealed = { wrappedKey: '', iv: '', ciphertext: '' };
  const secrets = { seal: async () => sealed, unseal: async () => '' };
  const input = { name: 'Shop', framework: 'NODE', installCommand: 'npm ci' };
  const caller = { accountId: ids.accountId, keyId: '' };
  const { data } = await createApp({ ...deps, secrets, cells: async () => [] }, caller, input as never);
  expect(pending().map((item) => PendingJob.parse(item).job)).toEqual(['app.route-placeholder']);
  await settle();
  expect(edge.routed).toEqual([data.primaryDomain]);
});
