import { marshall } from '@aws-sdk/util-dynamodb';
import { expect, test } from 'vitest';
import { consume, follow, type Rule } from './consume.ts';

const change = (id: number, fields: object = {}, eventName = 'INSERT') => ({
  eventID: String(id),
  eventName,
  awsRegion: 'us-east-1',
  dynamodb: {
    ApproximateCreationDateTime: 0,
    Keys: marshall({ pk: `p${id}`, sk: 's' }),
    NewImage: marshall({ pk: `p${id}`, sk: 's', entity: 'THING', id, ...fields }),
  },
});
const records = (...ids: number[]) => ({ Records: ids.map((id) => change(id)) });

/** A rule that notes what it acted on and fails on the ids in `bad`. */
function noting(bad: Set<number>, fields: Partial<Rule> = {}) {
  const seen: number[] = [];
  const rule: Rule = {
    id: 'noting',
    flavor: follow,
    eventType: 'thing-created',
    act: async ({ event }) => {
      const id = Number(event.raw.new?.id);
      if (bad.has(id)) throw new Error(`cannot do ${id}`);
      seen.push(id);
    },
    ...fields,
  };
  return { rule, seen };
}

test('every change that a rule picks is acted on', async () => {
  const picked = noting(new Set(), { filters: [({ event }) => event.raw.new?.id !== 2] });
  const other = noting(new Set(), { id: 'other', eventType: 'thing-deleted' });
  await consume([picked.rule, other.rule])(records(1, 2, 3));
  expect(picked.seen).toEqual([1, 3]);
  expect(other.seen).toEqual([]);
});

test('a failure fails the batch after the others were done, so that the stream retries it', async () => {
  const { rule, seen } = noting(new Set([2, 3]));
  await expect(consume([rule])(records(1, 2, 3, 4))).rejects.toThrow(
    /2 of the batch failed: noting: Error: cannot do 2/,
  );
  expect(seen).toEqual([1, 4]);
});

test('a failure of one batch is not reported again by the next', async () => {
  const { rule, seen } = noting(new Set([1, 2]));
  await expect(consume([rule])(records(1, 2))).rejects.toThrow();
  await consume([rule])(records(3));
  expect(seen).toEqual([3]);
});

test('an image that cannot be read fails the batch too', async () => {
  const rule: Rule = {
    id: 'parsing',
    flavor: follow,
    eventType: 'thing-created',
    act: async () => JSON.parse('{'),
  };
  await expect(consume([rule])(records(1))).rejects.toThrow(/parsing/);
});
