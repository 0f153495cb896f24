import { isObject, type JsonObject } from '../template/intrinsics.ts';

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

/** While no more than this part of all invocations is under way, a group may have several. */
const FREE_PART = 0.25;
/** As many as this may wait here; then no more are received. */
const HELD_MOST = 2000;
/** Messages without a group stand in no relation to each other. */
const NONE = '';

/** The group of a message. fauxqs forgets that of a standard queue, so it also stands in an attribute. */
function groupOf({ attributes, messageAttributes }: JsonObject): string {
  const own = isObject(attributes) ? attributes.MessageGroupId : undefined;
  const named = isObject(messageAttributes) && isObject(messageAttributes.group) ? messageAttributes.group : {};
  return String(own ?? named.stringValue ?? NONE);
}

interface Group {
  name: string;
  waiting: JsonObject[];
  /** Invocations under way for it. */
  underWay: number;
}

/**
 * What SQS does of itself on standard queues whose messages name a group: a group that keeps invocations busy waits while
 * others go first. Here a batch is of one group, so that none waits for the slowest of another; each group may always
 * have one invocation, and more only while few are under way.
 */
export function makeFairness({ concurrency, batchSize, work }: FairnessOptions): Fairness {
  const groups = new Map<string, Group>();
  const free = Math.max(1, Math.floor(concurrency * FREE_PART));
  let running = 0;
  let wake = (): void => {};

  const alone = ({ name, underWay }: Group) => underWay === 0 || name === NONE;
  const mayRun = (group: Group) => running < (alone(group) ? concurrency : free);

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

  /** Starts as much as there is room for, those first that have the least under way. */
  const next = (): void => {
    for (;;) {
      const ready = [...groups.values()].filter((group) => group.waiting.length > 0 && mayRun(group));
      const [first] = ready.sort((a, b) => a.underWay - b.underWay);
      if (!first) break;
      run(first);
    }
    wake();
  };

  const held = () => [...groups.values()].flatMap(({ waiting }) => waiting);
  /** Receiving goes on while busy groups wait: behind them in the queue there may be others. */
  const full = () => {
    const all = [...groups.values()];
    const starved = all.some((group) => group.waiting.length > 0 && alone(group));
    return starved || all.reduce((sum, { waiting }) => sum + waiting.length, 0) > HELD_MOST;
  };

  return {
    room: async () => {
      while (full()) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    take: (records) => {
      for (const record of records) {
        const name = groupOf(record);
        const group = groups.get(name) ?? { name, waiting: [], underWay: 0 };
        group.waiting.push(record);
        groups.set(name, group);
      }
      next();
    },
    held,
  };
}
