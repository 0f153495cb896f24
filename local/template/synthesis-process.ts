/**
 * Synthesizes the CDK app in a process of its own: loading and running CDK would block the main thread for seconds, and
 * its 200 MB are free again when the process ends, which they are not when a thread does. It runs in parallel with the
 * bundling, because stacks only refer to the bundles' paths.
 */
import { createApp } from '../../lib/app.ts';

// The main process has ended.
process.once('disconnect', () => process.exit(1));
process.once('message', (settings: Parameters<typeof createApp>[0]) => {
  createApp({ ...settings, validate: false, assetsInPlace: true }).synth();
  process.send?.('synthesized');
});
