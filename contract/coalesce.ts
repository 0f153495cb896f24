/** Items of one batch, at least one. */
export type Batch<Item> = readonly [Item, ...Item[]];

interface Coalescing<Item, Result> {
  /** Runs a batch. Returns a result for each item, in their order, or the promise of one. */
  run(items: Batch<Item>): readonly (Result | Promise<Result>)[] | Promise<readonly (Result | Promise<Result>)[]>;
  /** Runs an item that is alone in its batch, and each item of a batch that failed. Without it, a failure is that of all. */
  runAlone?(item: Item): Promise<Result>;
  /** The most that a batch holds. An item is never divided. */
  max?: number;
  /** The part of `max` that an item takes: 1 unless given. */
  sizeOf?(item: Item): number;
  /** Items of one group have batches of their own, of which one runs at a time. Without it, all batches run at once. */
  groupOf?(item: Item): string;
  /** Items with the same text are one item of a batch and share its result. */
  identityOf?(item: Item): string;
}

interface Waiting<Item, Result> extends PromiseWithResolvers<Result> {
  item: Item;
}

/**
 * Returns a function that runs an item together with those that are given at the same moment, by whatever part of the process
 * (DataLoader's pattern). Every caller gets the result of its own item.
 */
export function coalesce<Item, Result>(options: Coalescing<Item, Result>): (item: Item) => Promise<Result> {
  const { run, runAlone, max = Number.POSITIVE_INFINITY, sizeOf = () => 1, groupOf, identityOf } = options;
  type Queue = Map<string | symbol, Waiting<Item, Result>>;
  /** Items that wait for their turn, by group. A group stands here while some of its items are run. */
  const queues = new Map<string, Queue>();

  function takeBatch(queue: Queue): Waiting<Item, Result>[] {
    const batch: Waiting<Item, Result>[] = [];
    let size = 0;
    for (const [identity, waiting] of queue) {
      size += sizeOf(waiting.item);
      if (size > max && batch.length > 0) break;
      batch.push(waiting);
      queue.delete(identity);
    }
    return batch;
  }

  async function runEach(batch: readonly Waiting<Item, Result>[], act: (item: Item) => Promise<Result>): Promise<void> {
    for (const { item, resolve } of batch) {
      const result = act(item);
      resolve(result);
      if (groupOf) await Promise.allSettled([result]);
    }
  }

  async function runBatch(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    if (runAlone && batch.length === 1) return await runEach(batch, runAlone);
    try {
      const results = await run(batch.map(({ item }) => item) as [Item, ...Item[]]);
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result | Promise<Result>);
    } catch (error) {
      if (runAlone) return await runEach(batch, runAlone);
      for (const { reject } of batch) reject(error);
    }
  }

  async function runQueue(group: string, queue: Queue): Promise<void> {
    while (queue.size > 0) {
      const running = runBatch(takeBatch(queue));
      if (groupOf) await running;
    }
    queues.delete(group);
  }

  return (item) => {
    const group = groupOf?.(item) ?? '';
    const queue: Queue = queues.get(group) ?? new Map();
    if (!queues.has(group)) {
      queues.set(group, queue);
      setImmediate(() => void runQueue(group, queue));
    }
    const identity = identityOf?.(item) ?? Symbol();
    const waiting = queue.get(identity) ?? { item, ...Promise.withResolvers<Result>() };
    queue.set(identity, waiting);
    return waiting.promise;
  };
}
