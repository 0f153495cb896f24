import { expect, test } from 'vitest';
import { applyView, byName, byTime, type ListView, rowWindow, statusesOf } from './list-view.ts';

interface Item {
  name: string;
  at: string | null;
  status: string;
}
const ITEMS: Item[] = [
  { name: 'shop 10', at: '2026-01-02', status: 'LIVE' },
  { name: 'Blog', at: null, status: 'FAILED' },
  { name: 'shop 2', at: '2026-01-01', status: 'LIVE' },
];
const VIEW: ListView<Item> = {
  text: ({ name, status }) => `${name} ${status}`,
  sorts: {
    name: { label: 'Name', compare: byName(({ name }) => name) },
    oldest: { label: 'Oldest', compare: byTime(({ at }) => at) },
  },
  status: ({ status }) => status,
};
const names = (choice: { query?: string; sort?: string; status?: string }) =>
  applyView(VIEW, ITEMS, { query: '', sort: '', status: '', ...choice }).map(({ name }) => name);

test('without a choice the list is as the API sent it', () => {
  expect(names({})).toEqual(['shop 10', 'Blog', 'shop 2']);
  expect(names({ sort: 'constructor' })).toEqual(['shop 10', 'Blog', 'shop 2']);
});

test('every word of a search is found, in any case and order', () => {
  expect(names({ query: 'SHOP' })).toEqual(['shop 10', 'shop 2']);
  expect(names({ query: 'live 10' })).toEqual(['shop 10']);
  expect(names({ query: 'shop blog' })).toEqual([]);
});

test('names are sorted as people do, and items without a time are last', () => {
  expect(names({ sort: 'name' })).toEqual(['Blog', 'shop 2', 'shop 10']);
  expect(names({ sort: 'oldest' })).toEqual(['shop 2', 'shop 10', 'Blog']);
});

test('a status shows its items only, and stays a choice when none is left', () => {
  expect(names({ status: 'LIVE', sort: 'name' })).toEqual(['shop 2', 'shop 10']);
  expect(names({ status: 'GONE' })).toEqual([]);
  expect(statusesOf(VIEW, ITEMS, 'GONE')).toEqual(['FAILED', 'GONE', 'LIVE']);
});

test('at most 300 rows are shown at once, and every row is in some window', () => {
  expect(rowWindow(100, 40)).toEqual({ start: 0, end: 40 });
  expect(rowWindow(300, 1000)).toEqual({ start: 0, end: 300 });
  expect(rowWindow(400, 1000)).toEqual({ start: 300, end: 400 });
  expect(rowWindow(1000, 1000)).toEqual({ start: 900, end: 1000 });
  expect(rowWindow(100, 0)).toEqual({ start: 0, end: 0 });
});
