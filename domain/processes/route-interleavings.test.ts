import { expect, test } from 'vitest';
import { App, Host } from '../../table/entities/apps.ts';
import { Deployment } from '../../table/entities/deployments.ts';
import { change, create, remove } from '../../table/writes.ts';
import { newSimulatedAccount } from '../../test/simulation/account.ts';
import { simulatedApp } from '../../test/simulation/app.ts';
import { immediateStore, simulatedRoutes } from '../../test/simulation/routes.ts';
import {
  type FaultPlan,
  interruptEach,
  noFaults,
  simulation,
  toleratingFaults,
} from '../../test/simulation/simulation.ts';
import { inEveryCell } from '../../test/support/cells.ts';
import { deleteApp } from '../apps/apps.ts';
import { addSuspension } from '../apps/suspension.ts';
import { routeCustomDomain, unrouteCustomDomain } from '../custom-domains/verify.ts';
import { routeNewApp } from '../deployments/executions.ts';
import { switchRelease } from '../deployments/release.ts';
import { applyAppStatus } from '../deployments/suspension.ts';
import { teardownApp } from './teardown.ts';

/**
 * Each operation that changes the routes of an application, while the application is deleted and other accounts create applications
 * with its names: before each call of the operation, which then continues, or dies soon afterwards.
 */

const HOST = 'shop.apps.example.com';
const DOMAIN = 'shop.mine.co.za';
const OLD = { accountId: 'acc_1', id: 'app_old' };
const NEXT = { accountId: 'acc_2', id: 'app_next' };
const DEPLOYMENT = { accountId: OLD.accountId, applicationId: OLD.id, deploymentId: 'dep_1' };
/** The number of calls at one of which, from the deletion on, the second event of a schedule happens. */
const MAX_APART = 5;
const nothing = async () => undefined;

const domain = (token: string) =>
  ({ host: DOMAIN, token, status: 'VERIFIED', claimedAt: '', checkedAt: null }) as const;
const appOf = (of: typeof OLD, fields: Partial<App> = {}) =>
  simulatedApp({ ...of, slug: 'shop', hosts: [HOST], primaryDomain: DOMAIN, customDomain: domain(of.id), ...fields });
const hostClaims = ({ accountId, id: applicationId }: typeof OLD) =>
  [HOST, DOMAIN].map((host) => create(Host, { host, accountId, applicationId }));

async function world() {
  const { clock, startProcess } = simulation();
  const { store, entries } = immediateStore();
  /** A process with everything that the operations use. */
  function process(faults: FaultPlan = noFaults) {
    const { deps, port } = startProcess({ faults });
    const cell = inEveryCell({
      hostRoutes: simulatedRoutes(deps, port('store', store), clock),
      appAccess: port('access', { open: nothing, close: nothing }),
      appHost: port('host', { switchTo: async () => 'function.aws', remove: nothing }),
      appLogs: { remove: nothing },
    });
    const providers = {
      builds: { remove: nothing, removeCaches: nothing },
      databases: { remove: nothing },
      deployments: { start: nothing, stop: nothing, status: async () => 'RUNNING' },
    };
    return { ...deps, ...cell, ...providers } as never;
  }
  const steady = startProcess({ faults: noFaults }).deps;
  const { table } = steady;
  await table.transact([
    newSimulatedAccount(OLD.accountId),
    newSimulatedAccount(NEXT.accountId),
    create(App, appOf(OLD, { activeDeploymentId: DEPLOYMENT.deploymentId })),
    ...hostClaims(OLD),
    create(Deployment, {
      ...DEPLOYMENT,
      id: DEPLOYMENT.deploymentId,
      status: 'RUNNING',
      trigger: 'API',
      commitSha: '',
      startedAt: '',
      finishedAt: null,
      notes: [],
      release: '7',
    }),
  ]);
  await routeNewApp(process(), appOf(OLD));
  await routeCustomDomain(process(), appOf(OLD));
  const once = (work: () => Promise<unknown>) => {
    let begun: Promise<unknown> | undefined;
    return () => {
      begun ??= work();
      return begun;
    };
  };
  const deleteOnce = once(() => deleteApp(steady, { accountId: OLD.accountId, keyId: '' }, { id: OLD.id }));
  const teardown = (by = process()) => teardownApp(by, { accountId: OLD.accountId, applicationId: OLD.id });
  return {
    entries,
    process,
    teardown,
    deleteOnce,
    suspend: () => addSuspension(steady, OLD, { cause: 'OPERATOR', reason: 'Phishing.' }),
    /** Releases the domain, which has no tenant. */
    releaseDomain: () =>
      table.transact([
        change(App, OLD, { remove: ['customDomain'] }),
        remove(Host, { host: DOMAIN }, {}, () => new Error('free')),
      ]),
    /** Deletes the application to the end, and creates another account's application with its names. */
    transferNames: once(async () => {
      await deleteOnce();
      await teardown();
      // The job that ends the route of the domain may not have ended.
      const { [DOMAIN]: _, ...left } = entries();
      expect(left, 'no route is left at a free name').toEqual({});
      await table.transact([create(App, appOf(NEXT)), ...hostClaims(NEXT)]);
      await routeNewApp(process(), appOf(NEXT));
      await routeCustomDomain(process(), appOf(NEXT));
    }),
    /** A process that was to route the application before its deletion comes to the write only now. */
    routeLate: () => simulatedRoutes(steady, store, clock).point([HOST, DOMAIN], 'late', OLD.id),
    /** Writes the changes that a process left that died with the writer's lease. */
    writeRest: () => simulatedRoutes(steady, store, clock).resume(['other.example'], 'app_other'),
  };
}
type World = Awaited<ReturnType<typeof world>>;

