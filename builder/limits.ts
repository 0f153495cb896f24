import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { BuildFailure } from './failure.ts';

/** What a build may take; memory is the container's own limit. */
export interface BuildLimits {
  seconds: number;
  /** On disk, of the directory that everything it writes is in. */
  gigabytes: number;
}

/** The shortest pause between two looks at the disk, in milliseconds. */
const LOOK_MS = 2000;
/** Looking takes at most one part in so many of the time. */
const PAUSES = 20;

/**
 * Aborts when a build has taken too much; the reason says what, as a {@link BuildFailure}.
 * @param directory whose size on disk counts
 */
export function limitBuild({ seconds, gigabytes }: BuildLimits, directory: string): AbortSignal {
  const controller = new AbortController();
  const fail = (sentence: string) => controller.abort(new BuildFailure(sentence));
  const timer = setTimeout(
    () => fail(`The build took longer than ${inWords(seconds)}, the most that it may, and was ended.`),
    seconds * 1000,
  );
  timer.unref();
  const watch = async (): Promise<void> => {
    for (let pause = LOOK_MS; !controller.signal.aborted; ) {
      await sleep(pause, undefined, { ref: false });
      const began = performance.now();
      if ((await sizeOf(directory)) > gigabytes * 1024 ** 3) {
        fail(`The build wrote more than ${gigabytes} GB to disk, the most that it may, and was ended.`);
      }
      pause = Math.max(LOOK_MS, PAUSES * (performance.now() - began));
    }
  };
  void watch();
  return controller.signal;
}

const inWords = (seconds: number) => (seconds < 120 ? `${seconds} seconds` : `${Math.floor(seconds / 60)} minutes`);

/** Bytes on disk below a directory, in which others write and delete meanwhile. */
const sizeOf = (directory: string): Promise<number> =>
  new Promise((resolve) => {
    // What went away under its hands is an error to `du`, and its sum is good.
    execFile('du', ['-sk', '--', directory], { maxBuffer: 64 * 1024 * 1024 }, (_error, stdout) =>
      resolve((Number.parseInt(stdout, 10) || 0) * 1024),
    );
  });
