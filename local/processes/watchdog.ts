/**
 * A process of its own that outlives main by a moment: it reads `+<group> <megabytes>` and `-<group>` lines from its
 * stdin, which is a pipe that only main holds. However main ends (kill -9 included), the pipe reaches its end, and every
 * process group still on the list is killed. Until then it sees to it that no group has more in memory than it may; 0 is
 * no limit. Run as `node watchdog.ts [directory to remove at the end]`.
 */
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { processes, toEnd } from './memory.ts';

/** How often memory is looked at, in milliseconds: a process takes some hundred megabytes meanwhile, and not more. */
const LOOK_MS = 250;

const groups = new Set<number>();
/** Megabytes that a group may have, of those that have a limit. */
const limits = new Map<number, number>();
const temporaryDirectory = process.argv[2];

/** @param pid a process, or a group as its negative number */
const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Already gone.
  }
};

// Signals meant for main must not take the watchdog along: it leaves when the pipe ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

setInterval(() => {
  if (limits.size === 0) return;
  for (const pid of toEnd(limits, processes())) kill(pid);
}, LOOK_MS);

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const [group = 0, megabytes = 0] = line.slice(1).split(' ').map(Number);
    // 0 and 1 would be this very group and everything else.
    if (!Number.isSafeInteger(group) || group <= 1) return;
    if (line.startsWith('+')) {
      groups.add(group);
      if (megabytes > 0) limits.set(group, megabytes);
    } else {
      groups.delete(group);
      limits.delete(group);
    }
  })
  .on('close', () => {
    for (const group of groups) kill(-group);
    if (temporaryDirectory)
      rmSync(temporaryDirectory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    process.exit(0);
  });