const operations: Record<string, (made: World) => Promise<(by: never) => Promise<unknown>>> = {
  'the first route': async () => async (by) => routeNewApp(by, appOf(OLD)),
  'the switch to a release': async () => async (by) => switchRelease(by, DEPLOYMENT),
  'a suspension': async ({ suspend }) => {
    await suspend();
    return async (by) => applyAppStatus(by, OLD);
  },
  'the route of a domain': async () => async (by) => routeCustomDomain(by, appOf(OLD)),
  'the end of the route of a domain': async ({ releaseDomain }) => {
    await releaseDomain();
    return async (by) => unrouteCustomDomain(by, appOf(OLD), DOMAIN);
  },
  'a teardown': async ({ deleteOnce, teardown }) => {
    await deleteOnce();
    return async (by) => teardown(by);
  },
};

/** The calls of an operation before which its application is deleted and its names get another owner, and after which it dies. */
interface Schedule {
  deletion: number;
  transfer: number;
  death: number;
}
const NEVER = Number.POSITIVE_INFINITY;

/** Returns the schedules in which the application is deleted before a call: with every second event that follows soon. */
const schedulesAt = (deletion: number): Schedule[] =>
  Array.from({ length: MAX_APART }, (_, apart) => deletion + apart).flatMap((call) => [
    { deletion, transfer: call, death: NEVER },
    { deletion, transfer: deletion, death: call },
    { deletion, transfer: NEVER, death: call },
  ]);

/** @returns the number of the operation's calls */
async function runSchedule(
  prepare: (typeof operations)[string],
  { deletion, transfer, death }: Schedule,
): Promise<number> {
  const made = await world();
  const act = await prepare(made);
  let calls = 0;
  const faults: FaultPlan = async ({ step, when }) => {
    if (when === 'before' && step === deletion) await made.deleteOnce();
    if (when === 'before' && step === transfer) await made.transferNames();
    calls = Math.max(calls, step);
    return when === 'after' && step === death ? 'crash' : undefined;
  };
  await toleratingFaults(() => act(made.process(faults)));
  await made.transferNames();
  await made.writeRest();
  const name = `deleted before call ${deletion}, names transferred before ${transfer}, dead after ${death}`;
  expect(made.entries(), name).toEqual({ [HOST]: 'placeholder', [DOMAIN]: `@${HOST}` });
  return calls;
}

test.each(Object.entries(operations))(
  '%s leaves the names to their next owner, whenever the application is deleted and wherever it dies',
  async (_, prepare) => {
    const calls = await runSchedule(prepare, { deletion: NEVER, transfer: NEVER, death: NEVER });
    expect(calls).toBeGreaterThan(5);
    for (let deletion = 1; deletion <= calls; deletion += 1)
      for (const schedule of schedulesAt(deletion)) await runSchedule(prepare, schedule);
  },
);

test('a route that is written during a teardown is not left at the free names', async () => {
  await interruptEach(async (late) => {
    const made = await world();
    await made.deleteOnce();
    await made.teardown(made.process(late.by(made.routeLate)));
    expect(made.entries(), `routed before call ${late.step} of the teardown`).toEqual({});
  });
});
