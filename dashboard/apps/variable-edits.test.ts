import { expect, test } from 'vitest';
import {
  type Edits,
  NO_EDITS,
  rowsOf,
  toBody,
  type Variable,
  withChange,
  without,
  withoutSent,
  withPairs,
  withRow,
} from './variable-edits.ts';

const rowOf = (rows: readonly Variable[], key: string): Variable => {
  const found = rows.find((row) => row.key === key);
  if (!found) throw new Error(`no row of ${key}`);
  return found;
};

test('sends what was changed and nothing else, whatever was stored meanwhile', () => {
  const before = ['A', 'B'];
  let edits = withChange(NO_EDITS, { ...rowOf(rowsOf(before, NO_EDITS), 'A'), value: 'new' });
  edits = without(edits, rowOf(rowsOf(before, edits), 'B'));
  edits = withRow(edits);
  edits = withChange(edits, { ...rowOf(rowsOf(before, edits), ''), key: 'C', value: '' });
  const meanwhile = ['A', 'B', 'D'];
  expect(rowsOf(meanwhile, edits).map(({ key, value, stored }) => [key, value, stored])).toEqual([
    ['A', 'new', true],
    ['D', '', true],
    ['C', '', false],
  ]);
  expect(toBody(meanwhile, edits)).toEqual({
    set: [
      { key: 'A', value: 'new' },
      { key: 'C', value: '' },
    ],
    remove: ['B'],
  });
  expect(toBody(meanwhile, NO_EDITS)).toEqual({ set: [], remove: [] });
});

test('an import sets existing names, brings back removed ones, and drops empty rows', () => {
  const keys = ['A', 'B'];
  const edits = withRow(without(NO_EDITS, rowOf(rowsOf(keys, NO_EDITS), 'B')));
  const imported = withPairs(edits, keys, [
    { key: 'B', value: '2' },
    { key: 'C', value: '3' },
    { key: 'C', value: '4' },
  ]);
  expect(toBody(keys, imported)).toEqual({
    set: [
      { key: 'B', value: '2' },
      { key: 'C', value: '4' },
    ],
    remove: [],
  });
  expect(rowsOf(keys, imported).map(({ key }) => key)).toEqual(['A', 'B', 'C']);
});

test('a variable may be called like a property of every object', () => {
  const keys = ['constructor', 'toString', '__proto__'];
  expect(rowsOf(keys, NO_EDITS).map(({ value }) => value)).toEqual(['', '', '']);
  const edits = withChange(NO_EDITS, { ...rowOf(rowsOf(keys, NO_EDITS), '__proto__'), value: 'x' });
  expect(toBody(keys, edits).set).toEqual([{ key: '__proto__', value: 'x' }]);
});

test('what is edited while a save is pending stays, on top of what was saved', () => {
  const typed = (edits: Edits, keys: readonly string[], key: string, changed: Partial<Variable>) =>
    withChange(edits, { ...rowOf(rowsOf(keys, edits), key), ...changed });
  const before = ['A', 'B', 'C'];
  let sent = without(NO_EDITS, rowOf(rowsOf(before, NO_EDITS), 'C'));
  sent = typed(sent, before, 'A', { value: '1' });
  sent = typed(withRow(sent), before, '', { key: 'D', value: '4' });
  sent = typed(withRow(sent), before, '', { key: 'E', value: '5' });
  const after = ['A', 'B', 'D', 'E'];
  expect(toBody(after, withoutSent(sent, sent))).toEqual({ set: [], remove: [] });
  let edits = typed(sent, before, 'B', { value: '2' });
  edits = typed(edits, before, 'D', { value: '44' });
  edits = typed(edits, before, 'E', { key: 'E2' });
  edits = typed(withRow(edits), before, '', { key: 'F', value: '6' });
  expect(toBody(after, withoutSent(edits, sent)).set).toEqual([
    { key: 'B', value: '2' },
    { key: 'D', value: '44' },
    { key: 'E2', value: '5' },
    { key: 'F', value: '6' },
  ]);
});
