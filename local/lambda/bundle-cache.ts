import { constants, existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { bundle, stopBundler } from '../../lib/build/bundles.ts';
import { fingerprint } from './sources.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const CACHE_DIRECTORY = join(ROOT, 'node_modules/.cache/bundles');
/** Number of cached builds. A checkout often switches between a few states. */
const MAX_CACHED_STATES = 5;

/**
 * Returns the bundles of the current sources, which are built unless they are cached. `npm ci` calls it (`prepare`), so
 * that the first start is fast.
 */
export async function cacheBundles(): Promise<string> {
  const cached = join(CACHE_DIRECTORY, fingerprint({ root: ROOT }));
  if (existsSync(cached)) return cached;
  await mkdir(CACHE_DIRECTORY, { recursive: true });
  // Built in a temporary directory and renamed, so that concurrent or killed builds never leave an incomplete result.
  const temporary = await mkdtemp(join(CACHE_DIRECTORY, 'making-'));
  try {
    await bundle({ outdir: temporary });
    await stopBundler();
    await rename(temporary, cached);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    if (!existsSync(cached)) throw error;
  }
  const ages = readdirSync(CACHE_DIRECTORY)
    .map((name) => ({ name, madeAt: statSync(join(CACHE_DIRECTORY, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.madeAt - a.madeAt);
  for (const { name } of ages.slice(MAX_CACHED_STATES))
    rmSync(join(CACHE_DIRECTORY, name), { recursive: true, force: true });
  return cached;
}

/** Copies the bundles for one run, because another run may change or switch the sources at any time. */
export async function bundleInto(folder: string): Promise<void> {
  await cp(await cacheBundles(), folder, { recursive: true, mode: constants.COPYFILE_FICLONE });
}
