import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFolders } from '../../lib/build/bundles.ts';
import type { SettingsInput } from '../../lib/config.ts';
import { bundleInto } from '../lambda/bundle-cache.ts';
import { fingerprint } from '../lambda/sources.ts';
import { type SourceWatcher, watchSources } from '../lambda/watch.ts';
import { assemblyInto, synthesizeInto } from './assembly-cache.ts';
import type { AwsLocation } from './names.ts';
import { readTemplate, type Template } from './template.ts';

export interface SynthesisOptions {
  dataDir: string;
  settings: SettingsInput;
  location: AwsLocation;
  /** If set, bundles are rebuilt when a source changes. Called with the absolute paths of the changed bundles. */
  onChange?: ((files: string[]) => void) | undefined;
}

export interface Synthesis {
  template: Template;
  /** Resolves when no bundle is older than its sources: immediately unless sources are watched. */
  fresh(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Bundles every function, synthesizes the CDK app and reads the result. Reuses the result of an earlier start in the
 * data directory if no source has changed.
 */
export async function synthesize({ dataDir, settings, location, onChange }: SynthesisOptions): Promise<Synthesis> {
  const bundles = join(dataDir, 'bundles');
  const outdir = join(dataDir, 'cdk.out');
  const marker = join(dataDir, 'synthesized');
  const wanted = fingerprint({ settings, bundles });
  let watch: SourceWatcher | undefined;
  if (onChange || !existsSync(marker) || readFileSync(marker, 'utf8') !== wanted) {
    // Removes the marker first, so that an incomplete result is never reused.
    rmSync(marker, { force: true });
    watch = await bundleAndSynthesize({ settings, bundles, outdir, onChange });
    writeFileSync(marker, wanted);
  }
  return {
    template: readTemplate(outdir, location),
    fresh: async () => watch?.fresh(),
    stop: async () => watch?.stop(),
  };
}

interface BuildOptions extends Pick<SynthesisOptions, 'settings' | 'onChange'> {
  bundles: string;
  outdir: string;
}

async function bundleAndSynthesize({
  settings,
  bundles,
  outdir,
  onChange,
}: BuildOptions): Promise<SourceWatcher | undefined> {
  // Created first: the synthesis needs the folders, and concurrent creation would fail.
  createFolders(bundles);
  if (!onChange) {
    await Promise.all([assemblyInto(outdir, bundles, settings), bundleInto(bundles)]);
    return undefined;
  }
  const [watch] = await Promise.all([watchSources(bundles, onChange), synthesizeInto(outdir, bundles, settings)]);
  return watch;
}
