import { limitMessage, limitOf } from '../../contract/limits/limits.ts';
import { Account } from '../../table/entities/accounts.ts';
import { BuildQueue, Deployment, NextBuild, QueuedBuild, queuedBuildsOf } from '../../table/entities/deployments.ts';
import type { Change } from '../../table/expressions.ts';
import { partitionsOf, schedule, unschedule } from '../../table/schedule.ts';
import { change, create, remove, type Write } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { countTowards, usageOf } from '../limits/limits.ts';
import type { DueQueue } from '../sweep/sweep.ts';
import { MINUTE_MS, millisecondsBetween, timestampAfter } from '../time.ts';
import { freeNextBuild } from './build-line.ts';
import { scheduleCheck } from './deployment.ts';
import { failDeployment } from './finish.ts';

/**
 * The scheduler in front of the build service (docs/decisions/0053-build-scheduler.md). Builds wait in one line per account;
 * the next one is admitted when the one before has got its builder. So the build service's own queue, which is first come,
 * first served, never holds more than one build, and what it can carry is seen from what it starts.
 */

/** Lines that one admission compares: those that have waited longest for their turn. */
const MAX_LINES = 20;
/** Builds of one line that one admission drops. */
const MAX_DROPPED = 25;
/** An account that has its builds at once is looked at again when one ends, and after this in any case. */
const POSTPONE_MS = MINUTE_MS;
/** A build that waits in front of the builders for longer is looked at: its deployment may have ended. */
const NEXT_BUILD_CHECK_MS = MINUTE_MS;

/** Why a deployment was not admitted. */
class NotAdmitted extends Error {
  readonly because: 'BUSY' | 'ENDED' | 'LIMIT';
  constructor(because: NotAdmitted['because']) {
    super(because);
    this.because = because;
  }
}
const unless = (because: NotAdmitted['because']) => () => new NotAdmitted(because);

/** A line whose turn it may be. */
interface Line {
  accountId: string;
  dueAt: string;
  /** Builds that it has counted. */
  waiting: number;
  /** Undefined for one that does not exist any more. */
  account: Account | undefined;
  /** The account's deployments under way. */
  running: number;
}

/**
 * Admits the next build unless one is waiting in front of the builders already: of the account with the fewest deployments
 * under way, and of these of the one whose last turn is longest ago.
 * @param candidate an account whose line the index may not show yet
 */
export async function admitBuild(deps: Deps, candidate?: string): Promise<void> {
  if (await isBusy(deps)) return;
  for (const line of await findLines(deps, candidate)) {
    try {
      if (await admitFirst(deps, line)) return;
    } catch (error) {
      // A line that fails holds up no other: the sweep over them (below) counts its failures.
      if (line.accountId === candidate) throw error;
    }
  }
}

/** True while a build waits in front of the builders. One whose deployment has ended without making room is removed. */
async function isBusy(deps: Deps): Promise<boolean> {
  const next = await deps.table.get(NextBuild, {});
  if (!next || millisecondsBetween(deps.now(), next.since) < NEXT_BUILD_CHECK_MS) return next !== undefined;
  const deployment = await deps.table.get(Deployment, { accountId: next.accountId, id: next.deploymentId });
  if (deployment?.finishedAt === null) return true;
  await freeNextBuild(deps, next.deploymentId);
  return false;
}

async function findLines(deps: Deps, candidate: string | undefined): Promise<Line[]> {
  const { table, now } = deps;
  const page = { until: now().toISOString(), limit: MAX_LINES };
  const partitions = partitionsOf(BuildQueue, 'BUILD_QUEUE').map((duePk) => table.due(duePk, page));
  const due = (await Promise.all(partitions)).flat();
  const own = candidate === undefined ? undefined : BuildQueue.key({ accountId: candidate });
  const unique = new Map([...due, ...(own ? [own] : [])].map((key) => [key.pk, key]));
  const lines = await Promise.all(
    [...unique.values()].map(async (key): Promise<Line[]> => {
      try {
        const queue = await table.find(BuildQueue, key);
        return queue?.dueAt === undefined ? [] : [await lineOf(deps, queue)];
      } catch (error) {
        // The record of the stream is repeated for the candidate; the others' failures are the sweep's to count.
        if (key.pk === own?.pk) throw error;
        return [];
      }
    }),
  );
  return lines.flat().sort((a, b) => a.running - b.running);
}

async function lineOf({ table }: Deps, { accountId, dueAt = '', waiting }: BuildQueue): Promise<Line> {
  const account = await table.get(Account, { id: accountId });
  return { accountId, dueAt, waiting, account, running: account?.buildCount ?? 0 };
}

