import type { Migration } from './migration.ts';

/** Moves the items of a list from the index to a partition of the table, under the same keys. */
export const intoPartition: Pick<Migration, 'reads' | 'forward'> = {
  reads: ['listPk', 'listSk'],
  forward: ({ listPk, listSk }) => {
    if (listPk === undefined || listSk === undefined) return undefined;
    return { key: { pk: String(listPk), sk: String(listSk) }, remove: ['listPk', 'listSk'] };
  },
};
