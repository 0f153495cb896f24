import { coalesce } from '../contract/coalesce.ts';
import type { Table } from './table.ts';

/** The maximum number of writes in a transaction (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html). */
const MAX_WRITES = 100;

/**
 * Returns a `transact` that joins concurrent groups of writes into one transaction. For many items that are independent of each other.
 * If the transaction fails, each group is written alone with its own result. It costs twice the write units of single writes, and a
 * hundredth of the round trips.
 */
export const joinTransactions = (transact: Table['transact']): Table['transact'] =>
  coalesce({
    max: MAX_WRITES,
    sizeOf: (writes) => writes.length,
    async run(groups) {
      await transact(groups.flat());
      return groups.map(() => undefined);
    },
    runAlone: transact,
  });
