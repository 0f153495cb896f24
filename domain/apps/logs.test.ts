import { describe, expect, test } from 'vitest';
import type { readAppLogs as ReadRoute } from '../../contract/apps/logs.ts';
import type { Input } from '../../contract/route.ts';
import { createAppLogs } from '../../providers/app-host/logs.ts';
import { deploymentSimulation } from '../../test/simulation/deployments.ts';
import { inEveryCell } from '../../test/support/cells.ts';
import { readAppLogs } from './logs.ts';

/** The end of a log is as old as this at most. */
const FRESH_MS = 1500;

type Query = Omit<Input<typeof ReadRoute>, 'id' | 'limit'> & { limit?: number };
interface Filter {
  startTime: number;
  limit: number;
  nextToken?: string;
}

/** An application whose lines are in CloudWatch, and its viewers: each call stands for one in an instance of its own. */
async function log() {
  const { deps, caller, clock } = await deploymentSimulation();
  const events: { timestamp: number; eventId: string; message: string }[] = [];
  let calls = 0;
  let fails: (() => Error) | undefined;
  let hangs = false;
  const filter = async <Output>(operation: string, input: object): Promise<Output> => {
    expect(operation).toBe('FilterLogEvents');
    calls += 1;
    if (fails) throw fails();
    if (hangs) return await new Promise<never>(() => {});
    const { startTime, limit, nextToken = '0' } = input as Filter;
    const found = events.filter(({ timestamp }) => timestamp >= startTime);
    const page = found.slice(Number(nextToken), Number(nextToken) + limit);
    const next = Number(nextToken) + limit;
    return { events: page, ...(next < found.length ? { nextToken: String(next) } : {}) } as Output;
  };
  const appLogs = createAppLogs(filter, 'prefix-', 'arn:');
  const read = (query: Query = {}) =>
    readAppLogs({ ...deps, ...inEveryCell({ appLogs }) }, caller, { id: 'app_1', limit: 500, ...query });
  return {
    clock,
    read,
    calls: () => calls,
    fail: (error: (() => Error) | undefined) => {
      fails = error;
    },
    hang: (value: boolean) => {
      hangs = value;
    },
    print: (text: string, timestamp = clock.now) => {
      events.push({ timestamp, eventId: String(events.length).padStart(8, '0'), message: `${text}\n` });
      if (timestamp < clock.now) events.sort((a, b) => a.timestamp - b.timestamp);
    },
    /** Reads as a viewer who goes on from the last known line until there is no more. */
    readAll: async (query: Query = {}) => {
      const texts: string[] = [];
      let last: string | undefined;
      for (;;) {
        const { data, has_more } = await read({ ...query, ...(last === undefined ? {} : { after: last }) });
        texts.push(...data.map(({ text }) => text));
        last = data.at(-1)?.id ?? last;
        if (!has_more || data.length === 0) return { texts, last };
      }
    },
  };
}

describe('the viewers of a log', () => {
  /** Has viewers open a log that grows, one after another, and follow it for half a minute. Returns the reads of CloudWatch. */
  async function watch(viewers: number) {
    const { clock, print, read, calls } = await log();
    const last: (string | undefined)[] = [];
    const seen = Array.from({ length: viewers }, () => 0);
    for (let turn = 0; turn < 15; turn += 1) {
      print(`line ${turn}`);
      for (let viewer = 0; viewer < viewers; viewer += 1) {
        const after = last[viewer];
        const { data } = await read(after === undefined ? {} : { after });
        last[viewer] = data.at(-1)?.id ?? after;
        seen[viewer] = (seen[viewer] ?? 0) + data.length;
        clock.now += 1000 / viewers;
      }
      clock.now += 1000;
    }
    expect(seen).toEqual(seen.map(() => 15));
    return calls();
  }

  test('together cause as many reads of CloudWatch as a single viewer', async () => {
    const one = await watch(1);
    expect(one).toBe(15);
    expect(await watch(1000)).toBe(one);
  });

  test('see lines printed after the clock was set back, even if another viewer read while it was ahead', async () => {
    const { clock, print, read } = await log();
    const [from, year] = [new Date(clock.now).toISOString(), 365 * 86_400_000];
    clock.now += year;
    expect((await read({ from })).data).toEqual([]);
    clock.now -= year - 1000;
    print('one');
    expect((await read({ from })).data).toMatchObject([{ text: 'one' }]);
  });

  test('who open it at the same moment cause one read and see the same lines', async () => {
    const { print, read, calls } = await log();
    for (const text of ['one', 'two']) print(text);
    const answers = await Promise.all(Array.from({ length: 100 }, () => read()));
    for (const { data, has_more } of answers)
      expect([data.map(({ text }) => text), has_more]).toEqual([['one', 'two'], false]);
    expect(calls()).toBe(1);
  });

  test('see every line once and in order, wherever they begin and whatever other viewers request', async () => {
    const { clock, print, read, readAll } = await log();
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    const printed: { text: string; at: number }[] = [];
    const began = clock.now;
    for (let turn = 0; turn < 120; turn += 1) {
      for (let count = random(5); count > 0; count -= 1) {
        clock.now += random(3) * 400;
        printed.push({ text: `line ${printed.length}`, at: clock.now });
        print(`line ${printed.length - 1}`);
      }
      clock.now += FRESH_MS + (random(10) === 0 ? random(4_000_000) : random(4000));
      const from = began + random(clock.now - began + 1);
      const since = printed.filter(({ at }) => at >= from);
      const begin = { from: new Date(from).toISOString(), limit: 1 + random(40) };
      expect((await readAll(begin)).texts, `turn ${turn}`).toEqual(since.map(({ text }) => text));
      const until = from + 1 + random(60_000);
      const window = { ...begin, to: new Date(until).toISOString() };
      const within = since.filter(({ at }) => at <= until).map(({ text }) => text);
      expect((await readAll(window)).texts, `turn ${turn}, window`).toEqual(within);
      // What a page says that has more.
      const { data, has_more } = await read(begin);
      expect(has_more, `turn ${turn}, more`).toBe(data.length < since.length);
    }
  });

  test('continue a time range of any age after a line, and cannot ask for one that ends before it begins', async () => {
    const { clock, print, read } = await log();
    for (const text of ['one', 'two', 'three']) {
      print(text);
      clock.now += 60_000;
    }
    const [from, to] = [180_000, 120_000].map((ago) => new Date(clock.now - ago).toISOString());
    clock.now += 48 * 3_600_000;
    const texts = async (query: Query) => (await read(query)).data.map(({ text }) => text);
    const [first] = (await read({ from, to, limit: 1 })).data;
    expect(first?.text).toBe('one');
    expect(await texts({ after: first?.id, to })).toEqual(['two']);
    for (const query of [{ to }, { from: to, to }, { after: first?.id, from: to, to }])
      await expect(read(query)).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringMatching(/^to: /),
      });
  });

  test('see lines that reached CloudWatch late within a minute', async () => {
    const { clock, print, readAll } = await log();
    print('on time');
    await readAll();
    print('late', clock.now - 2000);
    clock.now += 61_000;
    expect((await readAll()).texts).toEqual(['late', 'on time']);
  });
});

