import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rename } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { bundle, stopBundler } from '../../lib/build/bundles.ts';
import { pack, unpack } from './packs.ts';
import { fingerprint } from './sources.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const CACHE_DIRECTORY = join(ROOT, 'node_modules/.cache');
/** Maximum number of cached results of a kind. A checkout often switches between a few states. */
const MAX_CACHED_STATES = 5;

/**
 * Returns a folder with packs (packs.ts) of the files that `build` derives from the current sources and the given options. Builds
 * them unless they are cached.
 */
export async function cachePacked(
  kind: string,
  options: object,
  build: (directory: string) => Promise<void>,
): Promise<string> {
  const directory = join(CACHE_DIRECTORY, kind);
  const cached = join(directory, fingerprint({ root: ROOT, ...options }));
  if (existsSync(cached)) return cached;
  await mkdir(directory, { recursive: true });
  // Built in a temporary directory and renamed, so that concurrent or killed runs never leave an incomplete result.
  const temporary = await mkdtemp(join(directory, 'building-'));
  try {
    const [built, packed] = [join(temporary, 'built'), join(temporary, 'packed')];
    await Promise.all([mkdir(built), mkdir(packed)]);
    await build(built);
    await pack(built, packed);
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
 * Returns the folder with the packed bundles of the current sources. Builds them unless they are cached. `npm ci` calls this function
 * (`prepare`), so that the first start is fast.
 */
export function cacheBundles(): Promise<string> {
  return cachePacked('bundles', {}, async (directory) => {
    await bundle({ outdir: directory });
    await stopBundler();
  });
}

/** Unpacks the bundles for one run. Each run has its own copy, because the sources may change or be switched at any time. */
export async function bundleInto(folder: string): Promise<void> {
  await unpack(await cacheBundles(), folder);
}
