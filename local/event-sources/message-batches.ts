/** The most messages that one call of SQS changes (API reference, DeleteMessageBatch). */
const MAX_ENTRIES = 10;
/** Milliseconds for which a message waits for others of the same call. */
const WAIT_MS = 5;
/** Calls under way at once. Thousands of messages must not make hundreds of calls that all others have to wait behind. */
const MAX_CALLS = 2;

/** A message in a call. */
export interface MessageEntry {
  ReceiptHandle: string;
  VisibilityTimeout?: number;
}

interface MessageBatches {
  /** Adds messages to the next calls. */
  add(entries: readonly MessageEntry[]): void;
  /** Sends what is waiting; resolves when no call is under way. */
  flush(): Promise<void>;
}

/**
 * Collects messages for the operations of SQS that take ten of them, because a call costs as much for one. Lambda's own pollers
 * delete in batches as well.
 * @param send makes one call; its failure is reported, and concerns only its messages
 */
export function createMessageBatches(
  send: (entries: readonly MessageEntry[]) => Promise<unknown>,
  report: (error: unknown) => void,
): MessageBatches {
  const underWay = new Set<Promise<unknown>>();
  const waiting: MessageEntry[] = [];
  let timer: NodeJS.Timeout | undefined;
  /** True while less than a full call need not wait for more. */
  let isDue = false;

  const sendWaiting = (): void => {
    while (underWay.size < MAX_CALLS && (waiting.length >= MAX_ENTRIES || (isDue && waiting.length > 0))) {
      const call = send(waiting.splice(0, MAX_ENTRIES))
        .catch(report)
        .finally(() => {
          underWay.delete(call);
          sendWaiting();
        });
      underWay.add(call);
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
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
