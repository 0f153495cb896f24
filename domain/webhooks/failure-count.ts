import { type Batch, coalesce } from '../../contract/coalesce.ts';
import { MAX_CONSECUTIVE_FAILURES } from '../../contract/webhooks/endpoints.ts';
import { Delivery, Webhook } from '../../table/entities/webhooks.ts';
import type { AccountScopedId } from '../../table/entity.ts';
import { change, type Write } from '../../table/writes.ts';
import { commitAsPlatform } from '../audit/record.ts';
import { concurrentUpdate, contended, retryOnConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { paceAfter } from './slow-lane.ts';

/** Maximum number of failures that one transaction writes. */
const BATCH_SIZE = 25;

/*
 * An attempt's record and its endpoint's failure count are written in one transaction: each attempt counts once, and the fiftieth
 * failure disables the endpoint once. Conditions guarantee this, even if the count that was read is stale.
 */

/** Retries for the worst case that all concurrent deliveries of the platform count a failure of the same endpoint. No failure may be lost. */
const CONTENTION = { attempts: 100, maxMs: 20_000 };

type CountDeps = Pick<Deps, 'table' | 'now' | 'newId'>;

/** Runs `act` with the endpoint, and repeats it with a fresh read while the count changes concurrently. */
async function retryOnFreshCount<T>(
  deps: CountDeps,
  endpoint: AccountScopedId,
  known: Webhook | undefined,
  act: (webhook: Webhook | undefined) => Promise<T>,
): Promise<T> {
  return await retryOnConflict(
    async (attempt) => await act((attempt === 1 && known) || (await deps.table.get(Webhook, endpoint))),
    CONTENTION,
  );
}

/** An attempt that has been made and has to be recorded. */
export interface CompletedAttempt {
  /** Records the attempt in its delivery. */
  write: Write;
  /** The endpoint, if it was read recently enough to decide on. */
  known: Webhook | undefined;
  durationMs: number;
}

/**
 * Records a successful attempt and resets the failure count. A success after a success writes nothing but its record, unless the
 * endpoint's pace changed. The count of a disabled endpoint is kept, because it explains why the endpoint was disabled.
 */
export const countSuccess = (
  deps: CountDeps,
  endpoint: AccountScopedId,
  { write, known, durationMs }: CompletedAttempt,
) =>
  retryOnFreshCount(deps, endpoint, known, async (webhook) => {
    const pace = webhook && paceAfter(webhook, [durationMs], deps.now());
    if (!webhook?.active || (webhook.failureCount === 0 && !pace)) return await deps.table.write(Delivery, write);
    const update = { ...pace, set: { ...pace?.set, failureCount: 0 }, when: { active: { is: true } } };
    await deps.table.transact([write, contended(change(Webhook, endpoint, update, concurrentUpdate))]);
  });

interface Failure extends CompletedAttempt {
  deps: CountDeps;
  endpoint: AccountScopedId;
}

/**
 * Writes failures of one endpoint in one transaction. Throws if they have to be written one by one: one of them may disable the
 * endpoint, was already recorded, or occurs twice (the queue delivers at least once).
 */
async function writeBatch(failures: Batch<Failure>): Promise<boolean[]> {
  const [{ deps, endpoint }] = failures;
  const count = failures.length;
  const webhook = failures.find(({ known }) => known)?.known ?? (await deps.table.get(Webhook, endpoint));
  if (!webhook?.active || webhook.failureCount + count >= MAX_CONSECUTIVE_FAILURES)
    throw new Error('These failures must be counted one by one.');
  const when = { failureCount: { below: MAX_CONSECUTIVE_FAILURES - count }, active: { is: true } };
  const durations = failures.map(({ durationMs }) => durationMs);
  const pace = paceAfter(webhook, durations, deps.now());
  const add = { ...pace?.add, failureCount: count };
  const counted = change(Webhook, endpoint, { ...pace, add, when }, concurrentUpdate);
  await deps.table.transact([...failures.map(({ write }) => write), counted]);
  return failures.map(() => false);
}

const writeSingle = ({ deps, endpoint, ...attempt }: Failure): Promise<boolean> =>
  retryOnFreshCount(deps, endpoint, attempt.known, (webhook) => countOneFailure(deps, endpoint, attempt, webhook));

const joinFailures = coalesce({
  max: BATCH_SIZE,
  groupOf: ({ endpoint }) => endpoint.id,
  run: writeBatch,
  runAlone: writeSingle,
});

/**
 * Records a failed attempt and counts it. Failures of one endpoint are written sequentially, and those that arrive during a write
 * share the next transaction: if a receiver hangs, a whole batch fails at the same moment, and ten transactions on the same
 * counter would conflict.
 *
 * @returns true if this failure disabled the endpoint
 */
export const countFailure = (deps: CountDeps, endpoint: AccountScopedId, attempt: CompletedAttempt): Promise<boolean> =>
  joinFailures({ ...attempt, deps, endpoint });

async function countOneFailure(
  deps: CountDeps,
  endpoint: AccountScopedId,
  { write, durationMs }: CompletedAttempt,
  webhook: Webhook | undefined,
): Promise<boolean> {
  if (!webhook?.active) {
    await deps.table.write(Delivery, write);
    return false;
  }
  const { failureCount } = webhook;
  const disables = failureCount + 1 >= MAX_CONSECUTIVE_FAILURES;
  const disabling = { active: false, disabledAt: deps.now().toISOString(), failureCount: failureCount + 1 };
  const pace = paceAfter(webhook, [durationMs], deps.now());
  const update = disables
    ? { set: disabling, when: { failureCount: { is: failureCount }, active: { is: true } } }
    : {
        ...pace,
        add: { ...pace?.add, failureCount: 1 },
        when: { failureCount: { below: MAX_CONSECUTIVE_FAILURES - 1 }, active: { is: true } },
      };
  const writes = [write, contended(change(Webhook, endpoint, update, concurrentUpdate))];
  if (!disables) {
    await deps.table.transact(writes);
    return false;
  }
  return await commitAsPlatform(deps, writes, true, {
    action: 'webhook.disabled',
    accountId: endpoint.accountId,
    subjectId: endpoint.id,
    // The log keeps only differences. `before` has no URL, so that the entry keeps the URL, which the notification names.
    before: { active: true, failureCount },
    after: { url: webhook.url, ...disabling },
  });
}
