import { availableParallelism } from 'node:os';

export interface BuildSlots {
  /** True if a build may begin. */
  isFree(): boolean;
  /** Takes a slot until a build has ended. */
  take(ended: Promise<unknown>): void;
}

interface SlotSettings {
  /** The most builds at once. */
  concurrency: number;
  /** The most at once of those that have begun within {@link LONG_MS}. Default: one for two cores. */
  short?: number;
  /** Called when a slot has become free. */
  onFree(): void;
}

/** Milliseconds after which a build counts as a long one. */
const LONG_MS = 3000;
/** Builds that may begin within {@link BURST_MS} milliseconds without a rest after each. */
const BURST = 4;
const BURST_MS = 10_000;
/** A rest is this many times as long as the build before it. */
const REST = 2;

/**
 * Which builds run at once on one machine. Short ones are no sooner done side by side when each takes a core, and requests find
 * none free then: they go one after another. None waits for a long one, beside which another may begin. Where many follow one
 * another, each is followed by a rest, which leaves the machine to requests and to what was released.
 */
export function createBuildSlots({ concurrency, onFree, ...settings }: SlotSettings): BuildSlots {
  const { short = Math.max(1, Math.floor(availableParallelism() / 2)) } = settings;
  let running = 0;
  let shortOnes = 0;
  let recent = 0;
  return {
    isFree: () => running < concurrency && shortOnes < short,
    take(ended) {
      running += 1;
      shortOnes += 1;
      recent += 1;
      setTimeout(() => (recent -= 1), BURST_MS).unref();
      const begin = performance.now();
      let isShort = true;
      const outgrow = (): void => {
        if (isShort) shortOnes -= 1;
        isShort = false;
        onFree();
      };
      const timer = setTimeout(outgrow, LONG_MS).unref();
      void ended.finally(() => {
        clearTimeout(timer);
        running -= 1;
        if (isShort && recent > BURST) setTimeout(outgrow, REST * (performance.now() - begin)).unref();
        else outgrow();
      });
    },
  };
}
