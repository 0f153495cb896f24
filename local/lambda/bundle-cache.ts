import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rename } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { bundle, stopBundler } from '../../lib/build/bundles.ts';
import { pack, unpack } from './packs.ts';
import { fingerprint } from './sources.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const CACHE_DIRECTORY = join(ROOT, 'node_modules/.cache');
/** Number of cached results of a kind. A checkout often switches between a few states. */
const MAX_CACHED_STATES = 5;

/** Returns a folder with packs (packs.ts) of what `make` derives from the current sources and the given options, made once. */
export async function cachePacked(
  kind: string,
  options: object,
  make: (directory: string) => Promise<void>,
): Promise<string> {
  const directory = join(CACHE_DIRECTORY, kind);
  const cached = join(directory, fingerprint({ root: ROOT, ...options }));
  if (existsSync(cached)) return cached;
  await mkdir(directory, { recursive: true });
  // Made in a temporary directory and renamed, so that concurrent or killed runs never leave an incomplete result.
  const temporary = await mkdtemp(join(directory, 'making-'));
  try {
    const [made, packed] = [join(temporary, 'made'), join(temporary, 'packed')];
    await Promise.all([mkdir(made), mkdir(packed)]);
    await make(made);
    await pack(made, packed);
    await rename(packed, cached);
  } catch (error) {
    if (!existsSync(cached)) throw error;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  const ages = readdirSync(directory)
    .map((name) => ({ name, madeAt: statSync(join(directory, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.madeAt - a.madeAt);
  for (const { name } of ages.slice(MAX_CACHED_STATES)) rmSync(join(directory, name), { recursive: true, force: true });
  return cached;
}

/**
 * Returns the folder with the packed bundles of the current sources, which are built unless they are cached. `npm ci`
 * calls it (`prepare`), so that the first start is fast.
 */
export function cacheBundles(): Promise<string> {
  return cachePacked('bundles', {}, async (directory) => {
    await bundle({ outdir: directory });
    await stopBundler();
  });
}

/** Unpacks the bundles for one run, because another run may change or switch the sources at any time. */
export async function bundleInto(folder: string): Promise<void> {
  await unpack(await cacheBundles(), folder);
}
