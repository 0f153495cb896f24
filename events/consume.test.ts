import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { currentRequestId } from '../table/correlation.ts';
import { entity } from '../table/entity.ts';
import { consume } from './consume.ts';
import { inGroups, on, type Rules } from './on.ts';
import { present } from './trigger.ts';

const schema = z.object({ id: z.int(), note: z.optional(z.string()) });
const Thing = entity({
  type: 'THING',
  schema: () => schema,
  key: ({ id }: { id: number }) => ({ pk: `p${id}`, sk: 's' }),
});

const image = (fields: object) => marshall({ pk: 'p', sk: 's', entity: 'THING', ...fields }) as never;
const change = (id: number, fields: object = {}, before?: object): DynamoDBRecord => ({
  eventID: String(id),
  eventName: before ? 'MODIFY' : 'INSERT',
  dynamodb: { NewImage: image({ id, ...fields }), ...(before && { OldImage: image({ id, ...before }) }) },
});
const records = (...ids: number[]) => ({ Records: ids.map((id) => change(id)) });

/** Creates a rule for new items that records its actions and fails for the ids in `bad`. */
function noting(bad: number[] = []) {
  const seen: number[] = [];
  const rule = on(Thing).created(async ({ id }) => {
    if (bad.includes(id)) throw new Error(`cannot do ${id}`);
    seen.push(id);
  });
  return { rule, seen };
}

test('acts on every change that a rule matches, and on no other', async () => {
  const { rule, seen } = noting();
  const removed = vi.fn(async () => undefined);
  await consume({ 'thing.note': rule, 'thing.remove': on(Thing).removed(removed) })(records(1, 2, 3));
  expect(seen).toEqual([1, 2, 3]);
  expect(removed).not.toHaveBeenCalled();
});

test('fails the batch after the other changes were acted on, so that the stream retries it', async () => {
  const { rule, seen } = noting([2, 3]);
  await expect(consume({ 'thing.note': rule })(records(1, 2, 3, 4))).rejects.toThrow(
    /2 of the batch failed: thing.note: Error: cannot do 2/,
  );
  expect(seen).toEqual([1, 4]);
});

test('does not report a failure of one batch again with the next', async () => {
  const { rule, seen } = noting([1, 2]);
  await expect(consume({ 'thing.note': rule })(records(1, 2))).rejects.toThrow();
  await consume({ 'thing.note': rule })(records(3));
  expect(seen).toEqual([3]);
});

test('fails a change whose item does not parse, with the id of each rule that wants it, and acts on the others', async () => {
  const { rule, seen } = noting();
  const other = noting();
  const malformed = change(2, { note: 7 });
  const Records = [change(1), malformed, change(3)];
  const error: Error = await consume({ 'thing.note': rule, 'thing.other': other.rule })({ Records }).then(
    () => new Error('none'),
    (reason) => reason,
  );
  expect(error.message).toMatch(/^2 of the batch failed: /);
  expect(error.message).toMatch(/thing.note: \$ZodError/);
  expect(error.message).toMatch(/thing.other: \$ZodError/);
  expect([seen, other.seen]).toEqual([
    [1, 3],
    [1, 3],
  ]);
});

test('fails a change with an attribute of a kind that no entity has', async () => {
  const { rule, seen } = noting();
  const alien = change(1, { bytes: new Uint8Array([1]) });
  await expect(consume({ 'thing.note': rule })({ Records: [alien, change(2)] })).rejects.toThrow(/thing.note/);
  expect(seen).toEqual([2]);
});

test('parses an item once for all rules that match its change, and never if no rule matches', async () => {
  const parse = vi.spyOn(schema, 'parse');
  const act = vi.fn(async () => undefined);
  const rules: Rules = {
    'thing.one': on(Thing).sets('note', act),
    'thing.two': on(Thing).created({ note: present }, act),
  };
  await consume(rules)({ Records: [change(1, { note: 'a' }), change(2), change(3, { note: 'b' }, { note: 'b' })] });
  expect(act).toHaveBeenCalledTimes(2);
  expect(parse).toHaveBeenCalledTimes(1);
  parse.mockRestore();
});

test('parses the item before the change only for an action that reads it', async () => {
  const record = change(1, { note: 'b' }, { note: 7 });
  await consume({ 'thing.note': on(Thing).changes('note', async () => undefined) })({ Records: [record] });
  const reading = on(Thing).changes('note', async (_, { before }) => before.note);
  await expect(consume({ 'thing.note': reading })({ Records: [record] })).rejects.toThrow(/thing.note/);
});

test('gives a change the id of its record, the same each time it is delivered', async () => {
  const ids: string[] = [];
  const rules = { 'thing.note': on(Thing).created(async (_, { id }) => ids.push(id)) };
  await consume(rules)(records(5));
  await consume(rules)(records(5));
  expect(ids).toEqual(['5', '5']);
});

test('groups the parts of all changes of a batch', async () => {
  const groups: string[][] = [];
  const rule = inGroups<string>(3, async (parts) => groups.push([...parts]))(
    on(Thing).created(async ({ id }) => [`${id}a`, `${id}b`]),
  );
  await consume({ 'thing.split': rule })(records(1, 2));
  expect(groups).toEqual([['1a', '1b', '2a'], ['2b']]);
});

test('groups the parts of all rules with the same grouping, in the order of the changes', async () => {
  const groups: string[][] = [];
  const grouped = inGroups<string>(4, async (parts) => groups.push([...parts]));
  const rules = {
    'thing.one': grouped(on(Thing).created(async ({ id }) => [`${id}a`])),
    'thing.two': grouped(on(Thing).created(async ({ id }) => [`${id}b`])),
  };
  await consume(rules)(records(1, 2, 3));
  expect(groups).toEqual([
    ['1a', '1b', '2a', '2b'],
    ['3a', '3b'],
  ]);
});

test('acts on the parts of each request separately', async () => {
  const groups: string[][] = [];
  const rule = inGroups<string>(4, async (parts) => groups.push([...parts, String(currentRequestId())]))(
    on(Thing).created(async ({ id }) => [`${id}`]),
  );
  const Records = ['req_1', 'req_2', 'req_1'].map((requestId, id) => change(id, { requestId }));
  await consume({ 'thing.split': rule })({ Records });
  expect(groups).toEqual([
    ['0', '2', 'req_1'],
    ['1', 'req_2'],
  ]);
});

test('fails the batch where a group fails, with the ids of its rules, and acts on the other groups', async () => {
  const done: number[] = [];
  const grouped = inGroups<number>(2, async ([id = 0]) => {
    if (id === 1) throw new Error('the queue refused');
    done.push(id);
  });
  const rules = {
    'thing.one': grouped(on(Thing).created(async ({ id }) => [id])),
    'thing.two': grouped(on(Thing).created(async ({ id }) => [id])),
  };
  await expect(consume(rules)(records(1, 2))).rejects.toThrow(
    '1 of the batch failed: thing.one, thing.two: Error: the queue refused',
  );
  expect(done).toEqual([2]);
});
