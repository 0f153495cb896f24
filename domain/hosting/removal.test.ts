import { expect, test } from 'vitest';
import type { Executions } from '../../providers/workflows/executions.ts';
import { Subscription } from '../../table/entities/billing.ts';
import { HostingAccount, HostingDomain } from '../../table/entities/hosting.ts';
import { schedule } from '../../table/schedule.ts';
import { change, create } from '../../table/writes.ts';
import { hostingSimulation } from '../../test/simulation/hosting.ts';
import {
  crashAtStep,
  crashesAt,
  type FaultPlan,
  type SimulatedCall,
  toleratingFaults,
} from '../../test/simulation/simulation.ts';
import { sweep } from '../sweep/sweep.ts';
import { hostingQueue, reconcileHostingAccount } from './accounts.ts';
import { moveHosting } from './move.ts';

const HOSTING_DOMAIN = 'shop.example.com';
const MINUTE = 60_000;
const UPLOADED = [{ address: `written-later@${HOSTING_DOMAIN}`, quotaMb: 1 }];
const OVER = { status: 'CANCELLED', currentPeriodEnd: '2026-01-01T00:00:00.000Z' } as const;

type Outcome = 'goes on' | 'crashes' | 'is late';
type Hosting = Awaited<ReturnType<typeof hostingSimulation>>;

/** A subscription with an account on a server, whose paid period is over. A second one shares the account of the first. */
async function overSubscription({ deps, set, subscribe, clock }: Hosting): Promise<Subscription> {
  await set('web-1', true);
  const of = await subscribe({ hostingDomain: HOSTING_DOMAIN });
  expect(await reconcileHostingAccount(deps, of)).toEqual({});
  // The queue that starts the removal leaves the account due again, for the case that its process dies.
  const heartbeat = schedule(HostingAccount, new Date(clock.now + 10 * MINUTE));
  await deps.table.transact([change(Subscription, of, { set: OVER }), change(HostingAccount, of, { set: heartbeat })]);
  return of;
}

/** Lets time pass with the checks that are due. @param then is called after the checks of each step */
async function pass({ deps, clock }: Hosting, steps: number, stepMs: number, then = async () => {}): Promise<void> {
  for (let step = 0; step < steps; step += 1) {
    const started: string[] = [];
    const start = async (_: string, input: object) => void started.push(Reflect.get(input, 'subscriptionId'));
    await sweep({ ...deps, hosting: { start } as unknown as Executions }, hostingQueue);
    for (const id of started) await reconcileHostingAccount(deps, { accountId: 'acc_1', id });
    await then();
    clock.now += stepMs;
  }
}

/** Writes into the account on the server once the subscription's is shown as active. @returns whether it was written */
function uploads({ deps, servers }: Hosting) {
  let isWritten = false;
  return async (of: Subscription): Promise<boolean> => {
    const account = await deps.table.get(HostingAccount, of);
    if (isWritten || account?.status !== 'ACTIVE') return isWritten;
    const [accounts] = servers.values();
    const found = accounts?.get(account.username);
    if (!accounts || !found) return isWritten;
    accounts.set(account.username, { ...found, mailboxes: UPLOADED });
    isWritten = true;
    return isWritten;
  };
}

/**
 * Removes the account of a subscription that is over while a new one for its domain comes at one call of the removal.
 * @param outcome of the removal's process at that call. `is late`: its request to remove the account reaches the server after the new
 * subscription is served
 */
