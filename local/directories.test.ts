import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { removeDirectory } from './directories.ts';

/** Waits for the signal, then removes the files from the last to the first: the other removal meets it in the middle. */
const REMOVER = `
const { parentPort, workerData: { directory, signal } } = require('node:worker_threads');
const { readdirSync, rmSync } = require('node:fs');
const files = readdirSync(directory).reverse();
parentPort.postMessage('ready');
while (Atomics.load(signal, 0) === 0);
for (const file of files) rmSync(directory + '/' + file, { force: true });
`;

test('a directory is removed completely while another thread removes files in it', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'directories-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  for (let index = 0; index < 300; index += 1) writeFileSync(join(directory, String(index)), '');
  const signal = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(REMOVER, { eval: true, workerData: { directory, signal } });
  await once(worker, 'message');
  Atomics.store(signal, 0, 1);
  removeDirectory(directory);
  const isLeft = existsSync(directory);
  await once(worker, 'exit');
  expect(isLeft).toBe(false);
});
