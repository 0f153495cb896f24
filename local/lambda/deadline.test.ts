import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test, vi } from 'vitest';
import { setDeadline } from './deadline.ts';

test('an answer that arrived while this process was busy keeps the deadline', async () => {
  const flag = new Int32Array(new SharedArrayBuffer(4));
  const source = `
    const { parentPort, workerData } = require('node:worker_threads');
    parentPort.postMessage('answer');
    Atomics.store(workerData, 0, 1);
    Atomics.notify(workerData, 0);`;
  const worker = new Worker(source, { eval: true, workerData: flag });
  onTestFinished(async () => void (await worker.terminate()));
  const missed = vi.fn();
  worker.once('message', setDeadline(1, missed));
  const answered = once(worker, 'message');
  // Blocks until the answer is there, and for longer than the deadline.
  Atomics.wait(flag, 0, 0);
  Atomics.wait(flag, 0, 1, 10);
  await answered;
  await setImmediate();
  await setImmediate();
  expect(missed).not.toHaveBeenCalled();
});

test('a deadline without an answer is missed once', async () => {
  const missed = vi.fn();
  setDeadline(1, missed);
  await vi.waitFor(() => expect(missed).toHaveBeenCalledOnce());
});
