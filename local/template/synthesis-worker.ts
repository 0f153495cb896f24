/**
 * Synthesizes the CDK app in a worker thread: loading and running CDK would block the main thread for seconds, and its
 * memory is freed with the thread. It runs in parallel with the bundling, because stacks only refer to the bundles'
 * paths.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { createApp } from '../../lib/app.ts';

parentPort?.once('message', () => {
  createApp({ ...workerData, validate: false, assetsInPlace: true }).synth();
  parentPort?.postMessage('synthesized');
});
