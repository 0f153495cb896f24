import type { JsonObject } from '../template/intrinsics.ts';
import type { MessageEntry } from './message-batches.ts';

/** Milliseconds between two looks at the messages that wait. */
export const VISIBILITY_CHECK_MS = 5000;
/** The longest extension beyond the queue's own visibility timeout, in seconds. */
const MAX_EXTENSION_S = 300;

/**
 * Returns a function that finds which of the messages that wait for their turn have to stay invisible for longer, and for how
 * long: the longer they have waited, the longer, so that thousands behind a receiver that hangs take few calls. At each look
 * the queue's visibility timeout is left, which is longer than an invocation. After a crash a message is received again when its
 * extension has ended.
 * @param timeoutS the queue's visibility timeout in seconds, with which messages are received
 */
export function createExtensions(timeoutS: number) {
  const known = new WeakMap<JsonObject, { since: number; visibleAt: number }>();
  return (pending: readonly JsonObject[], now: number): MessageEntry[] =>
    pending.flatMap((record) => {
      // Received since the last look.
      const found = known.get(record) ?? { since: now, visibleAt: now + timeoutS * 1000 - VISIBILITY_CHECK_MS };
      known.set(record, found);
      if (found.visibleAt - now >= timeoutS * 1000) return [];
      const waited = Math.ceil((now - found.since) / 1000);
      const VisibilityTimeout = timeoutS + Math.min(MAX_EXTENSION_S, Math.max(timeoutS, waited));
      found.visibleAt = now + VisibilityTimeout * 1000;
      return [{ ReceiptHandle: String(record.receiptHandle), VisibilityTimeout }];
    });
}
