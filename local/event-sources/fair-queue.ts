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

/** Fraction of all invocations up to which a subgroup may have several. */
const FREE_SHARE = 0.25;
/** Fraction of all invocations that a group can have while others are without. */
const GROUP_SHARE = 0.75;
/**
 * Maximum number of waiting messages; beyond it no more are received, and messages of other groups behind them wait too. More than an
 * account sends in the time that a receiver may hang.
 */
const MAX_PENDING = 10_000;
/** The group of messages without one, which do not affect each other. */
const NO_GROUP = '';

/**
 * Returns the group of a message, and the part of it. fauxqs drops the group on standard queues, so it is also sent as an
 * attribute.
 */
function placeOf({ attributes, messageAttributes }: JsonObject): { group: string; subgroup: string } {
  const own = isObject(attributes) ? attributes.MessageGroupId : undefined;
  const named = (name: string) => {
    const attribute = isObject(messageAttributes) ? messageAttributes[name] : undefined;
    return isObject(attribute) ? attribute.stringValue : undefined;
  };
  return { group: String(own ?? named('group') ?? NO_GROUP), subgroup: String(named('subgroup') ?? '') };
}

/** The messages of a group and subgroup. */
interface Line {
  group: string;
  waiting: JsonObject[];
  /** Number of running invocations. */
  underWay: number;
}

/**
 * Creates a queue that emulates fair queues, SQS's behaviour on standard queues with message groups: while one group
 * keeps invocations busy, other groups go first. Few invocations stand for the hundreds of AWS here, so a group's
 * subgroups are kept apart as well, which SQS does not do: each may always have one invocation while the group has not three
 * quarters of all, and more only while few are running. A batch contains messages of one subgroup.
 */
export function createFairQueue({ concurrency, batchSize, work }: FairQueueOptions): FairQueue {
  const lines = new Map<string, Line>();
  const groups = new Map<string, number>();
  const free = Math.max(1, Math.floor(concurrency * FREE_SHARE));
  const fairShare = Math.max(1, Math.floor(concurrency * GROUP_SHARE));
  let running = 0;
  let wake = (): void => {};

  const underWayOf = (group: string) => groups.get(group) ?? 0;
  const isAlone = ({ group, underWay }: Line) =>
    group === NO_GROUP || underWayOf(group) === 0 || (underWay === 0 && underWayOf(group) < fairShare);
  const canRun = (line: Line) => running < (isAlone(line) ? concurrency : free);
  const count = (group: string, change: 1 | -1): void => {
    const now = underWayOf(group) + change;
    if (now === 0) groups.delete(group);
    else groups.set(group, now);
  };

  const run = (key: string, line: Line): void => {
    running += 1;
    line.underWay += 1;
    count(line.group, 1);
    work(line.waiting.splice(0, batchSize))
      .catch((error: unknown) => console.error(error))
      .finally(() => {
        running -= 1;
        line.underWay -= 1;
        count(line.group, -1);
        if (line.underWay === 0 && line.waiting.length === 0) lines.delete(key);
        next();
      });
  };

  /** Starts as many invocations as the limits allow, groups and then subgroups with the fewest running ones first. */
  const next = (): void => {
    for (;;) {
      const ready = [...lines].filter(([, line]) => line.waiting.length > 0 && canRun(line));
      const [first] = ready.sort(
        ([, a], [, b]) => underWayOf(a.group) - underWayOf(b.group) || a.underWay - b.underWay,
      );
      if (!first) break;
      run(...first);
    }
    wake();
  };

  const pending = () => [...lines.values()].flatMap(({ waiting }) => waiting);
  /**
   * Returns true if receiving must pause. It continues while busy groups wait, because messages of others may be behind
   * them.
   */
  const isFull = () => {
    const all = [...lines.values()];
    const starved = all.some((line) => line.waiting.length > 0 && isAlone(line));
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
        const { group, subgroup } = placeOf(record);
        const key = JSON.stringify([group, subgroup]);
        const line = lines.get(key) ?? { group, waiting: [], underWay: 0 };
        line.waiting.push(record);
        lines.set(key, line);
      }
      next();
    },
    pending,
  };
}
