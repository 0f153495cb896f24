/**
 * Synthesizes the CDK app in a thread of its own: loading CDK and running it would hold up main for seconds, and its
 * memory goes with the thread. It runs beside the bundling: stacks only name where bundles will be.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { createApp } from '../../lib/app.ts';

parentPort?.once('message', () => {
  createApp({ ...workerData, validate: false, assetsInPlace: true }).synth();
  parentPort?.postMessage('synthesized');
});
