import { Delivery, Webhook } from '../../table/entities/webhooks.ts';
import { change, type Write } from '../../table/writes.ts';
import type { Deps } from '../deps.ts';

/** Failed attempts in a row that disable an endpoint (specification, Delivery 4; attempts: design, Webhooks). */
export const FAILURES_MOST = 50;
/** Failures written in one transaction. */
const TOGETHER_MOST = 25;
/** How often a record is tried anew because the endpoint's counter moved under it. */
const RECORD_TRIES = 100;

/**
 * What an attempt means for its endpoint's count of failures in a row, in the same transaction as the attempt's record:
 * each attempt counts once, and the fiftieth disables, once: conditions see to it, whatever the count was when it was read.
 */
class CounterMoved extends Error {}
const counterMoved = () => new CounterMoved();

type CountDeps = Pick<Deps, 'table' | 'now'>;
export interface Endpoint {
  accountId: string;
  id: string;
}

/** Tries again, on what is read anew, until the counter stood still. */
async function onFresh<T>(
  deps: CountDeps,
  endpoint: Endpoint,
  known: Webhook | undefined,
  act: (webhook: Webhook | undefined) => Promise<T>,
): Promise<T> {
  for (let turn = 1; ; turn += 1) {
    try {
      return await act((turn === 1 && known) || (await deps.table.get(Webhook, endpoint)));
    } catch (error) {
      if (!(error instanceof CounterMoved) || turn === RECORD_TRIES) throw error;
    }
  }
}

/**
 * Writes a successful attempt down and ends the row of failures; a success after a success costs no more than its record.
 *
 * @param write the delivery's record
 * @param known the endpoint, where it was read so lately that it may be judged by
 */
export const recordSuccess = (deps: CountDeps, endpoint: Endpoint, write: Write, known: Webhook | undefined) =>
  onFresh(deps, endpoint, known, async (webhook) => {
    if (!webhook || webhook.failureCount === 0) await deps.table.write(Delivery, write);
    else await deps.table.transact([write, change(Webhook, endpoint, { set: { failureCount: 0 } }, counterMoved)]);
  });

interface Failure {
  write: Write;
  known: Webhook | undefined;
  resolve: (disabled: boolean) => void;
  reject: (error: unknown) => void;
}

/** Failures that wait for their turn, by endpoint. An endpoint stands here while some of its are being written. */
const waiting = new Map<string, Failure[]>();

/**
 * Writes a failed attempt down and counts it. Those of one endpoint are written one after the other, and what has come
 * together meanwhile as one transaction: a receiver that hangs lets a whole batch fail at the same moment, and ten
 * transactions on the same counter would collide.
 *
 * @returns whether this was the one too many
 */
export function recordFailure(
  deps: CountDeps,
  endpoint: Endpoint,
  write: Write,
  known: Webhook | undefined,
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const failure = { write, known, resolve, reject };
    const others = waiting.get(endpoint.id);
    if (others) others.push(failure);
    else {
      waiting.set(endpoint.id, [failure]);
      // Those that fail in this very moment come along.
      setImmediate(() => void writeInTurn(deps, endpoint));
    }
  });
}

async function writeInTurn(deps: CountDeps, endpoint: Endpoint): Promise<void> {
  for (;;) {
    const batch = waiting.get(endpoint.id)?.splice(0, TOGETHER_MOST) ?? [];
    if (batch.length === 0) break;
    if (await writtenTogether(deps, endpoint, batch)) for (const { resolve } of batch) resolve(false);
    else await writeEach(deps, endpoint, batch);
  }
  waiting.delete(endpoint.id);
}

/**
 * False where they have to go one by one: one of them may disable the endpoint, was recorded meanwhile, or is there twice
 * (the queue delivers at least once).
 */
async function writtenTogether(deps: CountDeps, endpoint: Endpoint, batch: readonly Failure[]): Promise<boolean> {
  const count = batch.length;
  if (count === 1) return false;
  try {
    const webhook = batch.find(({ known }) => known)?.known ?? (await deps.table.get(Webhook, endpoint));
    if (!webhook?.active || webhook.failureCount + count >= FAILURES_MOST) return false;
    const when = { failureCount: { below: FAILURES_MOST - count }, active: { is: true } };
    const counted = change(Webhook, endpoint, { add: { failureCount: count }, when }, counterMoved);
    await deps.table.transact([...batch.map(({ write }) => write), counted]);
    return true;
  } catch {
    // Each by itself finds out what it was.
    return false;
  }
}

async function writeEach(deps: CountDeps, endpoint: Endpoint, batch: readonly Failure[]): Promise<void> {
  for (const { write, known, resolve, reject } of batch) {
    await onFresh(deps, endpoint, known, (webhook) => writeOne(deps, endpoint, write, webhook)).then(resolve, reject);
  }
}

async function writeOne(deps: CountDeps, endpoint: Endpoint, write: Write, webhook: Webhook | undefined) {
  if (!webhook?.active) {
    await deps.table.write(Delivery, write);
    return false;
  }
  const { failureCount } = webhook;
  const last = failureCount + 1 >= FAILURES_MOST;
  const disabling = { active: false, disabledAt: deps.now().toISOString(), failureCount: failureCount + 1 };
  const what = last
    ? { set: disabling, when: { failureCount: { is: failureCount }, active: { is: true } } }
    : { add: { failureCount: 1 }, when: { failureCount: { below: FAILURES_MOST - 1 }, active: { is: true } } };
  await deps.table.transact([write, change(Webhook, endpoint, what, counterMoved)]);
  return last;
}
