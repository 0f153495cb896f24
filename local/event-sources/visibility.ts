import type { JsonObject } from '../template/intrinsics.ts';
import type { MessageEntry } from './message-batches.ts';

/** Interval of the checks of the waiting messages. */
export const VISIBILITY_CHECK_MS = 5000;
/** Maximum extension beyond the queue's visibility timeout. */
const MAX_EXTENSION_S = 300;

/**
 * Returns a function that returns the waiting messages which must remain invisible for longer, with their new visibility timeouts.
 * A timeout grows with the time that its message has waited, so that thousands of messages behind a hanging receiver cause few
 * calls. At each check, every message has at least the queue's visibility timeout left, which is longer than an invocation. After a
 * crash, a message is received again when its timeout has ended.
 * @param timeoutS the queue's visibility timeout in seconds, with which messages are received
 */
export function createExtensions(timeoutS: number) {
  const known = new WeakMap<JsonObject, { since: number; visibleAt: number }>();
  return (pending: readonly JsonObject[], now: number): MessageEntry[] =>
    pending.flatMap((record) => {
      // Unknown messages were received since the last check.
      const found = known.get(record) ?? { since: now, visibleAt: now + timeoutS * 1000 - VISIBILITY_CHECK_MS };
      known.set(record, found);
      if (found.visibleAt - now >= timeoutS * 1000) return [];
      const waited = Math.ceil((now - found.since) / 1000);
      const VisibilityTimeout = timeoutS + Math.min(MAX_EXTENSION_S, Math.max(timeoutS, waited));
      found.visibleAt = now + VisibilityTimeout * 1000;
      return [{ ReceiptHandle: String(record.receiptHandle), VisibilityTimeout }];
    });
}
