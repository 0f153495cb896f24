import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { makeFolders } from '../../lib/build/bundles.ts';
import type { SettingsInput } from '../../lib/config.ts';
import { bundleInto } from '../kept-bundles.ts';
import { fingerprint } from '../lambda/sources.ts';
import { type Watch, watchSources } from '../lambda/watch.ts';
import type { Place } from './names.ts';
import { readTemplate, type Template } from './template.ts';

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

/**
 * Bundles every function, synthesizes the CDK app and reads what came out. What an earlier start left in the data directory
 * is taken as it is while no source has changed.
 */
export async function synthesize({ dataDir, settings, place, onChange }: SynthesisOptions): Promise<Synthesis> {
  const bundles = join(dataDir, 'bundles');
  const outdir = join(dataDir, 'cdk.out');
  const made = join(dataDir, 'synthesized');
  const wanted = fingerprint({ settings, bundles });
  let watch: Watch | undefined;
  if (onChange || !existsSync(made) || readFileSync(made, 'utf8') !== wanted) {
    // What is half made must not be taken for whole.
    rmSync(made, { force: true });
    watch = await make({ settings, bundles, outdir, onChange });
    writeFileSync(made, wanted);
  }
  return {
    template: readTemplate(outdir, place),
    fresh: async () => watch?.fresh(),
    stop: async () => watch?.stop(),
  };
}

interface Making extends Pick<SynthesisOptions, 'settings' | 'onChange'> {
  bundles: string;
  outdir: string;
}

async function make({ settings, bundles, outdir, onChange }: Making): Promise<Watch | undefined> {
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
    makeFolders(bundles);
    worker.postMessage('go');
    if (onChange) watch = await watchSources(bundles, onChange);
    else await bundleInto(bundles);
    await synthesized;
  } finally {
    await worker.terminate();
  }
  return watch;
}
