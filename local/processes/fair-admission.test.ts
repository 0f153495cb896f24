import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createFairAdmission } from './fair-admission.ts';

/** Work that ends when it is told to, and a record of what has begun. */
function works(admit: ReturnType<typeof createFairAdmission>) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const start = (caller: string, name: string): Promise<void> =>
    admit(caller, async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
    });
  /** Ends work that has begun, and lets what follows begin. */
  const end = async (name: string): Promise<void> => {
    (ends.get(name) ?? expect.fail(`${name} has not begun`))();
    await sleep(0);
  };
  return { begun, start, end };
}

test('a caller with many requests delays no other: the next slot goes to the caller that has used the fewest', async () => {
  const { begun, start, end } = works(createFairAdmission({ concurrency: 2, maxHoldMs: 60_000 }));
  const all = ['a1', 'a2', 'a3', 'a4'].map((name) => start('noisy', name));
  all.push(start('quiet', 'b1'), start('quiet', 'b2'), start('other', 'c1'));
  expect(begun).toEqual(['a1', 'a2']);
  await end('a1');
  expect(begun.at(-1)).toBe('b1');
  await end('b1');
  expect(begun.at(-1)).toBe('c1');
  await end('c1');
  expect(begun.at(-1)).toBe('b2');
  for (const name of ['b2', 'a2', 'a3', 'a4']) await end(name);
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'b2', 'a3', 'a4']);
  await Promise.all(all);
});

test('a slot is released when its request takes too long, and when it fails', async () => {
  const admit = createFairAdmission({ concurrency: 1, maxHoldMs: 5 });
  const { begun, start, end } = works(admit);
  const open = start('noisy', 'open');
  await expect(
    admit('quiet', async () => {
      throw new Error('failed');
    }),
  ).rejects.toThrow('failed');
  expect(await admit('quiet', async () => 'done')).toBe('done');
  expect(begun).toEqual(['open']);
  await end('open');
  await open;
});

test('a caller’s use decays with time, and callers beyond the limit are evicted', async () => {
  let now = 0;
  const { begun, start, end } = works(
    createFairAdmission({ concurrency: 1, maxHoldMs: 60_000, halfLifeMs: 1000, maxCallers: 2, now: () => now }),
  );
  for (let count = 0; count < 8; count += 1) {
    const busy = start('busy', `x${count}`);
    await end(`x${count}`);
    await busy;
  }
  now += 20_000;
  const open = start('quiet', 'q1');
  const all = [open, start('quiet', 'q2'), start('busy', 'b'), start('third', 't')];
  await end('q1');
  expect(begun.at(-1)).toBe('t');
  await end('t');
  expect(begun.at(-1)).toBe('b');
  await end('b');
  await end('q2');
  await Promise.all(all);
});
