import { type Batch, coalesce } from '../../contract/coalesce.ts';
import { MAX_CONSECUTIVE_FAILURES } from '../../contract/webhooks/endpoints.ts';
import { Delivery, Webhook } from '../../table/entities/webhooks.ts';
import { change, type Write } from '../../table/writes.ts';
import { commitAsPlatform } from '../audit/record.ts';
import { concurrentUpdate, contended, retryOnConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { paceAfter } from './slow-lane.ts';

/** Failures written in one transaction. */
const BATCH_SIZE = 25;

/*
 * An attempt's record and its endpoint's count of failures in a row are written in one transaction: each attempt counts
 * once, and the fiftieth disables, once. Conditions see to it, whatever the count was when it was read.
 */

/** All deliverers of the platform may count failures of one endpoint at the same moment, and none may be lost. */
const CONTENTION = { attempts: 100, maxMs: 20_000 };

type CountDeps = Pick<Deps, 'table' | 'now' | 'newId'>;
export interface Endpoint {
  accountId: string;
  id: string;
}

/** Retries on a fresh read until the counter did not change meanwhile. */
async function retryOnFreshCount<T>(
  deps: CountDeps,
  endpoint: Endpoint,
  known: Webhook | undefined,
  act: (webhook: Webhook | undefined) => Promise<T>,
): Promise<T> {
  return await retryOnConflict(
    async (attempt) => await act((attempt === 1 && known) || (await deps.table.get(Webhook, endpoint))),
    CONTENTION,
  );
}

/** An attempt that has been made and is to be recorded. */
export interface Made {
  /** The delivery's record. */
  write: Write;
  /** The endpoint, where it was read so lately that it may be judged by. */
  known: Webhook | undefined;
  durationMs: number;
}

/**
 * Writes a successful attempt down and ends the row of failures; a success after a success costs no more than its record,
 * unless the endpoint's pace changed. The count of a disabled endpoint stays: it says why it was disabled.
 */
export const countSuccess = (deps: CountDeps, endpoint: Endpoint, { write, known, durationMs }: Made) =>
  retryOnFreshCount(deps, endpoint, known, async (webhook) => {
    const pace = webhook && paceAfter(webhook, [durationMs], deps.now());
    if (!webhook?.active || (webhook.failureCount === 0 && !pace)) return await deps.table.write(Delivery, write);
    const what = { ...pace, set: { ...pace?.set, failureCount: 0 }, when: { active: { is: true } } };
    await deps.table.transact([write, contended(change(Webhook, endpoint, what, concurrentUpdate))]);
  });

interface Failure extends Made {
  deps: CountDeps;
  endpoint: Endpoint;
}

/**
 * Writes failures of one endpoint as one transaction. Throws where they have to go one by one: one of them may disable the
 * endpoint, was recorded meanwhile, or is there twice (the queue delivers at least once).
 */
async function writeTogether(failures: Batch<Failure>): Promise<boolean[]> {
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

const writeAlone = ({ deps, endpoint, ...made }: Failure): Promise<boolean> =>
  retryOnFreshCount(deps, endpoint, made.known, (webhook) => writeOne(deps, endpoint, made, webhook));

const joinFailures = coalesce({
  max: BATCH_SIZE,
  groupOf: ({ endpoint }) => endpoint.id,
  run: writeTogether,
  runAlone: writeAlone,
});

/**
 * Writes a failed attempt down and counts it. Those of one endpoint are written one after the other, and what has come
 * together meanwhile as one transaction: a receiver that hangs lets a whole batch fail at the same moment, and ten
 * transactions on the same counter would collide.
 *
 * @returns whether this was the one too many
 */
export const countFailure = (deps: CountDeps, endpoint: Endpoint, made: Made): Promise<boolean> =>
  joinFailures({ ...made, deps, endpoint });

async function writeOne(
  deps: CountDeps,
  endpoint: Endpoint,
  { write, durationMs }: Made,
  webhook: Webhook | undefined,
): Promise<boolean> {
  if (!webhook?.active) {
    await deps.table.write(Delivery, write);
    return false;
  }
  const { failureCount } = webhook;
  const last = failureCount + 1 >= MAX_CONSECUTIVE_FAILURES;
  const disabling = { active: false, disabledAt: deps.now().toISOString(), failureCount: failureCount + 1 };
  const pace = paceAfter(webhook, [durationMs], deps.now());
  const what = last
    ? { set: disabling, when: { failureCount: { is: failureCount }, active: { is: true } } }
    : {
        ...pace,
        add: { ...pace?.add, failureCount: 1 },
        when: { failureCount: { below: MAX_CONSECUTIVE_FAILURES - 1 }, active: { is: true } },
      };
  const writes = [write, contended(change(Webhook, endpoint, what, concurrentUpdate))];
  if (!last) {
    await deps.table.transact(writes);
    return false;
  }
  return await commitAsPlatform(deps, writes, true, {
    action: 'webhook.disabled',
    accountId: endpoint.accountId,
    subjectId: endpoint.id,
    // The address is the same before: of what is, only differences are kept, and a notification names it.
    before: { active: true, failureCount },
    after: { url: webhook.url, ...disabling },
  });
}
