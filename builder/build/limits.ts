import { setTimeout as sleep } from 'node:timers/promises';
import { timeLimitExceeded } from '../../providers/builds/failures.ts';
import { readTool, toolEnvironment } from '../commands/child.ts';
import { BuildFailure } from '../failure.ts';

/** Limits of a build. The container limits its memory. */
export interface BuildLimits {
  seconds: number;
  /** Disk space in GiB of the directory that contains everything the build writes. */
  gigabytes: number;
}

/** Minimum pause between two measurements of disk usage, in milliseconds. */
const MIN_POLL_MS = 2000;
/** Minimum ratio of the pause to the duration of a measurement, so that measuring takes at most 5% of the time. */
const POLL_SHARE = 20;

/**
 * Returns a signal that aborts when a build exceeds a limit. Its reason is a {@link BuildFailure} that names the limit.
 * @param directory the directory whose disk usage counts
 */
export function limitBuild({ seconds, gigabytes }: BuildLimits, directory: string): AbortSignal {
  const controller = new AbortController();
  const fail = (sentence: string) => controller.abort(new BuildFailure(sentence));
  const timer = setTimeout(() => fail(timeLimitExceeded(seconds)), seconds * 1000);
  timer.unref();
  // If the build uses up all processes or memory, `du` fails. The builder must survive that to report why the build failed.
  const measure = () =>
    diskUsage(directory).catch((error: unknown) => {
      console.error('the disk usage could not be measured', error);
      return 0;
    });
  const watch = async (): Promise<void> => {
    for (let pause = MIN_POLL_MS; !controller.signal.aborted; ) {
      await sleep(pause, undefined, { ref: false });
      const began = performance.now();
      if ((await measure()) > gigabytes * 1024 ** 3) {
        fail(`The build was stopped: it wrote more than the limit of ${gigabytes} GB to disk.`);
      }
      pause = Math.max(MIN_POLL_MS, POLL_SHARE * (performance.now() - began));
    }
  };
  void watch();
  return controller.signal;
}

/** Returns the disk usage of a directory in bytes. Other processes may write and delete files in it at the same time. */
async function diskUsage(directory: string): Promise<number> {
  // `du` fails if files are deleted while it runs; its sum is still valid.
  const { stdout } = await readTool('du', ['-sk', '--', directory], toolEnvironment(), 64 * 1024);
  return (Number.parseInt(stdout, 10) || 0) * 1024;
}
