import { isObject, type JsonObject } from './intrinsics.ts';

export interface FairnessOptions {
  /** Invocations at once. */
  concurrency: number;
  batchSize: number;
  /** One invocation; never rejects for what a message did. */
  work: (records: readonly JsonObject[]) => Promise<void>;
}

export interface Fairness {
  /** Resolves when more may be received. */
  room(): Promise<void>;
  /** Takes received messages on: some at once, others when it is their turn. */
  take(records: readonly JsonObject[]): void;
  /** Those that wait for their turn. */
  held(): readonly JsonObject[];
}

/** A group with so many messages under way is a noisy neighbour. */
const NOISY = 3;
/** The part of all invocations that noisy groups may have. */
const NOISY_SHARE = 0.75;
/** As many as this may wait here; then no more are received. */
const HELD_MOST = 2000;

/** The group of a message. fauxqs forgets that of a standard queue, so it also stands in an attribute. */
function groupOf({ attributes, messageAttributes, messageId }: JsonObject): string {
  const own = isObject(attributes) ? attributes.MessageGroupId : undefined;
  const named = isObject(messageAttributes) && isObject(messageAttributes.group) ? messageAttributes.group : {};
  return String(own ?? named.stringValue ?? messageId);
}

/**
 * What SQS does of itself on standard queues whose messages name a group: a group that keeps many invocations busy waits
 * while those of quiet groups go first. Without groups every message is its own, and nobody waits.
 */
export function makeFairness({ concurrency, batchSize, work }: FairnessOptions): Fairness {
  const underWay = new Map<string, number>();
  const waiting: JsonObject[] = [];
  const quietWaiting: JsonObject[] = [];
  let running = 0;
  let noisyRunning = 0;
  let wake = (): void => {};

  const count = (records: readonly JsonObject[], by: number): void => {
    for (const record of records) {
      const group = groupOf(record);
      const now = (underWay.get(group) ?? 0) + by;
      if (now > 0) underWay.set(group, now);
      else underWay.delete(group);
    }
  };

  const run = (records: readonly JsonObject[], noisy: boolean): void => {
    running += 1;
    if (noisy) noisyRunning += 1;
    count(records, 1);
    work(records)
      .catch((error: unknown) => console.error(error))
      .finally(() => {
        running -= 1;
        if (noisy) noisyRunning -= 1;
        count(records, -1);
        next();
      });
  };

  /** Starts as much as there is room for. */
  const next = (): void => {
    while (quietWaiting.length > 0 && running < concurrency) run(quietWaiting.splice(0, batchSize), false);
    const most = Math.max(1, Math.floor(concurrency * NOISY_SHARE));
    while (waiting.length > 0 && noisyRunning < most && running < concurrency) run(waiting.splice(0, batchSize), true);
    wake();
  };

  return {
    room: async () => {
      // Receiving goes on while noisy ones wait: behind them in the queue there may be quiet ones.
      while (quietWaiting.length > 0 || waiting.length > HELD_MOST) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    take: (records) => {
      // Of one batch, too: a group that fills it alone is noisy from its third message on.
      const seen = new Map<string, number>();
      for (const record of records) {
        const group = groupOf(record);
        const others = (underWay.get(group) ?? 0) + (seen.get(group) ?? 0);
        seen.set(group, (seen.get(group) ?? 0) + 1);
        (others >= NOISY ? waiting : quietWaiting).push(record);
      }
      next();
    },
    held: () => [...waiting, ...quietWaiting],
  };
}
