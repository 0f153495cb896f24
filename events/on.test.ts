import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { entity } from '../table/entity.ts';
import { selectChanges } from './consume.ts';
import { on, type Rule } from './on.ts';
import { above, not, present } from './trigger.ts';

const Order = entity({
  type: 'ORDER',
  schema: () =>
    z.object({
      id: z.string(),
      status: z.enum(['OPEN', 'PAID']),
      cents: z.int(),
      paidAt: z.nullable(z.string()),
      note: z.optional(z.string()),
      tags: z.array(z.string()),
      address: z.optional(z.object({ city: z.string(), checked: z.boolean() })),
    }),
  key: ({ id }: { id: string }) => ({ pk: id, sk: 'ORDER' }),
});

const open = { id: 'a', entity: 'ORDER', status: 'OPEN', cents: 5, paidAt: null, tags: [] as string[] };
const paid = { ...open, status: 'PAID', paidAt: '2026' };
const home = { ...open, address: { city: 'Cape Town', checked: false } };

type Images = [before: object | undefined, after: object | undefined];
const record = ([before, after]: Images): DynamoDBRecord => ({
  eventID: '1',
  eventName: !before ? 'INSERT' : after ? 'MODIFY' : 'REMOVE',
  dynamodb: {
    ...(before && { OldImage: marshall(before) as never }),
    ...(after && { NewImage: marshall(after) as never }),
  },
});
const wanted = (rule: Rule, images: Images): boolean =>
  selectChanges({ 'order.test': rule })([record(images)]).length > 0;

const act = async () => undefined;
const created = (item: object): Images => [undefined, item];
const removed = (item: object): Images => [item, undefined];

describe('a rule wants', () => {
  test.each<[string, Rule, Images, boolean]>([
    ['created: a new item', on(Order).created(act), created(open), true],
    ['created: not a changed one', on(Order).created(act), [open, paid], false],
    ['created: not a removed one', on(Order).created(act), removed(open), false],
    ['created: a new item that matches', on(Order).created({ status: 'PAID' }, act), created(paid), true],
    ['created: not one that does not match', on(Order).created({ status: 'PAID' }, act), created(open), false],
    ['removed: a removed item', on(Order).removed(act), removed(open), true],
    ['removed: not a changed one', on(Order).removed(act), [open, paid], false],
    ['removed: one that matched', on(Order).removed({ status: 'PAID' }, act), removed(paid), true],
    ['removed: not one that did not', on(Order).removed({ status: 'PAID' }, act), removed(open), false],
    ['becomes: an item that comes to match', on(Order).becomes({ status: 'PAID' }, act), [open, paid], true],
    ['becomes: a new item that matches', on(Order).becomes({ status: 'PAID' }, act), created(paid), true],
    [
      'becomes: a new item that matches, even if an absent one would match too',
      on(Order).becomes({ status: not('PAID') }, act),
      created(open),
      true,
    ],
    ['becomes: not one that matched', on(Order).becomes({ status: 'PAID' }, act), [paid, { ...paid, cents: 6 }], false],
    ['becomes: not one that matches no more', on(Order).becomes({ status: 'PAID' }, act), [paid, open], false],
    ['becomes: not a removed one', on(Order).becomes({ status: 'PAID' }, act), removed(paid), false],
    ['sets: a field that gets a value', on(Order).sets('note', act), [open, { ...open, note: 'n' }], true],
    [
      'sets: another value',
      on(Order).sets('note', act),
      [
        { ...open, note: 'n' },
        { ...open, note: 'm' },
      ],
      true,
    ],
    ['sets: a new item with a value', on(Order).sets('note', act), created({ ...open, note: 'n' }), true],
    ['sets: not a new item without', on(Order).sets('note', act), created(open), false],
    ['sets: not a field that loses its value', on(Order).sets('note', act), [{ ...open, note: 'n' }, open], false],
    ['sets: not the same value', on(Order).sets('cents', act), [open, paid], false],
    ['sets: only with what must match', on(Order).sets('cents', { status: 'PAID' }, act), created(open), false],
    ['changes: another value', on(Order).changes('status', act), [open, paid], true],
    ['changes: one field of several', on(Order).changes(['note', 'status'], act), [open, paid], true],
    ['changes: a field that loses its value', on(Order).changes('note', act), [{ ...open, note: 'n' }, open], true],
    ['changes: a list', on(Order).changes('tags', act), [open, { ...open, tags: ['new'] }], true],
    ['changes: not other fields', on(Order).changes('note', act), [open, paid], false],
    ['changes: not a new item', on(Order).changes('status', act), created(open), false],
    ['changes: only with what must match', on(Order).changes('status', { note: present }, act), [open, paid], false],
    [
      'changes: not the order of the fields of an object',
      on(Order).changes('address', act),
      [home, { ...open, address: { checked: false, city: 'Cape Town' } }],
      false,
    ],
    ['changes: a field of an object', on(Order).changes('address.city', act), [open, home], true],
    [
      'changes: not its neighbor',
      on(Order).changes('address.city', act),
      [home, { ...open, address: { ...home.address, checked: true } }],
      false,
    ],
    [
      'updated: a transition',
      on(Order).updated({ from: { status: 'OPEN' }, to: { status: 'PAID' } }, act),
      [open, paid],
      true,
    ],
    [
      'updated: not its reverse',
      on(Order).updated({ from: { status: 'OPEN' }, to: { status: 'PAID' } }, act),
      [paid, open],
      false,
    ],
    [
      'updated: not an item that had not matched before',
      on(Order).updated({ from: { status: 'OPEN' }, to: { status: 'PAID' } }, act),
      [paid, { ...paid, cents: 6 }],
      false,
    ],
    ['updated: not a new item', on(Order).updated({ from: {}, to: { status: 'PAID' } }, act), created(paid), false],
  ])('%s', (_, rule, images, expected) => {
    expect(wanted(rule, images)).toBe(expected);
  });
});

