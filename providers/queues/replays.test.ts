import { expect, test } from 'vitest';
import { createReplays } from './replays.ts';

const CHANGES = { streamArn: 'arn', shardId: 'shard', startSequenceNumber: '10', endSequenceNumber: '99' };
const record = (SequenceNumber: string) => ({ dynamodb: { SequenceNumber } });

/** A shard that returns these pages of changes, by sequence number, and is open at its end. */
function replaysOf(pages: readonly (readonly string[])[]) {
  const callStreams = async <Output>(operation: string, input: object): Promise<Output> => {
    if (operation === 'GetShardIterator') return { ShardIterator: '0' } as Output;
    const page = Number((input as { ShardIterator: string }).ShardIterator);
    return { Records: (pages[page] ?? []).map(record), NextShardIterator: String(page + 1) } as Output;
  };
  return createReplays(callStreams, async () => undefined);
}

test('reads the changes of a batch over empty pages, and no others', async () => {
  const found = await replaysOf([['10'], [], ['11', '99', '100']]).readChanges(CHANGES);
  expect(found).toEqual(['10', '11', '99'].map(record));
});

test('returns no part of a batch whose end is too far away: the rest would be lost', async () => {
  const busy = Array.from({ length: 30 }, (_, page) => [String(10 + page)]);
  expect(await replaysOf(busy).readChanges(CHANGES)).toBeUndefined();
});
