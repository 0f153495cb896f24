import { SECTION } from '../../contract/deployments/build-log.ts';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { Deployment } from '../../table/entities/deployments.ts';
import { QueuedRelease, queuedReleasesOf, ReleasePace } from '../../table/entities/releases.ts';
import { unchanged } from '../../table/expressions.ts';
import { change, remove, upsert, type Write } from '../../table/writes.ts';
import {
  ConcurrentUpdateError,
  concurrentUpdate,
  contended,
  ignoreConflict,
  retryOnConflict,
  tryChange,
} from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { roundRobin } from '../sweep/round-robin.ts';
import { formatNote } from './deployment.ts';
import { firstPace, refill, secondsUntil, slow, spend } from './release-pace.ts';

/**
 * The scheduler in front of Lambda's control plane (docs/decisions/0053-build-scheduler.md). It admits the releases of a cell at the
 * pace that Lambda accepts (release-pace.ts): first those of the account with the fewest recent releases, and within an account in
 * order of arrival. No clock drives it: each waiting execution polls, and each poll admits as many releases as the pace allows.
 */

type QueueDeps = Pick<Deps, 'table' | 'now'>;

/** Queued releases that one poll reads. A polling release beyond them is considered in addition. */
const MAX_READ = 100;
/** Releases that one poll admits. */
const MAX_ADMITTED = 20;
/** Bounds of the pause between two polls of an execution, in seconds. */
const MIN_PAUSE_S = 1;
const MAX_PAUSE_S = 20;
/** Time without a poll after which an execution counts as dead, in milliseconds. It covers the retries of a failing step. */
const DEAD_MS = 120_000;
const MAX_WAIT_MS = TIMEOUTS_S.release.wait * 1000;

/** The response to a request for admission: begin the release, or ask again after `pause` seconds. */
export type Admission = { waiting: false } | { waiting: true; pause: number };
const ADMITTED: Admission = { waiting: false };

/**
 * Requests the admission of a deployment's release to its cell, and queues the release until it is admitted. May be repeated.
 * Throws after a wait of `TIMEOUTS_S.release.wait`.
 */
export async function requestAdmission(deps: QueueDeps, cellId: string, deployment: Deployment): Promise<Admission> {
  const busy = new ConcurrentUpdateError('the pace of releases is busy');
  try {
    return await retryOnConflict(() => tryAdmission(deps, cellId, deployment), {
      attempts: 4,
      onExhausted: () => busy,
    });
  } catch (error) {
    if (error !== busy) throw error;
    return await enqueueRelease(deps, cellId, deployment, MIN_PAUSE_S);
  }
}

async function tryAdmission(deps: QueueDeps, cellId: string, deployment: Deployment): Promise<Admission> {
  const { accountId, id } = deployment;
  const now = deps.now();
  const [stored, queue] = await Promise.all([
    deps.table.get(ReleasePace, { cellId }),
    deps.table.all(QueuedRelease, queuedReleasesOf(cellId), { limit: MAX_READ, oldestFirst: true }),
  ]);
  const queued = queue.find((release) => release.id === id);
  if (queued?.admittedAt !== undefined) {
    await deps.table.transact([remove(QueuedRelease, queued)]);
    return ADMITTED;
  }
  const isDead = ({ seenAt }: QueuedRelease) => now.getTime() - Date.parse(seenAt) > DEAD_MS;
  await Promise.all(queue.filter(isDead).map((dead) => deps.table.transact([remove(QueuedRelease, dead)])));
  const others = queue.filter((release) => release.id !== id && release.admittedAt === undefined && !isDead(release));

  let pace = refill(stored ?? firstPace(now), now);
  const byArrival = [...others, { id, accountId }].sort((a, b) => (a.id < b.id ? -1 : 1));
  const order = roundRobin(byArrival, ({ accountId }) => accountId, pace.recent);
  const admitted: string[] = [];
  for (const next of order.slice(0, MAX_ADMITTED)) {
    const after = spend(pace, next.accountId);
    if (!after) break;
    pace = after;
    admitted.push(next.id);
  }
  if (admitted.length > 0) {
    await deps.table.transact([
      storePace(cellId, stored, pace),
      ...admitted.filter((other) => other !== id).map((other) => admit(deps, cellId, other)),
      ...(queued && admitted.includes(id) ? [remove(QueuedRelease, queued)] : []),
    ]);
  }
  if (admitted.includes(id)) return ADMITTED;
  const position = order.findIndex((release) => release.id === id) + 1 - admitted.length;
  return await enqueueRelease(deps, cellId, deployment, secondsUntil(pace, position, now));
}

