import { type FSWatcher, globSync, readFileSync, watch } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { openBundles } from '../../lib/build/bundles.ts';

const ROOT = resolve(import.meta.dirname, '..');
/** An editor writes a file in several steps; this is how long after the last of them it counts as written, in milliseconds. */
const SETTLED = 20;

const Metafile = z.object({ inputs: z.record(z.string(), z.unknown()) });

export interface Watch {
  /** Resolves when the bundles are those of the sources: at once, unless something was just edited. */
  fresh(): Promise<void>;
  stop(): Promise<void>;
}

/** The project's folders that anything bundled comes from, as esbuild tells. */
function sourceFolders(bundles: string): Set<string> {
  const files = globSync('meta-*.json', { cwd: bundles });
  const inputs = files.flatMap((file) =>
    Object.keys(Metafile.parse(JSON.parse(readFileSync(join(bundles, file), 'utf8'))).inputs),
  );
  return new Set(inputs.flatMap((input) => (/^(?!node_modules|\.)[^/:]+(?=\/)/.exec(input) ?? []).slice(0, 1)));
}

/** Bundles into `outdir`, and again as soon as a source changes; `onChange` hears which bundles did. */
export async function watchSources(outdir: string, onChange: (files: string[]) => void): Promise<Watch> {
  let ready = false;
  const bundles = await openBundles({
    outdir,
    onChange: (files) => ready && onChange(files),
    onError: (message) => console.error(message),
  });
  ready = true;
  let pending: Promise<void> | undefined;
  let last = 0;
  const rebuild = async (): Promise<void> => {
    // What changes during a rebuild needs another.
    for (let seen = 0; seen !== last; ) {
      while (Date.now() < last + SETTLED) await sleep(SETTLED);
      seen = last;
      await bundles.rebuild();
    }
    pending = undefined;
  };
  const changed = (): void => {
    last = Date.now();
    pending ??= rebuild();
  };
  const watchers: FSWatcher[] = [];
  for (const folder of sourceFolders(outdir)) {
    watchers.push(watch(join(ROOT, folder), { recursive: true }, changed));
  }
  return {
    fresh: async () => pending,
    async stop() {
      for (const watcher of watchers) watcher.close();
      await bundles.close();
    },
  };
}
