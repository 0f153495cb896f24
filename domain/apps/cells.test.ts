import { expect, test } from 'vitest';
import type { Cell } from '../../table/entities/cells.ts';
import { applicationsFor } from './cell-capacity.ts';
import { assertNotPlatformDomain, HOME_CELL, placeApp } from './cells.ts';

const deps = { settings: { appsDomain: 'apps.example' } } as Parameters<typeof placeApp>[0];
const cell = (id: string, room: number | undefined, open = true): Cell => ({
  id,
  open,
  ...(room === undefined ? {} : { room }),
  ...(id === HOME_CELL ? {} : { resources: { appsDomain: `${id}.example` } as Cell['resources'] }),
});

test.each([
  ['without any cell, at home', [], undefined],
  ['where there is most room', [cell('b', 5), cell('c', 7), cell('d', 6)], 'c'],
  ['at home where it has most room', [cell(HOME_CELL, 9), cell('b', 5)], undefined],
  ['where there is room although the home cell is not listed', [cell('b', 5)], 'b'],
  ['in no cell that is closed', [cell(HOME_CELL, 9, false), cell('b', 9, false), cell('c', 1)], 'c'],
  ['in a measured cell before one that was not measured yet', [cell('b', undefined), cell('c', 1)], 'c'],
  ['at home where every other cell is closed', [cell('b', 9, false)], undefined],
])('a new application is placed %s', (_, cells, expected) => {
  const { cellId, appsDomain } = placeApp(deps, cells);
  expect(cellId).toBe(expected);
  expect(appsDomain).toBe(expected === undefined ? 'apps.example' : `${expected}.example`);
});

test('the capacity is what the scarcer of concurrency and code storage allows', () => {
  expect(applicationsFor({ concurrency: 900, codeBytes: 75e9 })).toBe(45);
  expect(applicationsFor({ concurrency: 900, codeBytes: 60e6 })).toBe(1);
  expect(applicationsFor({ concurrency: 19, codeBytes: 75e9 })).toBe(0);
});

test('a name below the apps domain of any cell is not accepted as a custom domain', () => {
  const check = (domain: string) => () => assertNotPlatformDomain(deps, [cell('b', 1)], domain);
  for (const ours of ['apps.example', 'x.apps.example', 'b.example', 'shop.b.example'])
    expect(check(ours)).toThrow(/must be a domain of your own/);
  expect(check('notb.example')).not.toThrow();
});
