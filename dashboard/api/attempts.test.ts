import { beforeEach, expect, test, vi } from 'vitest';
import type { Route } from '../../contract/route.ts';
import { MemoryStorage } from '../../test/support/memory-storage.ts';
import type { Failure } from './failure.ts';

type Method = Route['method'];

const INPUT = { body: { plan: 'app-1', secret: 'a-secret-value' } };

let keys: string[] = [];
/** The end of each request: a time to wait for, or a failure. */
let ends: (Promise<void> | Failure)[] = [];

/** Loads the page again: only what is stored is left. */
async function loadPage() {
  vi.resetModules();
  const [{ sendOnce }, { Failure }] = await Promise.all([import('./attempts.ts'), import('./failure.ts')]);
  return {
    send: (method: Method = 'POST', input: unknown = INPUT) =>
      sendOnce('createSubscription', input, method, async ({ idempotencyKey, isLost }) => {
        keys.push(idempotencyKey);
        const end = await ends.shift();
        if (end) throw end;
        return isLost;
      }),
    failure: (status: number, code: Failure['code']) =>
      new Failure('Failed.', { status, code, requestId: undefined, retryAfter: undefined }),
  };
}

beforeEach(() => {
  keys = [];
  ends = [];
  vi.stubGlobal('sessionStorage', new MemoryStorage());
  vi.useFakeTimers({ toFake: ['Date'] });
  return () => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  };
});

test('what is sent again while it runs is sent once, and after it has ended it is a new order', async () => {
  const { send } = await loadPage();
  const { promise, resolve } = Promise.withResolvers<void>();
  ends = [promise];
  const both = Promise.all([send(), send()]);
  resolve();
  expect(await both).toEqual([false, false]);
  expect(keys).toHaveLength(1);
  await send();
  expect(new Set(keys).size).toBe(2);
});

test('after a lost response the same input repeats the order, also after a reload, and other input does not', async () => {
  const { send, failure } = await loadPage();
  const stored = vi.spyOn(sessionStorage, 'setItem');
  ends = [failure(0, 'unreachable'), failure(0, 'unreachable')];
  await expect(send()).rejects.toThrow('Failed.');
  await expect(send()).rejects.toThrow('Failed.');
  const reloaded = await loadPage();
  await reloaded.send('POST', { body: { plan: 'app-2' } });
  expect(await reloaded.send()).toBe(true);
  expect(keys.map((key) => keys.indexOf(key))).toEqual([0, 0, 2, 0]);
  expect(JSON.stringify(stored.mock.calls)).toMatch(/^(?!.*a-secret-value).*attempt/);
});

test('an order that was refused, or whose response was lost long ago, is not repeated', async () => {
  const { send, failure } = await loadPage();
  ends = [failure(402, 'insufficient_funds'), failure(0, 'unreachable')];
  await expect(send()).rejects.toThrow('Failed.');
  await expect(send()).rejects.toThrow('Failed.');
  vi.setSystemTime(Date.now() + 11 * 60_000);
  await send();
  expect(new Set(keys).size).toBe(3);
});

test('a conflict with an earlier request is repeated for its response', async () => {
  const { send, failure } = await loadPage();
  ends = [failure(409, 'conflict')];
  await expect(send()).rejects.toThrow('Failed.');
  await send();
  expect(new Set(keys).size).toBe(1);
});

test.each<Method>(['PUT', 'PATCH', 'DELETE'])('a change that creates nothing is sent each time: %s', async (method) => {
  const { send } = await loadPage();
  await Promise.all([send(method), send(method)]);
  expect(keys).toHaveLength(2);
});

test('that a response was lost is remembered of deletions, and nothing of changes, which may contain secrets', async () => {
  const { send, failure } = await loadPage();
  const stored = vi.spyOn(sessionStorage, 'setItem');
  ends = [failure(0, 'unreachable')];
  await expect(send('PATCH')).rejects.toThrow('Failed.');
  expect(stored).not.toHaveBeenCalled();
  ends = [failure(0, 'unreachable')];
  await expect(send('DELETE')).rejects.toThrow('Failed.');
  expect(await send('DELETE')).toBe(true);
});
