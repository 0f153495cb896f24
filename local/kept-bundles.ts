import { constants, existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { bundle } from '../lib/build/bundles.ts';
import { fingerprint } from './lambda/sources.ts';

const ROOT = resolve(import.meta.dirname, '..');
const KEPT = join(ROOT, 'node_modules/.cache/bundles');
/** A checkout goes back and forth between a few states. */
const STATES = 5;

/** The bundles of the sources as they are now, made unless they were before. `npm ci` does (`prepare`), so that a first start need not. */
export async function keepBundles(): Promise<string> {
  const kept = join(KEPT, fingerprint({ root: ROOT }));
  if (existsSync(kept)) return kept;
  await mkdir(KEPT, { recursive: true });
  // Beside where they will be: they come into being all at once, whoever else is at it or dies half-way.
  const making = await mkdtemp(join(KEPT, 'making-'));
  try {
    await bundle({ outdir: making });
    await rename(making, kept);
  } catch (error) {
    rmSync(making, { recursive: true, force: true });
    if (!existsSync(kept)) throw error;
  }
  const ages = readdirSync(KEPT)
    .map((name) => ({ name, madeAt: statSync(join(KEPT, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.madeAt - a.madeAt);
  for (const { name } of ages.slice(STATES)) rmSync(join(KEPT, name), { recursive: true, force: true });
  return kept;
}

/** Bundles for one run to have to itself: another may change the sources, or go back to others, at any time. */
export async function bundleInto(folder: string): Promise<void> {
  await cp(await keepBundles(), folder, { recursive: true, mode: constants.COPYFILE_FICLONE });
}
