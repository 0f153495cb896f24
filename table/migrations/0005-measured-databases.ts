import type { Migration } from './migration.ts';

/** Marks older databases as measured, which starts the measurement of their account's databases. */
export const measuredDatabases: Migration = {
  name: '0005-measured-databases',
  entity: 'DATABASE',
  to: 2,
  reads: ['measured'],
  forward: ({ measured }) => (measured === undefined ? { set: { measured: true } } : undefined),
};
