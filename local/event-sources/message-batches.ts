/** Maximum number of messages in one batch call to SQS (API reference, DeleteMessageBatch). */
const MAX_ENTRIES = 10;
/** Maximum time for which a message waits for others to fill a call. */
const WAIT_MS = 5;
/** Maximum number of concurrent calls. Thousands of messages must not cause hundreds of calls that delay all others. */
const MAX_CALLS = 2;

/** A message in a call. */
export interface MessageEntry {
  ReceiptHandle: string;
  VisibilityTimeout?: number;
}

interface MessageBatches {
  /** Adds messages to the next calls. */
  add(entries: readonly MessageEntry[]): void;
  /** Sends all waiting messages. Resolves when all calls have completed. */
  flush(): Promise<void>;
}

/**
 * Collects messages for batch calls to SQS, because a call for ten messages costs as much as for one. Lambda's pollers delete in batches
 * as well.
 * @param send makes one call. If it fails, the error is reported and only its messages are affected
 */
export function createMessageBatches(
  send: (entries: readonly MessageEntry[]) => Promise<unknown>,
  report: (error: unknown) => void,
): MessageBatches {
  const inFlight = new Set<Promise<unknown>>();
  const waiting: MessageEntry[] = [];
  let timer: NodeJS.Timeout | undefined;
  /** True while waiting messages are sent even if they do not fill a call. */
  let isDue = false;

  const sendWaiting = (): void => {
    while (inFlight.size < MAX_CALLS && (waiting.length >= MAX_ENTRIES || (isDue && waiting.length > 0))) {
      const call = send(waiting.splice(0, MAX_ENTRIES))
        .catch(report)
        .finally(() => {
          inFlight.delete(call);
          sendWaiting();
        });
      inFlight.add(call);
    }
    if (waiting.length === 0) isDue = false;
    else if (!isDue) timer ??= setTimeout(becomeDue, WAIT_MS);
  };
  const becomeDue = (): void => {
    clearTimeout(timer);
    timer = undefined;
    isDue = true;
    sendWaiting();
  };
  return {
    add(entries) {
      waiting.push(...entries);
      sendWaiting();
    },
    async flush() {
      becomeDue();
      while (inFlight.size > 0) await Promise.all(inFlight);
    },
  };
}
