import type { Table } from './table.ts';
import type { Write } from './writes.ts';

/** The most writes of one transaction (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html). */
const MAX_WRITES = 100;

interface Group {
  writes: readonly Write[];
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Returns a `transact` that makes one transaction of the groups of writes that are given at the same moment: for many items that
 * are independent of each other. Where it fails, each group is written alone and has its own result. It costs twice the
 * write units of single writes, and a hundredth of the round trips.
 */
export function joinTransactions(transact: Table['transact']): Table['transact'] {
  let waiting: Group[] = [];

  async function writeAll(groups: readonly Group[]): Promise<void> {
    try {
      await transact(groups.flatMap(({ writes }) => writes));
      for (const { resolve } of groups) resolve();
    } catch (error) {
      const [only] = groups;
      if (groups.length === 1) only?.reject(error);
      else for (const { writes, resolve, reject } of groups) transact(writes).then(resolve, reject);
    }
  }

  function flush(): void {
    const all = waiting;
    waiting = [];
    let groups: Group[] = [];
    let size = 0;
    for (const group of all) {
      if (size + group.writes.length > MAX_WRITES && groups.length > 0) {
        void writeAll(groups);
        groups = [];
        size = 0;
      }
      groups.push(group);
      size += group.writes.length;
    }
    void writeAll(groups);
  }

  return (writes) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({ writes, resolve, reject });
    });
}
