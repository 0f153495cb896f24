import type { Migration } from './migration.ts';

/** Databases from before their use was measured get the mark with which the measurement of their account begins. */
export const measuredDatabases: Migration = {
  name: '0005-measured-databases',
  entity: 'DATABASE',
  to: 2,
  reads: ['measured'],
  forward: ({ measured }) => (measured === undefined ? { set: { measured: true } } : undefined),
};