async function scenario(at: Pick<SimulatedCall, 'number' | 'when'>, outcome: Outcome, isShared: boolean) {
  const run = await hostingSimulation();
  const first = await overSubscription(run);
  const former = isShared ? await overSubscription(run) : first;
  const { username } = (await run.deps.table.get(HostingAccount, former)) ?? {};
  const upload = uploads(run);
  let newcomer: Subscription | undefined;
  let calls = 0;
  let isLate = false;
  const plan: FaultPlan = async ({ when, what }) => {
    if (when === 'before') calls += 1;
    if (newcomer || calls !== at.number || when !== at.when) return undefined;
    newcomer = await run.subscribe({ hostingDomain: HOSTING_DOMAIN, createdAt: '2026-02-01T00:00:00.000Z' });
    await reconcileHostingAccount(run.deps, newcomer);
    await upload(newcomer);
    isLate = outcome === 'is late' && what === 'panel.remove' && when === 'before';
    return outcome === 'crashes' || isLate ? 'crash' : undefined;
  };
  await toleratingFaults(() => reconcileHostingAccount(run.startReconciler(plan), former));
  if (!newcomer) return undefined;
  const of = newcomer;
  await pass(run, 20, MINUTE, async () => {
    if (!(await upload(of)) || !isLate) return;
    for (const accounts of run.servers.values()) accounts.delete(username ?? '');
  });
  await pass(run, 10, 12 * 60 * MINUTE);
  const [accounts] = run.servers.values();
  const account = await run.deps.table.get(HostingAccount, of);
  return {
    status: account?.status,
    former: await Promise.all(
      [first, former].map(async (each) => (await run.deps.table.get(HostingAccount, each))?.status),
    ),
    served: [...(accounts ?? [])].map(([name, { domain, mailboxes }]) => ({ name, domain, mailboxes })),
    name: account?.username,
  };
}

test.each([
  ['goes on', false],
  ['goes on', true],
  ['crashes', false],
  ['crashes', true],
  ['is late', false],
] as const)(
  'a new subscription at any call of a removal that %s (shared: %s) keeps what is written to its account',
  async (outcome, isShared) => {
    let number = 1;
    for (; ; number += 1) {
      const before = await scenario({ number, when: 'before' }, outcome, isShared);
      if (!before) break;
      for (const found of [before, (await scenario({ number, when: 'after' }, outcome, isShared)) ?? before])
        expect(found, `call ${number}`).toEqual({
          status: 'ACTIVE',
          former: ['REMOVED', 'REMOVED'],
          name: found.name,
          served: [{ name: found.name, domain: HOSTING_DOMAIN, mailboxes: UPLOADED }],
        });
    }
    expect(number).toBeGreaterThan(8);
  },
  120_000,
);

test('an account whose subscription is served again while it is removed is removed, and made again under another name', async () => {
  const run = await hostingSimulation();
  const { deps } = run;
  await run.set('web-1', true);
  const of = await run.subscribe({ hostingDomain: HOSTING_DOMAIN });
  await reconcileHostingAccount(deps, of);
  const before = await deps.table.get(HostingAccount, of);
  // Another account had proven the domain, and lost it again.
  const removing = { removing: deps.now().toISOString(), ...schedule(HostingAccount, deps.now()) };
  await deps.table.write(HostingAccount, change(HostingAccount, of, { set: removing }));
  await pass(run, 3, MINUTE);
  const after = await deps.table.get(HostingAccount, of);
  expect(after).toMatchObject({ status: 'ACTIVE' });
  expect(after).not.toHaveProperty('removing');
  expect(after?.username).not.toBe(before?.username);
  expect([...run.servers.values()].map((accounts) => [...accounts.keys()])).toEqual([[after?.username]]);
});

test('accounts that earlier versions stored are shared, kept for the last subscription, and removed with it', async () => {
  const run = await hostingSimulation();
  const { deps } = run;
  const former = await overSubscription(run);
  const of = await run.subscribe({ hostingDomain: HOSTING_DOMAIN }, { isEarlier: true });
  // Shared as versions did that counted no adoptions.
  const { username = '' } = (await deps.table.get(HostingAccount, former)) ?? {};
  const item = {
    accountId: of.accountId,
    id: of.id,
    server: 'web-1',
    username,
    status: 'ACTIVE',
    failures: 0,
  } as const;
  await deps.table.transact([create(HostingAccount, { ...item, dueAt: deps.now().toISOString() })]);
  await pass(run, 20, MINUTE);
  expect([...run.servers.values()].map((accounts) => [...accounts.keys()])).toEqual([[username]]);
  await deps.table.write(Subscription, change(Subscription, of, { set: OVER }));
  await pass(run, 4, 12 * 60 * MINUTE);
  expect([...run.servers.values()].map((accounts) => accounts.size)).toEqual([0]);
  for (const each of [former, of])
    expect(await deps.table.get(HostingAccount, each)).toMatchObject({ status: 'REMOVED' });
});

