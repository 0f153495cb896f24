import { type FSWatcher, globSync, readFileSync, watch } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { openBundles } from '../../lib/build/bundles.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** Time after the last change until a file counts as complete, because editors write in several steps. */
const SETTLE_MS = 20;

const Metafile = z.object({ inputs: z.record(z.string(), z.unknown()) });

export interface SourceWatcher {
  /** Resolves when the bundles match the sources: immediately, unless a source was just edited. */
  fresh(): Promise<void>;
  stop(): Promise<void>;
}

/** Returns the project's folders that contain bundled sources, from esbuild's metafiles. */
function sourceFolders(bundles: string): Set<string> {
  const files = globSync('meta-*.json', { cwd: bundles });
  const inputs = files.flatMap((file) =>
    Object.keys(Metafile.parse(JSON.parse(readFileSync(join(bundles, file), 'utf8'))).inputs),
  );
  return new Set(inputs.flatMap((input) => (/^(?!node_modules|\.)[^/:]+(?=\/)/.exec(input) ?? []).slice(0, 1)));
}

/** Bundles the functions into `outdir`, and again whenever a source changes. Calls `onChange` with the changed bundles. */
export async function watchSources(outdir: string, onChange: (files: string[]) => void): Promise<SourceWatcher> {
  let ready = false;
  const bundles = await openBundles({
    outdir,
    onChange: (files) => ready && onChange(files),
    onError: (message) => console.error(message),
  });
  ready = true;
  let pending: Promise<void> | undefined;
  let lastChangeAt = 0;
  const rebuild = async (): Promise<void> => {
    // Repeats if a source changed during the rebuild.
    for (let bundledChangeAt = 0; bundledChangeAt !== lastChangeAt; ) {
      while (Date.now() < lastChangeAt + SETTLE_MS) await sleep(SETTLE_MS);
      bundledChangeAt = lastChangeAt;
      await bundles.rebuild();
    }
    pending = undefined;
  };
  const changed = (): void => {
    lastChangeAt = Date.now();
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
