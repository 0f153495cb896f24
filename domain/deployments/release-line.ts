import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { Deployment } from '../../table/entities/deployments.ts';
import { QueuedRelease, queuedReleasesOf, ReleasePace } from '../../table/entities/releases.ts';
import { unchanged } from '../../table/expressions.ts';
import { change, remove, upsert, type Write } from '../../table/writes.ts';
import { ConcurrentUpdateError, concurrentUpdate, contended, ignoreConflict, retryOnConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { inTurns } from '../sweep/turns.ts';
import { formatNote } from './deployment.ts';
import { firstPace, refill, secondsUntil, slow, spend } from './release-pace.ts';

/**
 * The scheduler in front of Lambda's control plane (docs/decisions/0053-build-scheduler.md): releases of a cell have their turns
 * at the pace that Lambda takes (release-pace.ts), the account with the fewest of the last releases first, and inside an account
 * in the order of arrival. There is no clock of its own: each execution that waits comes by again and gives out the turns of that moment.
 */

type LineDeps = Pick<Deps, 'table' | 'now'>;

/** Releases that are looked at in a line. Beyond them, each that comes by is looked at itself. */
const MAX_LINE = 100;
/** Turns that are given out at a time. */
const MAX_TURNS = 20;
/** Seconds between two looks of an execution. */
const MIN_PAUSE_S = 1;
const MAX_PAUSE_S = 20;
/** Time without a look after which an execution is taken for dead, in milliseconds: its step may be repeated for a while. */
const DEAD_MS = 120_000;
const MAX_WAIT_MS = TIMEOUTS_S.release.wait * 1000;

/** The answer to a release that asks for its turn: begin, or pause for so many seconds and ask again. */
export type Turn = { waiting: false } | { waiting: true; pause: number };
const TURN: Turn = { waiting: false };

/** Asks for the turn of a deployment's release in its cell. May be repeated. Throws after hours without one. */
export async function takeTurn(deps: LineDeps, cellId: string, deployment: Deployment): Promise<Turn> {
  const busy = new ConcurrentUpdateError('the pace of releases is busy');
  try {
    return await retryOnConflict(() => tryTurn(deps, cellId, deployment), { attempts: 4, onExhausted: () => busy });
  } catch (error) {
    if (error !== busy) throw error;
    return await joinLine(deps, cellId, deployment, MIN_PAUSE_S);
  }
}

async function tryTurn(deps: LineDeps, cellId: string, deployment: Deployment): Promise<Turn> {
  const { accountId, id } = deployment;
  const now = deps.now();
  const [stored, line] = await Promise.all([
    deps.table.get(ReleasePace, { cellId }),
    deps.table.all(QueuedRelease, queuedReleasesOf(cellId), { limit: MAX_LINE, oldestFirst: true }),
  ]);
  const own = line.find((each) => each.id === id);
  if (own?.admittedAt !== undefined) {
    await deps.table.transact([remove(QueuedRelease, own)]);
    return TURN;
  }
  const isDead = ({ seenAt }: QueuedRelease) => now.getTime() - Date.parse(seenAt) > DEAD_MS;
  await Promise.all(line.filter(isDead).map((dead) => deps.table.transact([remove(QueuedRelease, dead)])));
  const others = line.filter((each) => each.id !== id && each.admittedAt === undefined && !isDead(each));

  let pace = refill(stored ?? firstPace(now), now);
  const byArrival = [...others, { id, accountId }].sort((a, b) => (a.id < b.id ? -1 : 1));
  const order = inTurns(byArrival, (each) => each.accountId, pace.recent);
  const admitted: string[] = [];
  for (const next of order.slice(0, MAX_TURNS)) {
    const after = spend(pace, next.accountId);
    if (!after) break;
    pace = after;
    admitted.push(next.id);
  }
  if (admitted.length > 0) {
    await deps.table.transact([
      storePace(cellId, stored, pace),
      ...admitted.filter((each) => each !== id).map((each) => admit(deps, cellId, each)),
      ...(own && admitted.includes(id) ? [remove(QueuedRelease, own)] : []),
    ]);
  }
  if (admitted.includes(id)) return TURN;
  const place = order.findIndex((each) => each.id === id) + 1 - admitted.length;
  return await joinLine(deps, cellId, deployment, secondsUntil(pace, place, now));
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

const admit = (deps: LineDeps, cellId: string, id: string): Write =>
  change(
    QueuedRelease,
    { cellId, id },
    { set: { admittedAt: deps.now().toISOString() }, when: { admittedAt: 'absent' } },
    concurrentUpdate,
  );

/** Has a release wait in its cell's line, or says that it still does. The deployment shows that it waits. */
async function joinLine(
  deps: LineDeps,
  cellId: string,
  { accountId, id, releaseQueue }: Deployment,
  seconds: number,
): Promise<Turn> {
  const seenAt = deps.now().toISOString();
  const { since = seenAt } = releaseQueue ?? {};
  if (Date.parse(seenAt) - Date.parse(since) > MAX_WAIT_MS)
    throw new Error(`the release had no turn within ${TIMEOUTS_S.release.wait} s`);
  const item = { id, accountId, cellId, seenAt };
  const set = { ...item, expiresAtEpoch: QueuedRelease.expiresAtEpoch?.(item) };
  await deps.table.write(QueuedRelease, upsert(QueuedRelease, { cellId, id }, { set }));
  if (releaseQueue?.cellId !== cellId) {
    // Its next look finds out if it was deleted meanwhile.
    const note = formatNote(deps, '==> Waiting for its turn to be released');
    const what = { set: { releaseQueue: { cellId, since } }, append: { notes: [note] } };
    await ignoreConflict(deps.table.write(Deployment, change(Deployment, { accountId, id }, what, concurrentUpdate)));
  }
  return { waiting: true, pause: Math.min(Math.max(Math.ceil(seconds), MIN_PAUSE_S), MAX_PAUSE_S) };
}

/** Slows the releases of a cell, whose host refused a request because there were too many. */
export async function slowDown({ table, now }: LineDeps, cellId: string): Promise<void> {
  const stored = await table.get(ReleasePace, { cellId });
  const pace = slow(refill(stored ?? firstPace(now()), now()), now());
  // Where another release was faster, it is the same burst, or the next refusal comes soon.
  if (pace) await ignoreConflict(table.write(ReleasePace, storePace(cellId, stored, pace)));
}

/** A release that the host refused in spite of its turn waits for another one. */
export async function waitAgain(deps: LineDeps, cellId: string, deployment: Deployment): Promise<Turn> {
  await slowDown(deps, cellId);
  return await joinLine(deps, cellId, deployment, MAX_PAUSE_S);
}

/** Returns the place of a deployment among its account's releases that wait, from 1, and what it waits for. */
export async function releasePlaceOf(
  { table }: Pick<Deps, 'table'>,
  { id, accountId, finishedAt, releaseQueue }: Deployment,
): Promise<{ position: number; reason: string } | null> {
  if (releaseQueue === undefined || finishedAt !== null) return null;
  const pk = queuedReleasesOf(releaseQueue.cellId);
  const line = await table.all(QueuedRelease, pk, { limit: MAX_LINE, oldestFirst: true });
  const before = line.filter((each) => each.accountId === accountId && each.admittedAt === undefined && each.id < id);
  return { position: before.length + 1, reason: 'Built, and waiting for its turn to be released' };
}
