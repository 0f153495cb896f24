import { isObject, type JsonObject } from '../template/intrinsics.ts';

export interface FairQueueOptions {
  /** Maximum number of concurrent invocations. */
  concurrency: number;
  batchSize: number;
  /** Runs one invocation. Does not reject because of a message. */
  work: (records: readonly JsonObject[]) => Promise<void>;
}

export interface FairQueue {
  /** Resolves when more messages may be received. */
  waitForCapacity(): Promise<void>;
  /** Adds received messages. They run immediately or wait, as the limits allow. */
  push(records: readonly JsonObject[]): void;
  /** Returns the waiting messages. */
  pending(): readonly JsonObject[];
}

/** A subgroup may have several invocations only while fewer than this fraction of all invocations run. */
const FREE_SHARE = 0.25;
/** Maximum fraction of all invocations in which a group's subgroups are guaranteed an invocation. */
const GROUP_SHARE = 0.75;
/**
 * Maximum number of waiting messages. Beyond it no more are received, so that messages of other groups behind them wait too. The limit
 * exceeds the number of messages that an account sends while a receiver hangs.
 */
const MAX_PENDING = 10_000;
/** Stands for the group of messages without a group, which do not affect each other. */
const NO_GROUP = '';

/**
 * Returns the group and subgroup of a message. fauxqs drops the group on standard queues, so it is also sent as a message
 * attribute.
 */
function groupOf({ attributes, messageAttributes }: JsonObject): { group: string; subgroup: string } {
  const messageGroupId = isObject(attributes) ? attributes.MessageGroupId : undefined;
  const stringAttribute = (name: string) => {
    const attribute = isObject(messageAttributes) ? messageAttributes[name] : undefined;
    return isObject(attribute) ? attribute.stringValue : undefined;
  };
  return {
    group: String(messageGroupId ?? stringAttribute('group') ?? NO_GROUP),
    subgroup: String(stringAttribute('subgroup') ?? ''),
  };
}

/** The waiting messages of a subgroup. */
interface Subqueue {
  group: string;
  waiting: JsonObject[];
  /** Number of running invocations. */
  running: number;
}

/**
 * Creates a queue that emulates fair queues, SQS's behavior on standard queues with message groups: while one group
 * keeps invocations busy, other groups take precedence. The local run has few invocations instead of the hundreds on AWS, so it also
 * isolates the subgroups of a group, which SQS does not do: each subgroup may always have one invocation while the group has less than
 * three quarters of all, and several only while few are running. A batch contains messages of one subgroup.
 */
export function createFairQueue({ concurrency, batchSize, work }: FairQueueOptions): FairQueue {
  const subqueues = new Map<string, Subqueue>();
  const groups = new Map<string, number>();
  const free = Math.max(1, Math.floor(concurrency * FREE_SHARE));
  const fairShare = Math.max(1, Math.floor(concurrency * GROUP_SHARE));
  let running = 0;
  let wake = (): void => {};

  const runningOf = (group: string) => groups.get(group) ?? 0;
  /** Returns true if a subqueue is entitled to an invocation as soon as one is free. */
  const isEntitled = ({ group, running: runningOfSubgroup }: Subqueue) =>
    group === NO_GROUP || runningOf(group) === 0 || (runningOfSubgroup === 0 && runningOf(group) < fairShare);
  const canRun = (subqueue: Subqueue) => running < (isEntitled(subqueue) ? concurrency : free);
  const count = (group: string, change: 1 | -1): void => {
    const total = runningOf(group) + change;
    if (total === 0) groups.delete(group);
    else groups.set(group, total);
  };

  const run = (key: string, subqueue: Subqueue): void => {
    running += 1;
    subqueue.running += 1;
    count(subqueue.group, 1);
    work(subqueue.waiting.splice(0, batchSize))
      .catch((error: unknown) => console.error(error))
      .finally(() => {
        running -= 1;
        subqueue.running -= 1;
        count(subqueue.group, -1);
        if (subqueue.running === 0 && subqueue.waiting.length === 0) subqueues.delete(key);
        startNext();
      });
  };

  /** Starts as many invocations as the limits allow. Groups, and within them subgroups, with the fewest running ones come first. */
  const startNext = (): void => {
    for (;;) {
      const ready = [...subqueues].filter(([, subqueue]) => subqueue.waiting.length > 0 && canRun(subqueue));
      const [first] = ready.sort(([, a], [, b]) => runningOf(a.group) - runningOf(b.group) || a.running - b.running);
      if (!first) break;
      run(...first);
    }
    wake();
  };

  const pending = () => [...subqueues.values()].flatMap(({ waiting }) => waiting);
  /**
   * Returns true if receiving must pause. It continues while only busy groups wait, because messages of other groups may follow in
   * the queue.
   */
  const isFull = () => {
    const all = [...subqueues.values()];
    const starved = all.some((subqueue) => subqueue.waiting.length > 0 && isEntitled(subqueue));
    return starved || all.reduce((sum, { waiting }) => sum + waiting.length, 0) > MAX_PENDING;
  };

  return {
    waitForCapacity: async () => {
      while (isFull()) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    push: (records) => {
      for (const record of records) {
        const { group, subgroup } = groupOf(record);
        const key = JSON.stringify([group, subgroup]);
        const subqueue = subqueues.get(key) ?? { group, waiting: [], running: 0 };
        subqueue.waiting.push(record);
        subqueues.set(key, subqueue);
      }
      startNext();
    },
    pending,
  };
}
