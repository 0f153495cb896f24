import { expect, test } from 'vitest';
import { batchReads } from './batch-reads.ts';
import type { Send } from './table.ts';

type Item = Record<string, { S: string }>;
const key = (pk: string): Item => ({ pk: { S: pk }, sk: { S: 's' } });
const stored: Record<string, Item> = { a: { ...key('a'), x: { S: '1' } }, b: { ...key('b'), x: { S: '2' } } };

function counted(unprocessed: string[] = []) {
  const calls: string[] = [];
  const send = (async (operation: string, input: object) => {
    calls.push(operation);
    const { RequestItems } = input as { RequestItems?: { t: { Keys: Item[]; ConsistentRead?: true } } };
    expect(RequestItems?.t ?? input).toHaveProperty('ConsistentRead', true);
    if (operation === 'GetItem') return { Item: stored[(input as { Key: Item }).Key.pk?.S ?? ''] };
    const asked = (RequestItems?.t.Keys ?? []).map(({ pk }) => pk?.S ?? '');
    if (asked.includes('broken')) throw new Error('broken');
    return {
      Responses: { t: asked.flatMap((pk) => (!unprocessed.includes(pk) && stored[pk] ? [stored[pk]] : [])) },
      UnprocessedKeys: { t: { Keys: asked.filter((pk) => unprocessed.includes(pk)).map(key) } },
    };
  }) as Send;
  const read = batchReads(send);
  const get = (pk: string) => read<{ Item?: Item }>('GetItem', { TableName: 't', Key: key(pk), ConsistentRead: true });
  return { calls, get };
}

test('joins concurrent reads into one request, each key once, with a result per read', async () => {
  const { calls, get } = counted();
  const answers = await Promise.all(['a', 'b', 'none', 'a'].map(get));
  expect(answers.map(({ Item }) => Item?.x?.S)).toEqual(['1', '2', undefined, '1']);
  expect(calls).toEqual(['BatchGetItem']);
});

test('a single read stays a single request', async () => {
  const { calls, get } = counted();
  expect((await get('b')).Item?.x?.S).toBe('2');
  expect(calls).toEqual(['GetItem']);
});

test('keys beyond the batch size are read separately', async () => {
  const { calls, get } = counted(['b']);
  const answers = await Promise.all(['a', 'b'].map(get));
  expect(answers.map(({ Item }) => Item?.x?.S)).toEqual(['1', '2']);
  expect(calls).toEqual(['BatchGetItem', 'GetItem']);
});

test('a failure reaches every reader', async () => {
  const { get } = counted();
  const answers = await Promise.allSettled(['a', 'broken'].map(get));
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('concurrent equal queries are sent once, and again for callers that ask after it was sent', async () => {
  const sent: object[] = [];
  const ends: ((answer: object) => void)[] = [];
  const send = (async (_: string, input: object) => {
    sent.push(input);
    return await new Promise<object>((resolve) => ends.push(resolve));
  }) as Send;
  const read = batchReads(send);
  const first = [{ pk: 'a' }, { pk: 'a' }, { pk: 'a' }].map((input) => read('Query', input));
  await new Promise(setImmediate);
  await expect.poll(() => sent, { timeout: 60_000 }).toEqual([{ pk: 'a' }]);
  // What was written meanwhile must be in this one's answer.
  const later = read('Query', { pk: 'a' });
  ends[0]?.({ Items: [1] });
  expect(await Promise.all(first)).toEqual([{ Items: [1] }, { Items: [1] }, { Items: [1] }]);
  await expect.poll(() => sent.length, { timeout: 60_000 }).toBe(2);
  ends[1]?.({ Items: [2] });
  expect(await later).toEqual({ Items: [2] });
});
