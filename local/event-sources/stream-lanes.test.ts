import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createLanes } from './stream-lanes.ts';

/** Lanes whose batches end when they are told to. */
function world(lanes: number, batchSize: number) {
  const batches: { records: string[]; end: () => void }[] = [];
  const accept = createLanes<string>({
    lanes,
    batchSize,
    work: (records) => new Promise((resolve) => batches.push({ records: [...records], end: resolve })),
  });
  const push = (account: string, ...names: string[]) => {
    for (const name of names) accept(name, { account, partition: `${account}/${name.split('.')[0]}` });
  };
  return { batches, push, started: () => batches.map(({ records }) => records.join(' ')) };
}
const many = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);

test('a record behind thousands of another account is worked on at once', async () => {
  const { push, batches, started } = world(4, 100);
  push('noisy', ...many(5000));
  await turn();
  // Half of the lanes stay free for others.
  expect(batches.map(({ records }) => records.length)).toEqual([100, 100]);
  push('quiet', 'a', 'b');
  await turn();
  expect(started().slice(2)).toEqual(['a b']);
});

test('a free lane is for the account with the fewest, and then for the one that was served the longest ago', async () => {
  const { push, batches, started } = world(2, 2);
  push('one', 'a', 'b', 'c', 'd', 'e', 'f');
  push('two', 'k', 'l', 'm', 'n', 'o', 'p');
  push('three', 'x', 'y', 'z');
  await turn();
  for (let ended = 0; ended < 5; ended += 1) {
    batches[ended]?.end();
    await turn();
  }
  expect(started()).toEqual(['a b', 'k l', 'x y', 'c d', 'm n', 'z', 'e f']);
});

test('accounts share a batch only where all that they have waiting fits into it', async () => {
  const { push, started } = world(4, 4);
  push('one', 'a');
  push('two', 'b', 'c');
  push('noisy', ...many(9));
  await turn();
  expect(started()).toEqual(['a b c', 'n0 n1 n2 n3', 'n4 n5 n6 n7']);
});

test('records of a partition wait for the batch that has those before them', async () => {
  const { push, batches, started } = world(4, 2);
  push('one', 'a.1', 'a.2', 'a.3', 'b.1');
  await turn();
  expect(started()).toEqual(['a.1 a.2', 'b.1']);
  push('one', 'a.4');
  batches[0]?.end();
  await turn();
  expect(started().slice(2)).toEqual(['a.3 a.4']);
});

test('every record is worked on once, those of a partition in order and never in two lanes', async () => {
  let seed = 1;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  const seen = new Map<string, number[]>();
  const busy = new Set<string>();
  const problems: string[] = [];
  const accept = createLanes<{ partition: string; at: number }>({
    lanes: 4,
    batchSize: 7,
    work: async (records) => {
      const keys = new Set(records.map(({ partition }) => partition));
      for (const key of keys) {
        if (busy.has(key)) problems.push(`${key} is in two lanes`);
        busy.add(key);
      }
      for (let ticks = random(5); ticks > 0; ticks -= 1) await turn();
      for (const { partition, at } of records) seen.set(partition, [...(seen.get(partition) ?? []), at]);
      for (const key of keys) busy.delete(key);
    },
  });
  const given = new Map<string, number[]>();
  for (let at = 0; at < 5000; at += 1) {
    const partition = `p${random(60)}`;
    given.set(partition, [...(given.get(partition) ?? []), at]);
    // The first account has half of the partitions.
    const account = Number(partition.slice(1)) < 30 ? 'noisy' : `account${Number(partition.slice(1)) % 5}`;
    accept({ partition, at }, { partition, account });
    if (random(20) === 0) await turn();
  }
  const done = () => [...seen.values()].reduce((sum, records) => sum + records.length, 0);
  await expect.poll(done, { timeout: 60_000 }).toBe(5000);
  expect(problems).toEqual([]);
  expect(seen).toEqual(given);
});