/** @returns true if there is a next build now, this one or another one */
async function admitFirst(deps: Deps, line: Line): Promise<boolean> {
  const { accountId, account } = line;
  for (let dropped = 0; dropped < MAX_DROPPED; dropped += 1) {
    const [first] = await deps.table.all(QueuedBuild, queuedBuildsOf(accountId), { limit: 1, oldestFirst: true });
    if (!first || !account) {
      await leaveTurn(deps, line, { remove: unschedule(BuildQueue) });
      return false;
    }
    const minutes = limitOf(account, 'buildMinutesPerMonth');
    if ((usageOf(account, 'buildMinutesPerMonth', deps.now()) ?? 0) >= minutes) {
      await failDeployment(deps, { ...first, deploymentId: first.id }, limitMessage('buildMinutesPerMonth', minutes));
      await ignoreConflict(deps.table.transact(takeFromLine(deps, first)));
      continue;
    }
    try {
      await deps.table.transact(admission(deps, first));
      return true;
    } catch (error) {
      if (!(error instanceof NotAdmitted)) throw error;
      if (error.because === 'BUSY') return true;
      if (error.because === 'LIMIT') {
        await leaveTurn(deps, line, { set: schedule(BuildQueue, timestampAfter(deps.now(), POSTPONE_MS)) });
        return false;
      }
      // It was stopped while it waited, or its application was deleted.
      await ignoreConflict(deps.table.transact(takeFromLine(deps, first)));
    }
  }
  // The end of each that was dropped has the line looked at again.
  return false;
}

async function leaveTurn(
  { table }: Deps,
  { accountId, dueAt, waiting }: Line,
  what: Pick<Change, 'set' | 'remove'>,
): Promise<void> {
  // The time alone does not tell: another build may have joined the line in the same millisecond.
  const when = { dueAt: { is: dueAt }, waiting: { is: waiting } };
  const write = change(BuildQueue, { accountId }, { ...what, when }, concurrentUpdate);
  await ignoreConflict(table.write(BuildQueue, write));
}

/** Takes a build out of its line, once. */
const takeFromLine = (
  deps: Pick<Deps, 'now'>,
  { id, accountId }: QueuedBuild,
  onTaken: () => Error = concurrentUpdate,
): Write[] => [
  remove(QueuedBuild, { accountId, id }, { pk: 'present' }, onTaken),
  // The line goes behind those of the others.
  change(BuildQueue, { accountId }, { set: schedule(BuildQueue, deps.now()), add: { waiting: -1 } }),
];

function admission(deps: Deps, queued: QueuedBuild): Write[] {
  const { id, accountId } = queued;
  const now = deps.now().toISOString();
  const set = { admittedAt: now, ...scheduleCheck(deps) };
  const when = { status: { is: 'QUEUED' }, admittedAt: 'absent' } as const;
  return [
    create(NextBuild, { accountId, deploymentId: id, since: now }, unless('BUSY')),
    change(Deployment, { accountId, id }, { set, when }, unless('ENDED')),
    { ...countTowards(deps, accountId, ['concurrentBuilds']), onConditionFailed: unless('LIMIT') },
    ...takeFromLine(deps, queued, unless('ENDED')),
  ];
}

/** A deployment that ended gives its builder back, and its account may have its next one. */
export async function admitAfter(deps: Deps, { id, accountId }: Deployment): Promise<void> {
  await freeNextBuild(deps, id);
  const what = { set: schedule(BuildQueue, deps.now()), when: { waiting: { atLeast: 1 } } };
  await ignoreConflict(deps.table.write(BuildQueue, change(BuildQueue, { accountId }, what, concurrentUpdate)));
  await admitBuild(deps, accountId);
}

/** The first build of a line that waits for a builder. */
export interface WaitingBuild {
  accountId: string;
  deploymentId: string;
  waitedMs: number;
}

/** Returns the build of a line that waits longest; undefined where it waits for its account's own limit, or there is none. */
async function longestWaiting(deps: Deps, { accountId, account, running }: Line): Promise<WaitingBuild | undefined> {
  if (!account || running >= limitOf(account, 'concurrentBuilds')) return undefined;
  const [first] = await deps.table.all(QueuedBuild, queuedBuildsOf(accountId), { limit: 1, oldestFirst: true });
  if (first?.queuedAt === undefined) return undefined;
  return { accountId, deploymentId: first.id, waitedMs: deps.now().getTime() - Date.parse(first.queuedAt) };
}

/** Lines whose turn was missed. A line may stand here for long, behind the others, and reports how long its first build waits. */
export const buildQueue: DueQueue<typeof BuildQueue, Deps, WaitingBuild> = {
  queue: 'BUILD_QUEUE',
  entity: BuildQueue,
  isLine: true,
  async act(deps, queue) {
    const line = await lineOf(deps, queue);
    if (await isBusy(deps)) return await longestWaiting(deps, line);
    await admitFirst(deps, line);
    return undefined;
  },
};