function storePace(
  cellId: string,
  stored: ReleasePace | undefined,
  pace: Omit<ReleasePace, 'cellId' | 'version'>,
): Write {
  const set = { ...pace, cellId, version: (stored?.version ?? 0) + 1 };
  const when = { version: unchanged(stored?.version) };
  return contended(upsert(ReleasePace, { cellId }, { set, when }, concurrentUpdate));
}

const admit = (deps: QueueDeps, cellId: string, id: string): Write =>
  change(
    QueuedRelease,
    { cellId, id },
    { set: { admittedAt: deps.now().toISOString() }, when: { admittedAt: 'absent' } },
    concurrentUpdate,
  );

/** Adds a release to its cell's queue, or records that its execution still polls. The deployment's log notes the wait. */
async function enqueueRelease(
  deps: QueueDeps,
  cellId: string,
  { accountId, id, releaseQueue }: Deployment,
  seconds: number,
): Promise<Admission> {
  const seenAt = deps.now().toISOString();
  const { since = seenAt } = releaseQueue ?? {};
  if (Date.parse(seenAt) - Date.parse(since) > MAX_WAIT_MS)
    throw new Error(`the release was not admitted within ${TIMEOUTS_S.release.wait} s`);
  const item = { id, accountId, cellId, seenAt };
  const set = { ...item, expiresAtEpoch: QueuedRelease.expiresAtEpoch?.(item) };
  await deps.table.write(QueuedRelease, upsert(QueuedRelease, { cellId, id }, { set }));
  if (releaseQueue?.cellId !== cellId) {
    // If the deployment was deleted meanwhile, the next poll finds out.
    const note = formatNote(deps, `${SECTION}Waiting in the release queue`);
    const update = { set: { releaseQueue: { cellId, since } }, append: { notes: [note] } };
    await tryChange(deps, Deployment, { accountId, id }, update);
  }
  return { waiting: true, pause: Math.min(Math.max(Math.ceil(seconds), MIN_PAUSE_S), MAX_PAUSE_S) };
}

/** Slows the releases of a cell after its host throttled a request. */
export async function slowDown({ table, now }: QueueDeps, cellId: string): Promise<void> {
  const stored = await table.get(ReleasePace, { cellId });
  const pace = slow(refill(stored ?? firstPace(now()), now()), now());
  // On a conflict, another release changed the pace: it slowed it for the same burst, or the next throttled request will.
  if (pace) await ignoreConflict(table.write(ReleasePace, storePace(cellId, stored, pace)));
}

/** Queues a release again that the host throttled although it was admitted. */
export async function requeueRelease(deps: QueueDeps, cellId: string, deployment: Deployment): Promise<Admission> {
  await slowDown(deps, cellId);
  return await enqueueRelease(deps, cellId, deployment, MAX_PAUSE_S);
}

/** Returns the position of a deployment among its account's queued releases, from 1, and the reason why it waits. */
export async function releaseQueuePosition(
  { table }: Pick<Deps, 'table'>,
  { id, accountId, finishedAt, releaseQueue }: Deployment,
): Promise<{ position: number; reason: string } | null> {
  if (releaseQueue === undefined || finishedAt !== null) return null;
  const pk = queuedReleasesOf(releaseQueue.cellId);
  const queue = await table.all(QueuedRelease, pk, { limit: MAX_READ, oldestFirst: true });
  const ahead = queue.filter(
    (other) => other.accountId === accountId && other.admittedAt === undefined && other.id < id,
  );
  return { position: ahead.length + 1, reason: 'Built, and waiting in the release queue' };
}
