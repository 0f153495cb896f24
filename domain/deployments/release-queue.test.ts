import { expect, test } from 'vitest';
import { AWS_LIMITS } from '../../contract/limits/aws-limits.ts';
import { HostThrottled } from '../../providers/app-host/resources.ts';
import { App } from '../../table/entities/apps.ts';
import { Deployment } from '../../table/entities/deployments.ts';
import { change, create } from '../../table/writes.ts';
import { newSimulatedAccount } from '../../test/simulation/account.ts';
import { simulatedApp } from '../../test/simulation/app.ts';
import {
  conflictFirst,
  crashesAt,
  type FaultPlan,
  interruptAt,
  simulation,
  toleratingFaults,
} from '../../test/simulation/simulation.ts';
import { inEveryCell } from '../../test/support/cells.ts';
import { newDeployment } from './deployment.ts';
import { getDeployment } from './deployments.ts';
import { releaseDeployment } from './release.ts';
import { RELEASE_REQUESTS } from './release-pace.ts';
import type { Admission } from './release-queue.ts';

const DOCUMENTED = AWS_LIMITS.lambdaControlPlaneRate.value;

/** A Lambda whose control plane takes so many requests a second, as a token bucket; a release is refused where it is empty. */
function host(clock: { now: number }, rate: number, burst: number) {
  let tokens = burst;
  let at = clock.now;
  const counts = { released: 0, refused: 0 };
  const release = async () => {
    tokens = Math.min(burst, tokens + ((clock.now - at) / 1000) * rate);
    at = clock.now;
    if (tokens < RELEASE_REQUESTS) {
      counts.refused += 1;
      throw new HostThrottled('Rate exceeded');
    }
    tokens -= RELEASE_REQUESTS;
    counts.released += 1;
    return '1';
  };
  return { counts, release };
}

interface World {
  /** Requests a second that Lambda takes. */
  rate?: number;
  /** Requests that it takes at once. */
  burst?: number;
  faults?: FaultPlan;
}

/** Deployments that are built, each with an execution that requests admission, pauses as told, and requests it again. */
async function world({ rate = DOCUMENTED, burst = DOCUMENTED, faults }: World = {}) {
  const { memory, clock, steady, startProcess } = simulation({ ...(faults ? { faults } : {}) });
  const { deps } = steady;
  const lambda = host(clock, rate, burst);
  const provided = {
    bucket: 'builds',
    builds: { readResult: async () => ({ commitSha: 'abc' }) } as never,
    ...inEveryCell({ appHost: { release: lambda.release }, appLogs: { prepare: async () => undefined } }),
  };
  const accounts = new Set<string>();
  /** Deployments in the order in which they were released. */
  const released: string[] = [];
  const due = new Map<string, number>();
  const accountOf = new Map<string, string>();
  const read = async (id: string) =>
    (await deps.table.get(Deployment, { accountId: accountOf.get(id) ?? '', id })) ?? expect.fail('no deployment');
  const step = (id: string, to = startProcess().deps) => {
    const accountId = accountOf.get(id) ?? '';
    return releaseDeployment({ ...to, ...provided }, { accountId, applicationId: `app_${id}`, deploymentId: id });
  };
  return {
    memory,
    clock,
    deps,
    startProcess,
    lambda: lambda.counts,
    released,
    read,
    step,
    due,
    /** A deployment whose build has just ended. */
    async built(accountId: string): Promise<string> {
      if (!accounts.has(accountId)) await deps.table.transact([newSimulatedAccount(accountId, {})]);
      accounts.add(accountId);
      clock.now += 1;
      const made = newDeployment(deps, { accountId, applicationId: '' }, 'API');
      const { id } = made;
      const application = simulatedApp({
        id: `app_${id}`,
        accountId,
        slug: id,
        primaryDomain: id,
        hosts: [id],
        autoDeploy: true,
      });
      await deps.table.transact([made.write, create(App, application)]);
      await deps.table.transact([
        change(Deployment, { accountId, id }, { set: { status: 'RUNNING', applicationId: `app_${id}` } }),
      ]);
      accountOf.set(id, accountId);
      due.set(id, clock.now);
      return id;
    },
    /** Lets executions run until all are released, or until a condition holds. */
    async run(until: () => boolean = () => false) {
      while (due.size > 0 && !until()) {
        const [[id, at] = expect.fail()] = [...due].sort((a, b) => a[1] - b[1]);
        clock.now = Math.max(clock.now, at);
        let admission: Admission | undefined;
        const act = async () => {
          admission = await step(id);
        };
        await (faults ? toleratingFaults(act) : act());
        // The state machine repeats a step that crashed.
        if (admission === undefined) due.set(id, clock.now + 2000);
        else if (admission.waiting) due.set(id, clock.now + admission.pause * 1000);
        else {
          released.push(id);
          due.delete(id);
        }
      }
    },
    queueOf: async (id: string) => {
      const shown = { ...deps, builds: { readLog: async () => [] } } as never;
      return (await getDeployment(shown, { accountId: accountOf.get(id) ?? '', keyId: 'key' }, { id })).data.queue;
    },
  };
}

