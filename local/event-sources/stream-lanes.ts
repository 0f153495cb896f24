export interface LanesOptions<T> {
  /** Number of batches that are worked on at once. */
  lanes: number;
  batchSize: number;
  /** Works on a batch; never rejects. */
  work: (batch: readonly T[]) => Promise<void>;
}

/** The partition and the account of a record. */
export interface Place {
  /** Its partition key: records of one are worked on one after the other. */
  partition: string;
  /** Records of one account share its turns. */
  account: string;
}

/** Fraction of all lanes that one account may occupy; at least one lane. */
const ACCOUNT_SHARE = 0.5;

/** The records of a partition key. Known while some wait or are worked on. */
interface Partition<T> {
  key: string;
  account: Account<T>;
  /** Those that wait, in order. */
  waiting: T[];
}

interface Account<T> {
  name: string;
  /** Partitions of which records wait and none is worked on; the one that has been ready the longest first. */
  ready: Set<Partition<T>>;
  /** Number of records that wait in them. */
  readyCount: number;
  /** Number of lanes that work on its records. */
  busyLanes: number;
  /** The last turn that it had. */
  servedAt: number;
}

/** The records of a partition that are part of a batch. */
interface Part<T> {
  partition: Partition<T>;
  records: T[];
}

/** Takes at most so many records of an account. */
function dequeue<T>(account: Account<T>, most: number): Part<T>[] {
  const parts: Part<T>[] = [];
  let left = most;
  for (const partition of account.ready) {
    if (left === 0) break;
    account.ready.delete(partition);
    account.readyCount -= partition.waiting.length;
    const records = partition.waiting.splice(0, left);
    left -= records.length;
    parts.push({ partition, records });
  }
  return parts;
}

/**
 * Creates lanes that keep the records of a partition key in order and let accounts take turns, so that one with thousands of
 * changes does not keep the others waiting. Lambda binds each partition key to one of up to ten lanes of its shard
 * (`ParallelizationFactor`). Here a table has one shard and few lanes, so a lane takes whatever is next. Accounts share a
 * batch only where all that they have waiting fits into it.
 *
 * @returns a function that accepts a record
 */
export function createLanes<T>({ lanes, batchSize, work }: LanesOptions<T>): (record: T, place: Place) => void {
  const partitions = new Map<string, Partition<T>>();
  const accounts = new Map<string, Account<T>>();
  const share = Math.max(1, Math.floor(lanes * ACCOUNT_SHARE));
  let running = 0;
  let turn = 0;
  let isScheduled = false;

  const accountOf = (name: string): Account<T> => {
    const known = accounts.get(name);
    if (known) return known;
    const account: Account<T> = { name, ready: new Set(), readyCount: 0, busyLanes: 0, servedAt: 0 };
    accounts.set(name, account);
    return account;
  };

  /** Returns the next batch: of the account whose turn it is, and of those behind it while all that they have fits. */
  const nextBatch = (): Part<T>[] => {
    const inTurn = [...accounts.values()]
      .filter(({ readyCount, busyLanes }) => readyCount > 0 && busyLanes < share)
      .sort((a, b) => a.busyLanes - b.busyLanes || a.servedAt - b.servedAt);
    const batch: Part<T>[] = [];
    let left = batchSize;
    turn += 1;
    for (const account of inTurn) {
      if (batch.length > 0 && account.readyCount > left) break;
      account.servedAt = turn;
      const parts = dequeue(account, left);
      for (const { records } of parts) left -= records.length;
      batch.push(...parts);
    }
    return batch;
  };

  const run = async (batch: readonly Part<T>[]): Promise<void> => {
    const served = new Set(batch.map(({ partition }) => partition.account));
    running += 1;
    for (const account of served) account.busyLanes += 1;
    await work(batch.flatMap(({ records }) => records));
    running -= 1;
    for (const { partition } of batch) {
      const { account, key, waiting } = partition;
      if (waiting.length === 0) {
        partitions.delete(key);
        continue;
      }
      account.ready.add(partition);
      account.readyCount += waiting.length;
    }
    for (const account of served) {
      account.busyLanes -= 1;
      if (account.busyLanes === 0 && account.readyCount === 0) accounts.delete(account.name);
    }
    fill();
  };

  /** Starts a batch in each free lane. */
  const fill = (): void => {
    isScheduled = false;
    while (running < lanes) {
      const batch = nextBatch();
      if (batch.length === 0) return;
      void run(batch);
    }
  };

  return (record, { partition: key, account: name }) => {
    const known = partitions.get(key);
    if (known) {
      known.waiting.push(record);
      if (known.account.ready.has(known)) known.account.readyCount += 1;
    } else {
      const partition = { key, account: accountOf(name), waiting: [record] };
      partitions.set(key, partition);
      partition.account.ready.add(partition);
      partition.account.readyCount += 1;
    }
    // Deferred until the other records of the same read have arrived, so that they form one batch.
    if (!isScheduled) queueMicrotask(fill);
    isScheduled = true;
  };
}