test('a removal that crashes at any call frees the domain, and leaves the queue', async () => {
  let isCrashed = true;
  for (let step = 1; isCrashed; step += 1)
    for (const { faults, hasCrashed } of crashesAt(step, crashAtStep)) {
      const run = await hostingSimulation();
      const of = await overSubscription(run);
      await toleratingFaults(() => reconcileHostingAccount(run.startReconciler(faults), of));
      isCrashed = hasCrashed();
      await pass(run, 20, MINUTE);
      const account = await run.deps.table.get(HostingAccount, of);
      expect([step, account?.status, account?.dueAt]).toEqual([step, 'REMOVED', undefined]);
      expect(await run.deps.table.get(HostingDomain, { domain: HOSTING_DOMAIN }), `step ${step}`).toBeUndefined();
    }
});

/**
 * Reconciles the first subscription up to one call, the second up to one of its own, the first to its end, and then the second.
 * @param between is called before the second begins
 * @returns whether each call came
 */
async function interleave(
  run: Hosting,
  [first, second]: readonly [Subscription, Subscription],
  [stepOfFirst, stepOfSecond]: readonly [number, number],
  between = () => {},
): Promise<[boolean, boolean]> {
  const pauses = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  let other: Promise<void> | undefined;
  let isPaused = false;
  const ofSecond = run.startReconciler(async ({ step, when }) => {
    if (step !== stepOfSecond || when === 'after') return undefined;
    isPaused = true;
    pauses[0].resolve();
    await pauses[1].promise;
    return undefined;
  });
  const ofFirst = run.startReconciler(async ({ step, when }) => {
    if (step !== stepOfFirst || when === 'after') return undefined;
    between();
    other = toleratingFaults(() => reconcileHostingAccount(ofSecond, second)).then(pauses[0].resolve);
    await pauses[0].promise;
    return undefined;
  });
  await toleratingFaults(() => reconcileHostingAccount(ofFirst, first));
  pauses[1].resolve();
  await other;
  return [other !== undefined, isPaused];
}

/** Calls a scenario with each pair of calls at which two runs can pause. */
async function atEachPair(scenario: (steps: readonly [number, number]) => Promise<[boolean, boolean]>): Promise<void> {
  for (let first = 1, came = true; came; first += 1)
    for (let second = 1, more = true; more; second += 1) {
      const [isReached, isPaused] = await scenario([first, second]);
      came = isReached;
      more = isReached && isPaused;
    }
}

/** Expects that subscriptions have ended, and left nothing. */
async function expectEnded({ deps, servers }: Hosting, subscriptions: readonly Subscription[], where: string) {
  for (const of of subscriptions) {
    const account = await deps.table.get(HostingAccount, of);
    // None is made for one that was over before.
    expect([where, account?.status ?? 'REMOVED', account?.dueAt]).toEqual([where, 'REMOVED', undefined]);
    expect((await deps.table.get(Subscription, of))?.panel?.status, where).toBe('REMOVED');
  }
  expect(await deps.table.get(HostingDomain, { domain: HOSTING_DOMAIN }), where).toBeUndefined();
  expect([...servers.values()].map((accounts) => accounts.size).filter(Boolean), where).toEqual([]);
}

