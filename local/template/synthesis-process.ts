/**
 * Synthesizes the CDK app in a separate process. Loading and running CDK would block the main thread for seconds, and only the end of a
 * process, not of a thread, frees its 200 MB. The process runs in parallel with the bundling, because stacks refer only to the bundles'
 * paths.
 */
import { createApp } from '../../lib/app.ts';

// Ends together with the main process.
process.once('disconnect', () => process.exit(1));
process.once('message', (settings: Parameters<typeof createApp>[0]) => {
  createApp({ ...settings, validate: false, assetsInPlace: true }).synth();
  process.send?.('synthesized');
});
