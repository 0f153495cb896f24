import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { bundle } from '../lib/bundles.ts';
import type { SettingsInput } from '../lib/config.ts';
import type { Place } from './names.ts';
import { readTemplate, type Template } from './template.ts';
import { type Watch, watchSources } from './watch.ts';

export interface SynthesisOptions {
  dataDir: string;
  settings: SettingsInput;
  place: Place;
  /** Bundles again when a source changes, and hears which bundles (absolute paths) did. */
  onChange?: ((files: string[]) => void) | undefined;
}

export interface Synthesis {
  template: Template;
  /** Resolves when no bundle is older than its sources; at once unless they are watched. */
  fresh(): Promise<void>;
  stop(): Promise<void>;
}

/** Bundles every function, synthesizes the CDK app and reads what came out. */
export async function synthesize({ dataDir, settings, place, onChange }: SynthesisOptions): Promise<Synthesis> {
  const bundles = join(dataDir, 'bundles');
  const outdir = join(dataDir, 'cdk.out');
  const worker = new Worker(new URL('./synthesis-worker.ts', import.meta.url), {
    workerData: { ...settings, bundles, outdir },
  });
  const synthesized = new Promise<void>((resolve, reject) => {
    worker.once('message', () => resolve());
    worker.once('error', reject);
  });
  // Whichever fails first is told; the other must not count as unhandled.
  synthesized.catch(() => {});
  let watch: Watch | undefined;
  try {
    if (onChange) watch = await watchSources(bundles, onChange);
    else await bundle({ outdir: bundles });
    worker.postMessage('go');
    await synthesized;
  } finally {
    await worker.terminate();
  }
  return {
    template: readTemplate(outdir, place),
    fresh: async () => watch?.fresh(),
    stop: async () => watch?.stop(),
  };
}
