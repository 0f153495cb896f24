import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test, vi } from 'vitest';
import { setDeadline } from './deadline.ts';

/** Answers when the number that it shares is 1, and sets it to 2. */
const ANSWERING = `
  const { parentPort, workerData: state } = require('node:worker_threads');
  Atomics.wait(state, 0, 0);
  parentPort.postMessage('answer');
  Atomics.store(state, 0, 2);
  Atomics.notify(state, 0);`;

test('an answer that arrived while this process was busy keeps the deadline', async () => {
  const state = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(ANSWERING, { eval: true, workerData: state });
  onTestFinished(async () => void (await worker.terminate()));
  const missed = vi.fn();
  const answered = once(worker, 'message');
  // From here, timers run before messages are read.
  await setImmediate();
  worker.once('message', setDeadline(1, missed));
  Atomics.store(state, 0, 1);
  Atomics.notify(state, 0);
  // Blocks until the answer is there, and for longer than the deadline.
  Atomics.wait(state, 0, 1);
  Atomics.wait(state, 0, 2, 10);
  await answered;
  await setImmediate();
  expect(missed).not.toHaveBeenCalled();
});

test('a deadline without an answer is missed once', async () => {
  const missed = vi.fn();
  setDeadline(1, missed);
  await vi.waitFor(() => expect(missed).toHaveBeenCalledOnce());
});
