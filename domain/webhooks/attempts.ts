import { truncateText } from '../../providers/webhooks/body.ts';
import { type Delivery, DeliveryAttempt } from '../../table/entities/webhooks.ts';
import { upsert, type Write } from '../../table/writes.ts';
import type { Deps } from '../deps.ts';

/**
 * Each attempt is a separate, immutable item (docs/decisions/0054-attempts.md). A delivery keeps the number, durations and last
 * outcome of its attempts. It contains a whole attempt only if its first attempt succeeds with a short response.
 */

export type Attempt = Delivery['attempts'][number];

/** Maximum number of attempts that are shown of a delivery: the six of its schedule and six of a resend. */
export const MAX_SHOWN = 12;
/**
 * Maximum length of the response to a first, successful attempt that the delivery itself keeps, in characters; with the headers if they
 * fit as well.
 */
const MAX_INLINE = 256;
/** Bytes that are kept of the response to an attempt that is not the last. */
export const MAX_EARLIER_BYTES = 1024;

/** Returns the number of a delivery's attempts that are stored as separate items. */
const storedCount = ({ made }: Pick<Delivery, 'made'>): number => made?.count ?? 0;

/** Returns the number of attempts that a delivery has had, including those of resends. */
export const attemptCount = (delivery: Pick<Delivery, 'attempts' | 'made'>): number =>
  delivery.attempts.length + storedCount(delivery);

/** Returns the durations of a delivery's latest attempts, in milliseconds. Separately stored attempts contribute at most {@link MAX_SHOWN}. */
export const durationsOf = ({ attempts, made }: Pick<Delivery, 'attempts' | 'made'>): number[] => [
  ...attempts.map(({ durationMs }) => durationMs),
  ...(made?.durations ?? []),
];

/** Returns the outcome of a delivery's latest attempt; null before the first. */
export const lastOutcome = ({ attempts, made }: Pick<Delivery, 'attempts' | 'made'>): Attempt['outcome'] | null =>
  made?.lastOutcome ?? attempts.at(-1)?.outcome ?? null;

/**
 * Returns the change that an attempt makes to its delivery, and the write that stores the attempt. Store the attempt first: if the
 * process dies in between, the repeated step replaces the stored attempt. An attempt that a resend has superseded replaces nothing.
 * @param isLast true if no other attempt follows: the response is then kept as it was read
 * @param onConditionFailed creates the error of an attempt whose number is taken by an attempt of a later step
 */
export function buildAttemptRecord(
  delivery: Delivery,
  attempt: Attempt,
  isLast: boolean,
  onConditionFailed: () => Error,
): { set: Partial<Delivery>; store?: Write } {
  const isDelivered = attempt.outcome === 'DELIVERED';
  if (isDelivered && attemptCount(delivery) === 0 && attempt.responseBody.length <= MAX_INLINE)
    return { set: { attempts: [withoutLongHeaders(attempt)] } };
  const count = storedCount(delivery);
  const durations = [...(delivery.made?.durations ?? []), attempt.durationMs].slice(-MAX_SHOWN);
  const { accountId, id: deliveryId, step } = delivery;
  const key = { accountId, deliveryId, number: count };
  const responseBody = isLast
    ? attempt.responseBody
    : truncateText(Buffer.from(attempt.responseBody), MAX_EARLIER_BYTES);
  const item = { ...key, ...attempt, step, responseBody };
  const set = { ...item, expiresAtEpoch: DeliveryAttempt.expiresAtEpoch?.(item) };
  return {
    set: { made: { count: count + 1, durations, lastOutcome: attempt.outcome } },
    store: upsert(DeliveryAttempt, key, { set, when: { step: { absentOrBelow: step + 1 } } }, onConditionFailed),
  };
}

/** Returns an attempt as its delivery keeps it: with the headers only if they fit together with the response. */
function withoutLongHeaders(attempt: Attempt): Attempt {
  const { responseHeaders = '', ...rest } = attempt;
  return attempt.responseBody.length + responseHeaders.length <= MAX_INLINE ? attempt : rest;
}

/** Returns a delivery's latest attempts, oldest first. Costs one round trip. */
export async function readAttempts({ table }: Pick<Deps, 'table'>, delivery: Delivery): Promise<Attempt[]> {
  const { accountId, id: deliveryId } = delivery;
  const count = storedCount(delivery);
  const first = Math.max(0, count - MAX_SHOWN);
  const numbers = Array.from({ length: count - first }, (_, index) => first + index);
  const read = numbers.map((number) => table.get(DeliveryAttempt, { accountId, deliveryId, number }));
  // Expired attempts are omitted.
  const stored = (await Promise.all(read)).flatMap((attempt) => (attempt ? [attempt] : []));
  return [...delivery.attempts, ...stored].slice(-MAX_SHOWN);
}
