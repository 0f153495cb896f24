import type { Pair } from '../../contract/apps/dotenv.ts';
import { isEqual } from '../form/is-equal.ts';

/** One row of the form. */
export interface Variable {
  row: number;
  key: string;
  /** Empty for a stored variable: its value is kept. */
  value: string;
  stored: boolean;
}

/**
 * The changes that a form makes to the stored variables. Other variables are not touched, even if another user stores one in the
 * meantime, so the names can be refetched at any time without losing input.
 */
export interface Edits {
  /** New values of stored variables, by name. */
  values: Readonly<Record<string, string>>;
  /** Rows of new variables. */
  added: readonly Variable[];
  /** Names of stored variables. */
  removed: readonly string[];
}

export const NO_EDITS: Edits = { values: {}, added: [], removed: [] };

/** Number of the last row: gives rows a stable identity while others are added and removed. */
let lastRow = 0;
const createRow = ({ key, value }: Pair): Variable => {
  lastRow += 1;
  return { row: lastRow, key, value, stored: false };
};

/** Returns the rows to show: the stored variables in their order, then the new ones. */
export const rowsOf = (keys: readonly string[], { values, added, removed }: Edits): readonly Variable[] => [
  ...keys
    .filter((key) => !removed.includes(key))
    // Negative: the rows of new variables count up from 1.
    .map((key, index) => ({
      row: -1 - index,
      key,
      value: (Object.hasOwn(values, key) && values[key]) || '',
      stored: true,
    })),
  ...added,
];

export const withRow = (edits: Edits): Edits => ({
  ...edits,
  added: [...edits.added, createRow({ key: '', value: '' })],
});

/** Applies what was typed into a row. */
export const withChange = (edits: Edits, changed: Variable): Edits =>
  changed.stored
    ? { ...edits, values: { ...edits.values, [changed.key]: changed.value } }
    : { ...edits, added: edits.added.map((variable) => (variable.row === changed.row ? changed : variable)) };

export function without(edits: Edits, { row, key, stored }: Variable): Edits {
  if (!stored) return { ...edits, added: edits.added.filter((variable) => variable.row !== row) };
  const { [key]: _, ...values } = edits.values;
  return { ...edits, values, removed: [...edits.removed, key] };
}

/** Imports variables: existing names get the new value, and empty rows are dropped. */
export function withPairs(edits: Edits, keys: readonly string[], pairs: readonly Pair[]): Edits {
  const imported = new Map(pairs.map(({ key, value }) => [key, value]));
  const removed = edits.removed.filter((key) => !imported.has(key));
  const known = pairs.filter(({ key }) => keys.includes(key));
  const added = edits.added
    .filter(({ key, value }) => key !== '' || value !== '')
    .map((variable) => ({ ...variable, value: imported.get(variable.key) ?? variable.value }));
  const names = new Set([...keys, ...added.map(({ key }) => key)]);
  return {
    values: { ...edits.values, ...Object.fromEntries(known.map(({ key, value }) => [key, value])) },
    added: [
      ...added,
      ...[...imported].filter(([key]) => !names.has(key)).map(([key, value]) => createRow({ key, value })),
    ],
    removed,
  };
}

/** Returns the edits that were made after others were sent: those that differ from what is now stored. */
export function withoutSent(edits: Edits, sent: Edits): Edits {
  const sentRows = new Map(sent.added.map((variable) => [variable.row, variable]));
  const values = Object.entries(edits.values).filter(([key, value]) => sent.values[key] !== value);
  const added = edits.added.filter((variable) => !isEqual(variable, sentRows.get(variable.row)));
  // A new variable that was sent is a stored one now, unless its name was changed since.
  const isStored = ({ row, key }: Variable): boolean => sentRows.get(row)?.key === key;
  const changed = added.filter(isStored).map(({ key, value }) => [key, value]);
  return {
    values: Object.fromEntries([...values, ...changed]),
    added: added.filter((variable) => !isStored(variable)),
    removed: edits.removed.filter((key) => !sent.removed.includes(key)),
  };
}

/** Returns the body that sends the edits. */
export const toBody = (keys: readonly string[], edits: Edits) => ({
  set: rowsOf(keys, edits)
    .filter(({ stored, value }) => !stored || value !== '')
    .map(({ key, value }) => ({ key, value })),
  remove: edits.removed.filter((key) => keys.includes(key)),
});
