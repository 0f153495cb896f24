/** The most messages that one call of SQS changes (API reference, DeleteMessageBatch). */
const MAX_ENTRIES = 10;
/** Milliseconds for which a message waits for others of the same call. */
const WAIT_MS = 5;

interface MessageBatches {
  /** Adds messages to the next calls. */
  add(receiptHandles: readonly string[]): void;
  /** Sends what is waiting; resolves when no call is under way. */
  flush(): Promise<void>;
}

/**
 * Collects messages for the operations of SQS that take ten of them, because a call costs as much for one. Lambda's own pollers
 * delete in batches as well.
 * @param send makes one call; its failure is reported, and concerns only its messages
 */
export function createMessageBatches(
  send: (receiptHandles: readonly string[]) => Promise<unknown>,
  report: (error: unknown) => void,
): MessageBatches {
  const underWay = new Set<Promise<unknown>>();
  const waiting: string[] = [];
  let timer: NodeJS.Timeout | undefined;

  const sendNext = (count: number): void => {
    const call = send(waiting.splice(0, count))
      .catch(report)
      .finally(() => underWay.delete(call));
    underWay.add(call);
  };
  const sendAll = (): void => {
    clearTimeout(timer);
    timer = undefined;
    while (waiting.length > 0) sendNext(MAX_ENTRIES);
  };
  return {
    add(receiptHandles) {
      waiting.push(...receiptHandles);
      while (waiting.length >= MAX_ENTRIES) sendNext(MAX_ENTRIES);
      if (waiting.length > 0) timer ??= setTimeout(sendAll, WAIT_MS);
    },
    async flush() {
      sendAll();
      await Promise.all(underWay);
    },
  };
}
