import { fork } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SettingsInput } from '../../lib/config.ts';
import { cachePacked } from '../lambda/bundle-cache.ts';
import { unpack } from '../lambda/packs.ts';

/** File in a cached assembly with the path of the bundles to which the assembly refers. */
const BUNDLES_PATH = 'bundles-path';

/** Synthesizes the CDK app. The folders of the bundles must exist (createFolders, lib/build/bundles.ts), but may still be empty. */
export async function synthesizeInto(outdir: string, bundles: string, settings: SettingsInput): Promise<void> {
  const child = fork(fileURLToPath(new URL('./synthesis-process.ts', import.meta.url)), { execArgv: [] });
  try {
    await new Promise<void>((resolve, reject) => {
      child.once('message', () => resolve());
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`the synthesis ended with ${code}; its output is above`)));
      child.send({ ...settings, bundles, outdir });
    });
  } finally {
    // Does not wait for its end: it has written everything.
    child.kill();
  }
}

/**
 * Returns the folder with the packed cloud assembly of the current sources. Synthesizes it unless it is cached: the templates do not
 * depend on a run's ports. `npm ci` calls this function (`prepare`), so that the first start is fast.
 *
 * @param bundles the folder of the bundles, to which a new assembly refers
 */
export function cacheAssembly(bundles: string, settings: SettingsInput): Promise<string> {
  return cachePacked('assemblies', settings, async (outdir) => {
    await synthesizeInto(outdir, bundles, settings);
    writeFileSync(join(outdir, BUNDLES_PATH), bundles);
  });
}

/** Unpacks the cloud assembly of the current sources for one run, with its bundles in this folder. */
export async function assemblyInto(outdir: string, bundles: string, settings: SettingsInput): Promise<void> {
  await unpack(await cacheAssembly(bundles, settings), outdir);
  relocate(outdir, readFileSync(join(outdir, BUNDLES_PATH), 'utf8'), bundles);
}

/** Replaces the path of the bundles in an assembly. Only the asset manifests contain it. */
function relocate(assembly: string, from: string, to: string): void {
  const [before, after] = [from, to].map((path) => JSON.stringify(path).slice(1, -1));
  for (const name of globSync('**/*.assets.json', { cwd: assembly })) {
    const file = join(assembly, name);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(`"${before}`, `"${after}`));
  }
}