test('the few lines of an application with many requests are found, and viewers continue where others stopped', async () => {
  const { clock, print, read, calls } = await log();
  for (let second = 0; second < 200; second += 1) {
    clock.now += 1000;
    for (let request = 0; request < 600; request += 1) print('REQUEST {"path":"/"}');
  }
  print('line');
  clock.now += FRESH_MS;
  const first = await read();
  expect(first).toEqual({ data: [], has_more: true });
  const { data } = await read({ from: new Date(clock.now - 23 * 3_600_000).toISOString() }).then((answer) =>
    answer.data.length > 0 ? answer : read(),
  );
  expect(data.map(({ text }) => text)).toEqual(['line']);
  const before = calls();
  clock.now += FRESH_MS;
  expect((await read()).data).toHaveLength(1);
  expect(calls() - before).toBeLessThanOrEqual(1);
});

test('a page that would not fit into the table is stored in parts', async () => {
  const { clock, print, readAll, calls } = await log();
  // Text that does not compress, of 60 KB each.
  let seed = 1;
  const noise = () =>
    Array.from({ length: 10_000 }, () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed.toString(36).padStart(6, '0');
    }).join('');
  const digest = (texts: readonly string[]) => texts.map((text) => `${text.slice(0, 12)} ${text.length}`);
  const texts = Array.from({ length: 20 }, noise);
  for (const text of texts) print(text);
  expect(digest((await readAll()).texts)).toEqual(digest(texts));
  const before = calls();
  expect(digest((await readAll()).texts)).toEqual(digest(texts));
  expect(calls() - before).toBeLessThanOrEqual(1);
  print(Array.from({ length: 10 }, noise).join(''));
  print('the next');
  clock.now += FRESH_MS;
  const [cut = '', next] = (await readAll()).texts.slice(-2);
  expect([cut.endsWith(' [… the rest is cut …]'), next]).toEqual([true, 'the next']);
});

test('when CloudWatch throttles, viewers get a Retry-After, and no viewer reads before it has passed', async () => {
  const { clock, read, readAll, calls, fail, print } = await log();
  fail(() => Object.assign(new Error('Rate exceeded'), { name: 'ThrottlingException' }));
  const refused = { code: 'rate_limited', status: 429, retryAfter: 5 };
  for (let viewer = 0; viewer < 10; viewer += 1) await expect(read()).rejects.toMatchObject(refused);
  expect(calls()).toBe(1);
  clock.now += 5001;
  fail(undefined);
  print('line');
  expect((await readAll()).texts).toEqual(['line']);
});

test('a viewer takes over after the reading viewer failed or died', async () => {
  const { clock, read, readAll, calls, fail, hang, print } = await log();
  print('line');
  fail(() => new Error('away'));
  await expect(read()).rejects.toThrow('away');
  fail(undefined);
  expect((await readAll()).texts).toEqual(['line']);
  clock.now += FRESH_MS;
  hang(true);
  // Stopped in the middle, as by the end of its function.
  const before = calls();
  void read();
  await expect.poll(calls).toBe(before + 1);
  hang(false);
  print('next');
  clock.now += 6001;
  expect((await readAll()).texts).toEqual(['line', 'next']);
});
