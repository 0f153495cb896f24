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

/** With so many messages under way a group is a noisy neighbour, until it has none. */
const NOISY = 2;
/** The part of all invocations that noisy groups may have. */
const NOISY_SHARE = 0.5;
/** As many as this may wait here; then no more are received. */
const HELD_MOST = 2000;

/** The group of a message. fauxqs forgets that of a standard queue, so it also stands in an attribute. */
function groupOf({ attributes, messageAttributes, messageId }: JsonObject): string {
  const own = isObject(attributes) ? attributes.MessageGroupId : undefined;
  const named = isObject(messageAttributes) && isObject(messageAttributes.group) ? messageAttributes.group : {};
  return String(own ?? named.stringValue ?? messageId);
}

interface Group {
  waiting: JsonObject[];
  underWay: number;
  noisy: boolean;
}

/**
 * What SQS does of itself on standard queues whose messages name a group: a group that keeps many invocations busy waits
 * while those of quiet groups go first. Without groups every message is its own, and nobody waits.
 */
export function makeFairness({ concurrency, batchSize, work }: FairnessOptions): Fairness {
  const groups = new Map<string, Group>();
  const noisyMost = Math.max(1, Math.floor(concurrency * NOISY_SHARE));
  let running = 0;
  let noisyRunning = 0;
  let wake = (): void => {};

  const note = (name: string, group: Group, by: number): void => {
    group.underWay += by;
    if (group.underWay >= NOISY) group.noisy = true;
    if (group.underWay === 0) group.noisy = false;
    if (group.underWay === 0 && group.waiting.length === 0) groups.delete(name);
  };

  /** The next batch of one kind: one message of each group in turn, those first that have the fewest under way. */
  const pick = (noisy: boolean): { name: string; record: JsonObject }[] => {
    const batch: { name: string; record: JsonObject }[] = [];
    for (let found = true; found && batch.length < batchSize; ) {
      found = false;
      const turn = [...groups].filter(([, group]) => group.noisy === noisy && group.waiting.length > 0);
      for (const [name, group] of turn.sort(([, a], [, b]) => a.underWay - b.underWay)) {
        if (batch.length === batchSize || group.noisy !== noisy) continue;
        const record = group.waiting.shift();
        if (!record) continue;
        found = true;
        batch.push({ name, record });
        note(name, group, 1);
      }
    }
    return batch;
  };

  const run = (noisy: boolean): boolean => {
    const batch = pick(noisy);
    if (batch.length === 0) return false;
    running += 1;
    if (noisy) noisyRunning += 1;
    work(batch.map(({ record }) => record))
      .catch((error: unknown) => console.error(error))
      .finally(() => {
        running -= 1;
        if (noisy) noisyRunning -= 1;
        for (const { name } of batch) {
          const group = groups.get(name);
          if (group) note(name, group, -1);
        }
        next();
      });
    return true;
  };

  /** Starts as much as there is room for. */
  const next = (): void => {
    while (running < concurrency && run(false));
    while (running < concurrency && noisyRunning < noisyMost && run(true));
    wake();
  };

  const held = () => [...groups.values()].flatMap(({ waiting }) => waiting);
  /** Receiving goes on while noisy ones wait: behind them in the queue there may be quiet ones. */
  const full = () =>
    [...groups.values()].some(({ noisy, waiting }) => !noisy && waiting.length > 0) || held().length > HELD_MOST;

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
        const group = groups.get(name) ?? { waiting: [], underWay: 0, noisy: false };
        group.waiting.push(record);
        groups.set(name, group);
      }
      next();
    },
    held,
  };
}
