import type { Migration } from './migration.ts';

/** Moves the items of a list out of the index: the list is a partition of the table itself, under the same keys. */
export const intoPartition: Pick<Migration, 'reads' | 'forward'> = {
  reads: ['listPk', 'listSk'],
  forward: ({ listPk, listSk }) => {
    if (listPk === undefined || listSk === undefined) return undefined;
    return { key: { pk: String(listPk), sk: String(listSk) }, remove: ['listPk', 'listSk'] };
  },
};