describe('a field matches', () => {
  test.each<[string, Rule, object, boolean]>([
    ['null by null', on(Order).created({ paidAt: null }, act), open, true],
    ['a value by null: no', on(Order).created({ paidAt: null }, act), paid, false],
    ['an absent one by undefined', on(Order).created({ note: undefined }, act), open, true],
    ['a value by undefined: no', on(Order).created({ note: undefined }, act), { ...open, note: '' }, false],
    ['any value by present', on(Order).created({ note: present }, act), { ...open, note: '' }, true],
    ['an object by present', on(Order).created({ address: present }, act), home, true],
    ['an absent one by present: no', on(Order).created({ note: present }, act), open, false],
    ['another value by not', on(Order).created({ status: not('OPEN') }, act), paid, true],
    ['this value by not: no', on(Order).created({ status: not('OPEN') }, act), open, false],
    ['more by above', on(Order).created({ cents: above(4) }, act), open, true],
    ['as much by above: no', on(Order).created({ cents: above(5) }, act), open, false],
    ['text by above: no', on(Order).created({ cents: above(4) }, act), { ...open, cents: '5' }, false],
    ['an object by its fields', on(Order).created({ address: { checked: false } }, act), home, true],
    ['an object by other fields: no', on(Order).created({ address: { checked: true } }, act), home, false],
    ['an absent object by its fields: no', on(Order).created({ address: { checked: false } }, act), open, false],
    [
      'a scalar by the fields of an object: no',
      on(Order).created({ address: { checked: false } }, act),
      { ...open, address: 1 },
      false,
    ],
  ])('%s', (_, rule, item, expected) => {
    expect(wanted(rule, created(item))).toBe(expected);
  });
});

test('a rule matches no change of another entity, and no item without a type', () => {
  const rule = on(Order).created(act);
  expect(wanted(rule, created({ ...open, entity: 'ORDER_COPY' }))).toBe(false);
  expect(wanted(rule, created({ id: 'a' }))).toBe(false);
  expect(wanted(rule, created({ ...open, entity: 7 }))).toBe(false);
  expect(selectChanges({ 'order.test': rule })([{ eventID: '1', eventName: 'INSERT' }])).toEqual([]);
});

test('an action gets the parsed item, and the one before the change', async () => {
  const seen: object[] = [];
  const rule = on(Order).changes('status', async (order, { before }) => seen.push([before.status, order.status]));
  for (const work of selectChanges({ 'order.test': rule })([record([open, paid])])) await work.act(rule);
  expect(seen).toEqual([['OPEN', 'PAID']]);
});

test('an action on a removed item receives the item before its removal', async () => {
  const seen: object[] = [];
  const rule = on(Order).removed(async (order) => seen.push(order));
  for (const work of selectChanges({ 'order.test': rule })([record(removed(paid))])) await work.act(rule);
  expect(seen).toEqual([{ ...paid, entity: undefined }].map(({ entity: _, ...order }) => order));
});

test('the types of an entity hold its rules: no other field, value, path or kind of test', () => {
  const rules = [
    // @ts-expect-error: an order has no such status
    on(Order).becomes({ status: 'SHIPPED' }, act),
    // @ts-expect-error: an order has no such field
    on(Order).created({ state: 'OPEN' }, act),
    // @ts-expect-error: a required field is never absent
    on(Order).created({ status: undefined }, act),
    // @ts-expect-error: text is not above a number
    on(Order).created({ status: above(1) }, act),
    // @ts-expect-error: an order has no such status to be unlike
    on(Order).created({ status: not('SHIPPED') }, act),
    // @ts-expect-error: a list has no fields to match
    on(Order).created({ tags: { length: 1 } }, act),
    // @ts-expect-error: an order has no such field
    on(Order).changes('state', act),
    // @ts-expect-error: an address has no such field
    on(Order).sets('address.street', act),
    // @ts-expect-error: an item that is created was not there before
    on(Order).created(async (_, { before }) => before.status),
  ];
  expect(rules).toHaveLength(9);
});
