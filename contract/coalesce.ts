/** The items of one batch: at least one. */
export type Batch<Item> = readonly [Item, ...Item[]];

interface Coalescing<Item, Result> {
  /** Runs a batch. Returns a result, or the promise of a result, for each item, in the order of the items. */
  run(items: Batch<Item>): readonly (Result | Promise<Result>)[] | Promise<readonly (Result | Promise<Result>)[]>;
  /** Runs an item that is alone in its batch, and each item of a batch that failed. Without it, a failed batch fails all its items. */
  runAlone?(item: Item): Promise<Result>;
  /** The largest size of a batch. An item is never divided: a larger one has a batch to itself. */
  max?: number;
  /** The size of an item, counted towards `max`. Default: 1. */
  sizeOf?(item: Item): number;
  /** Batches never mix groups, and each group runs one batch at a time. Without it, all batches run concurrently. */
  groupOf?(item: Item): string;
  /** Items of one batch with the same identity run once and share the result. */
  identityOf?(item: Item): string;
}

interface Waiting<Item, Result> extends PromiseWithResolvers<Result> {
  item: Item;
}

/**
 * Returns a function that runs an item in one batch with the items that other callers in this process pass in the same turn of the
 * event loop (DataLoader's pattern). Every caller gets the result of its own item.
 */
export function coalesce<Item, Result>(options: Coalescing<Item, Result>): (item: Item) => Promise<Result> {
  const { run, runAlone, max = Number.POSITIVE_INFINITY, sizeOf = () => 1, groupOf, identityOf } = options;
  type Queue = Map<string | symbol, Waiting<Item, Result>>;
  /** The waiting items by group. A group keeps its entry while a batch of it runs. */
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
