export interface LanesOptions<T> {
  /** Maximum number of batches that are processed concurrently. */
  lanes: number;
  batchSize: number;
  /** Processes a batch. Never rejects. */
  work: (batch: readonly T[]) => Promise<void>;
}

/** The partition and the account of a record. */
export interface RecordKey {
  /** The partition key. Records of one partition are processed one after another. */
  partition: string;
  /** Accounts take turns. */
  account: string;
}

/** Fraction of all lanes that one account may occupy; at least one lane. */
const ACCOUNT_SHARE = 0.5;

/** The records of a partition key, while records of it are waiting or in progress. */
interface Partition<T> {
  key: string;
  account: Account<T>;
  /** The waiting records, in order. */
  waiting: T[];
}

interface Account<T> {
  name: string;
  /** Partitions with waiting records and none in progress, in the order in which they became ready. */
  ready: Set<Partition<T>>;
  /** Number of waiting records in the ready partitions. */
  readyCount: number;
  /** Number of lanes that process its records. */
  busyLanes: number;
  /** The number of the last batch that contained its records. */
  servedAt: number;
}

/** The records of one partition in a batch. */
interface Part<T> {
  partition: Partition<T>;
  records: T[];
}

/** Removes and returns waiting records of an account, up to a maximum. */
function dequeue<T>(account: Account<T>, maxRecords: number): Part<T>[] {
  const parts: Part<T>[] = [];
  let remaining = maxRecords;
  for (const partition of account.ready) {
    if (remaining === 0) break;
    account.ready.delete(partition);
    account.readyCount -= partition.waiting.length;
    const records = partition.waiting.splice(0, remaining);
    remaining -= records.length;
    parts.push({ partition, records });
  }
  return parts;
}

/**
 * Creates lanes that keep the records of a partition key in order and let accounts take turns, so that an account with thousands
 * of changes does not delay the others. Lambda binds each partition key to one of up to ten lanes of its shard
 * (`ParallelizationFactor`). In the local run a table has one shard and few lanes, so a lane processes the next batch of any key.
 * Accounts share a batch only if all waiting records of each further account fit into it.
 *
 * @returns a function that accepts a record
 */
export function createLanes<T>({ lanes, batchSize, work }: LanesOptions<T>): (record: T, recordKey: RecordKey) => void {
  const partitions = new Map<string, Partition<T>>();
  const accounts = new Map<string, Account<T>>();
  const maxLanesPerAccount = Math.max(1, Math.floor(lanes * ACCOUNT_SHARE));
  let running = 0;
  let batchNumber = 0;
  let isScheduled = false;

  const accountOf = (name: string): Account<T> => {
    const known = accounts.get(name);
    if (known) return known;
    const account: Account<T> = { name, ready: new Set(), readyCount: 0, busyLanes: 0, servedAt: 0 };
    accounts.set(name, account);
    return account;
  };

  /** Returns the next batch: of the account whose turn it is, and of the following ones while all of their waiting records fit. */
  const nextBatch = (): Part<T>[] => {
    const eligible = [...accounts.values()]
      .filter(({ readyCount, busyLanes }) => readyCount > 0 && busyLanes < maxLanesPerAccount)
      .sort((a, b) => a.busyLanes - b.busyLanes || a.servedAt - b.servedAt);
    const batch: Part<T>[] = [];
    let remaining = batchSize;
    batchNumber += 1;
    for (const account of eligible) {
      if (batch.length > 0 && account.readyCount > remaining) break;
      account.servedAt = batchNumber;
      const parts = dequeue(account, remaining);
      for (const { records } of parts) remaining -= records.length;
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
