import { isObject, type JsonObject } from '../template/intrinsics.ts';

export interface FairQueueOptions {
  /** Maximum number of concurrent invocations. */
  concurrency: number;
  batchSize: number;
  /** Runs one invocation; never rejects because of a message. */
  work: (records: readonly JsonObject[]) => Promise<void>;
}

export interface FairQueue {
  /** Resolves when more messages may be received. */
  waitForCapacity(): Promise<void>;
  /** Accepts received messages: some run at once, others wait for their turn. */
  push(records: readonly JsonObject[]): void;
  /** Returns the messages that wait for their turn. */
  pending(): readonly JsonObject[];
}

/** Fraction of all invocations up to which a group may have several. */
const FREE_SHARE = 0.25;
/** Maximum number of waiting messages; beyond it no more are received. */
const MAX_PENDING = 2000;
/** The group of messages without one, which do not affect each other. */
const NO_GROUP = '';

/** Returns the group of a message. fauxqs drops the group on standard queues, so it is also sent as an attribute. */
function groupOf({ attributes, messageAttributes }: JsonObject): string {
  const own = isObject(attributes) ? attributes.MessageGroupId : undefined;
  const named = isObject(messageAttributes) && isObject(messageAttributes.group) ? messageAttributes.group : {};
  return String(own ?? named.stringValue ?? NO_GROUP);
}

interface Group {
  name: string;
  waiting: JsonObject[];
  /** Number of the group's running invocations. */
  underWay: number;
}

/**
 * Creates a queue that emulates fair queues, SQS's behaviour on standard queues with message groups: while one group
 * keeps invocations busy, other groups go first. A batch contains messages of one group, so that none waits for a slow
 * message of another group. Each group may always have one invocation, and more only while few are running.
 */
export function createFairQueue({ concurrency, batchSize, work }: FairQueueOptions): FairQueue {
  const groups = new Map<string, Group>();
  const free = Math.max(1, Math.floor(concurrency * FREE_SHARE));
  let running = 0;
  let wake = (): void => {};

  const isAlone = ({ name, underWay }: Group) => underWay === 0 || name === NO_GROUP;
  const canRun = (group: Group) => running < (isAlone(group) ? concurrency : free);

  const run = (group: Group): void => {
    running += 1;
    group.underWay += 1;
    work(group.waiting.splice(0, batchSize))
      .catch((error: unknown) => console.error(error))
      .finally(() => {
        running -= 1;
        group.underWay -= 1;
        if (group.underWay === 0 && group.waiting.length === 0) groups.delete(group.name);
        next();
      });
  };

  /** Starts as many invocations as the limits allow, groups with the fewest running ones first. */
  const next = (): void => {
    for (;;) {
      const ready = [...groups.values()].filter((group) => group.waiting.length > 0 && canRun(group));
      const [first] = ready.sort((a, b) => a.underWay - b.underWay);
      if (!first) break;
      run(first);
    }
    wake();
  };

  const pending = () => [...groups.values()].flatMap(({ waiting }) => waiting);
  /**
   * Returns true if receiving must pause. It continues while busy groups wait, because messages of others may be behind
   * them.
   */
  const isFull = () => {
    const all = [...groups.values()];
    const starved = all.some((group) => group.waiting.length > 0 && isAlone(group));
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
        const name = groupOf(record);
        const group = groups.get(name) ?? { name, waiting: [], underWay: 0 };
        group.waiting.push(record);
        groups.set(name, group);
      }
      next();
    },
    pending,
  };
}
