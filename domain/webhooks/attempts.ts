import { truncateText } from '../../providers/webhooks/body.ts';
import { type Delivery, DeliveryAttempt } from '../../table/entities/webhooks.ts';
import { upsert, type Write } from '../../table/writes.ts';
import type { Deps } from '../deps.ts';

/**
 * Attempts are items of their own, which nothing rewrites (docs/decisions/0054-attempts.md). A delivery keeps their
 * number, durations and last outcome, and the whole of one only where it delivered at once with a short response.
 */

export type Attempt = Delivery['attempts'][number];

/** Attempts that are shown of a delivery: those of its schedule and of a resend. */
export const MAX_SHOWN = 12;
/** A response up to this length, its headers included where they fit, stays in the delivery if the first attempt delivers it, in characters. */
const MAX_INLINE = 256;
/** Bytes that are kept of the response to an attempt that another follows (design, Webhooks). */
export const MAX_EARLIER_BYTES = 1024;

/** Returns the number of a delivery's attempts that are items of their own. */
const storedCount = ({ made }: Pick<Delivery, 'made'>): number => made?.count ?? 0;

/** Returns the number of attempts that a delivery has had, those of resends included. */
export const attemptCount = (delivery: Pick<Delivery, 'attempts' | 'made'>): number =>
  delivery.attempts.length + storedCount(delivery);

/** Returns the durations of a delivery's latest attempts, in milliseconds; of many resends, those that are kept. */
export const durationsOf = ({ attempts, made }: Pick<Delivery, 'attempts' | 'made'>): number[] => [
  ...attempts.map(({ durationMs }) => durationMs),
  ...(made?.durations ?? []),
];

/** Returns the outcome of a delivery's latest attempt; null before the first. */
export const lastOutcome = ({ attempts, made }: Pick<Delivery, 'attempts' | 'made'>): Attempt['outcome'] | null =>
  made?.lastOutcome ?? attempts.at(-1)?.outcome ?? null;

/**
 * Returns what an attempt changes of its delivery, and the write that stores it, to be made before: a process that dies in
 * between has made an attempt, which the repetition of the step replaces. One that a resend overtook replaces nothing.
 * @param isLast true where no other attempt follows: then its response is kept as it was read
 * @param onOvertaken makes the error of an attempt whose place that of a later step has
 */
export function recordOf(
  delivery: Delivery,
  attempt: Attempt,
  isLast: boolean,
  onOvertaken: () => Error,
): { set: Partial<Delivery>; store?: Write } {
  const isDelivered = attempt.outcome === 'DELIVERED';
  if (isDelivered && attemptCount(delivery) === 0 && attempt.responseBody.length <= MAX_INLINE)
    return { set: { attempts: [inline(attempt)] } };
  const count = storedCount(delivery);
  const durations = [...(delivery.made?.durations ?? []), attempt.durationMs].slice(-MAX_SHOWN);
  const { accountId, id: deliveryId, step } = delivery;
  const of = { accountId, deliveryId, number: count };
  const responseBody = isLast
    ? attempt.responseBody
    : truncateText(Buffer.from(attempt.responseBody), MAX_EARLIER_BYTES);
  const item = { ...of, ...attempt, step, responseBody };
  const set = { ...item, expiresAtEpoch: DeliveryAttempt.expiresAtEpoch?.(item) };
  return {
    set: { made: { count: count + 1, durations, lastOutcome: attempt.outcome } },
    store: upsert(DeliveryAttempt, of, { set, when: { step: { absentOrBelow: step + 1 } } }, onOvertaken),
  };
}

/** An attempt as its delivery keeps it: without the headers, unless they fit beside the response. */
function inline(attempt: Attempt): Attempt {
  const { responseHeaders = '', ...rest } = attempt;
  return attempt.responseBody.length + responseHeaders.length <= MAX_INLINE ? attempt : rest;
}

/** Returns a delivery's latest attempts, oldest first. One round trip. */
export async function readAttempts({ table }: Pick<Deps, 'table'>, delivery: Delivery): Promise<Attempt[]> {
  const { accountId, id: deliveryId } = delivery;
  const count = storedCount(delivery);
  const first = Math.max(0, count - MAX_SHOWN);
  const numbers = Array.from({ length: count - first }, (_, index) => first + index);
  const read = numbers.map((number) => table.get(DeliveryAttempt, { accountId, deliveryId, number }));
  // One that has expired is left out.
  const stored = (await Promise.all(read)).flatMap((attempt) => (attempt ? [attempt] : []));
  return [...delivery.attempts, ...stored].slice(-MAX_SHOWN);
}