test(
  'two subscriptions of one domain that end side by side, however they interleave, free it and leave the queue',
  () =>
    atEachPair(async (steps) => {
      const run = await hostingSimulation();
      const both = [await overSubscription(run), await overSubscription(run)] as const;
      const reached = await interleave(run, both, steps);
      await pass(run, 20, MINUTE);
      await expectEnded(run, both, `steps ${steps}`);
      return reached;
    }),
  120_000,
);

test.each([true, false])(
  'two checks of one subscription whose period ends between their reads, however they interleave, leave nothing (made before: %s)',
  (isMade) =>
    atEachPair(async (steps) => {
      const run = await hostingSimulation();
      await run.set('web-1', true);
      const of = await run.subscribe({
        hostingDomain: HOSTING_DOMAIN,
        status: 'CANCELLED',
        currentPeriodEnd: new Date(run.clock.now + 20_000).toISOString(),
      });
      if (isMade) await reconcileHostingAccount(run.deps, of);
      const reached = await interleave(run, [of, of], steps, () => {
        run.clock.now += 30_000;
      });
      run.clock.now += MINUTE;
      await pass(run, 20, MINUTE);
      await expectEnded(run, [of], `steps ${steps}`);
      return reached;
    }),
  120_000,
);

test('a check that another one overtakes at the end of the period, and that then dies at any call, leaves nothing', async () => {
  /** @returns whether the check came to the call at which the other one runs, and to the one at which it dies */
  const outrun = async (pause: number, death: number, when: 'before' | 'after'): Promise<[boolean, boolean]> => {
    const run = await hostingSimulation();
    await run.set('web-1', true);
    const of = await run.subscribe({
      hostingDomain: HOSTING_DOMAIN,
      status: 'CANCELLED',
      currentPeriodEnd: new Date(run.clock.now + 20_000).toISOString(),
    });
    let isOutrun = false;
    let isDead = false;
    const late = run.startReconciler(async (call) => {
      if (call.step === pause && call.when === 'before') {
        isOutrun = true;
        run.clock.now += 30_000;
        await toleratingFaults(() => reconcileHostingAccount(run.deps, of));
      }
      if (!isOutrun || call.step < death || call.when !== when) return undefined;
      isDead = true;
      return 'crash';
    });
    await toleratingFaults(() => reconcileHostingAccount(late, of));
    // As the state machine repeats it.
    await toleratingFaults(() => reconcileHostingAccount(run.deps, of));
    run.clock.now += MINUTE;
    await pass(run, 20, MINUTE);
    await expectEnded(run, [of], `outrun at ${pause}, dead ${when} ${death}`);
    return [isOutrun, isDead];
  };
  for (const when of ['before', 'after'] as const)
    for (let pause = 1, came = true; came; pause += 1)
      for (let death = pause, more = true; more; death += 1) {
        const [isOutrun, isDead] = await outrun(pause, death, when);
        came = isOutrun;
        more = isOutrun && isDead;
      }
}, 120_000);

test('an account that is removed cannot be moved to another server, and stays out of the queue', async () => {
  const run = await hostingSimulation();
  const of = await overSubscription(run);
  await pass(run, 20, MINUTE);
  await run.set('web-2', true);
  const moved = moveHosting(run.deps, { accountId: of.accountId, id: of.id, server: 'web-2' });
  await expect(moved).rejects.toMatchObject({ code: 'not_found' });
  expect(await run.deps.table.get(HostingAccount, of)).not.toHaveProperty('dueAt');
});

test('an account that is removed and due, as earlier versions left some, leaves the queue', async () => {
  const run = await hostingSimulation();
  const of = await overSubscription(run);
  await pass(run, 20, MINUTE);
  const due = { set: schedule(HostingAccount, run.deps.now()) };
  await run.deps.table.write(HostingAccount, change(HostingAccount, of, due));
  await pass(run, 2, MINUTE);
  expect(await run.deps.table.get(HostingAccount, of)).not.toHaveProperty('dueAt');
});
