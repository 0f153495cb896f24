import { availableParallelism } from 'node:os';

export interface BuildSlots {
  /** True if a build may begin. */
  isFree(): boolean;
  /** Acquires a slot and releases it after the build has ended. */
  acquire(ended: Promise<unknown>): void;
}

interface SlotSettings {
  /** The maximum number of concurrent builds. */
  concurrency: number;
  /** The maximum number of concurrent builds that began less than {@link LONG_MS} ago. Default: half the number of cores. */
  maxShort?: number;
  /** Called when a slot may have become free. */
  onFree(): void;
}

/** Duration from which a build counts as long. */
const LONG_MS = 3000;
/** If more than this many builds begin within {@link BURST_MS}, a pause follows each short build. */
const BURST = 4;
const BURST_MS = 10_000;
/** Length of a pause, as a multiple of the duration of the build before it. */
const PAUSE_FACTOR = 2;

/**
 * Limits the concurrent builds of one machine. Short builds run one after another: each uses a whole core, so running them in
 * parallel would not finish sooner and would leave no core for requests. A long build does not block the builds behind it. In
 * a burst of builds, each short one holds its slot for a pause after its end, in which requests and releases have the machine.
 */
export function createBuildSlots({ concurrency, onFree, ...settings }: SlotSettings): BuildSlots {
  const { maxShort = Math.max(1, Math.floor(availableParallelism() / 2)) } = settings;
  let running = 0;
  let runningShort = 0;
  let recent = 0;
  return {
    isFree: () => running < concurrency && runningShort < maxShort,
    acquire(ended) {
      running += 1;
      runningShort += 1;
      recent += 1;
      setTimeout(() => (recent -= 1), BURST_MS).unref();
      const startedAt = performance.now();
      let isShort = true;
      const releaseShort = (): void => {
        if (isShort) runningShort -= 1;
        isShort = false;
        onFree();
      };
      const timer = setTimeout(releaseShort, LONG_MS).unref();
      void ended.finally(() => {
        clearTimeout(timer);
        running -= 1;
        if (isShort && recent > BURST) setTimeout(releaseShort, PAUSE_FACTOR * (performance.now() - startedAt)).unref();
        else releaseShort();
      });
    },
  };
}