test('concurrent releases wait for Lambda’s rate, none is throttled, and those of an account keep their order', async () => {
  const { built, run, released, lambda, clock } = await world();
  const ids: string[] = [];
  for (let count = 0; count < 60; count += 1) ids.push(await built('a'));
  const began = clock.now;
  await run();
  expect(released).toEqual(ids);
  expect(lambda).toEqual({ released: 60, refused: 0 });
  // Neither faster than Lambda allows, nor much slower.
  const seconds = (clock.now - began) / 1000;
  const least = ((60 - 1) * RELEASE_REQUESTS - DOCUMENTED) / DOCUMENTED;
  expect(seconds).toBeGreaterThan(least);
  expect(seconds).toBeLessThan(least * 1.5 + 20);
});

test('a burst of one account delays another account’s release by at most one', async () => {
  const { built, run, released } = await world();
  for (let count = 0; count < 25; count += 1) await built('busy');
  await run(() => released.length === 5);
  const id = await built('other');
  await run();
  expect(released).toHaveLength(26);
  // Besides those whose turns had come, of which there are as many as one moment had requests free.
  expect(released.indexOf(id) - 5).toBeLessThanOrEqual(1);
});

test('accounts whose releases wait take turns', async () => {
  const { built, run, released, read } = await world();
  for (let count = 0; count < 20; count += 1) await built('a');
  await run(() => released.length === 4);
  for (let count = 0; count < 8; count += 1) await built('b');
  await run(() => released.length === 20);
  const accounts = await Promise.all(released.slice(4).map(async (id) => (await read(id)).accountId));
  expect(accounts.filter((account) => account === 'b').length).toBeGreaterThanOrEqual(7);
});

test('a release is queued while others keep changing the pace of its cell', async () => {
  const { built, step, read } = await world({ faults: conflictFirst(8, 0) });
  const id = await built('a');
  expect(await step(id)).toMatchObject({ waiting: true });
  expect((await read(id)).status).toBe('RUNNING');
});

test('if Lambda accepts less than its documented rate, the pace adapts, and every release succeeds', async () => {
  const rate = 4;
  const { built, run, released, lambda, clock } = await world({ rate });
  for (let count = 0; count < 60; count += 1) await built('a');
  const began = clock.now;
  await run();
  expect([released.length, lambda.released]).toEqual([60, 60]);
  const seconds = (clock.now - began) / 1000;
  const ideal = (60 * RELEASE_REQUESTS) / rate;
  console.log(`60 releases: ${seconds.toFixed(0)} s of at least ${ideal} s, ${lambda.refused} refused`);
  expect(seconds).toBeLessThan(2 * ideal);
  // Without a pace that learns, nearly every admission would meet a refusal.
  expect(lambda.refused).toBeLessThan(30);
});

test('a deployment shows its position and the reason while it waits, and neither afterwards', async () => {
  const { built, run, queueOf, step, read } = await world();
  const ids: string[] = [];
  for (let count = 0; count < 6; count += 1) ids.push(await built('a'));
  const other = await built('b');
  const [last = ''] = ids.slice(-1);
  expect(await queueOf(last)).toBeNull();
  for (const id of [...ids, other]) await step(id);
  expect((await read(last)).notes).toEqual([expect.stringContaining('==> Waiting in the release queue')]);
  const reason = 'Built, and waiting in the release queue';
  expect(await queueOf(last)).toEqual({ position: 5, reason });
  expect(await queueOf(other)).toEqual({ position: 1, reason });
  await run();
  expect(await queueOf(last)).toBeNull();
});

test('an execution that dies while it waits blocks no other, and leaves no item', async () => {
  const { built, run, released, due, memory, clock } = await world();
  const ids: string[] = [];
  for (let count = 0; count < 10; count += 1) ids.push(await built('a'));
  await run(() => released.length === 2);
  for (const id of ids.slice(2, 6)) due.delete(id);
  await run();
  expect(released).toEqual([...ids.slice(0, 2), ...ids.slice(6)]);
  clock.now += 10 * 60_000;
  await built('a');
  await run();
  expect(memory.items('QUEUED_RELEASE')).toEqual([]);
});

test('wherever a step crashes, all deployments are released eventually', async () => {
  for (let number = 1; number <= 60; number += 1) {
    for (const { when, faults } of crashesAt(number)) {
      const { built, run, released } = await world({ faults });
      const ids = [await built('a'), await built('b'), await built('a'), await built('c')];
      await run();
      expect([...released].sort(), `${when} ${number}`).toEqual([...ids].sort());
    }
  }
});

test('a release that is not admitted for two hours fails, as a fault of the platform', async () => {
  const { built, step, clock, lambda } = await world({ rate: 0, burst: 0 });
  const id = await built('a');
  for (let minute = 0; minute <= 120; minute += 1) {
    expect(await step(id)).toEqual({ waiting: true, pause: expect.any(Number) });
    clock.now += 60_000;
  }
  await expect(step(id)).rejects.toThrow('was not admitted within 7200 s');
  expect(lambda).toEqual({ released: 0, refused: expect.any(Number) });
});

test('of two releases that request admission at the same moment, as many are admitted as the pace allows', async () => {
  for (let at = 1, isReached = true; isReached; at += 1) {
    isReached = false;
    const { built, lambda, startProcess, step } = await world();
    const [first, second] = [await built('a'), await built('b')];
    const faults = interruptAt(at, async () => {
      isReached = true;
      await step(second);
    });
    await step(first, startProcess({ faults }).deps);
    if (isReached) expect(lambda, `before request ${at}`).toEqual({ released: 1, refused: 0 });
  }
});
