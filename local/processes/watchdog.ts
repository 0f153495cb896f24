/**
 * A process that outlives the main process briefly. It reads `+<group> <megabytes>` and `-<group>` lines from its
 * stdin, a pipe that only the main process holds. When the main process ends in any way (kill -9 included), the pipe
 * ends, and the watchdog kills every process group on its list. Until then it enforces the groups' memory limits; 0
 * means no limit. Usage: `node watchdog.ts [directory to remove at the end]`.
 */
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGroupReader, selectProcessesToEnd } from './memory.ts';

/** Interval of memory checks in milliseconds. A process can allocate some hundred megabytes in that time. */
const POLL_MS = 250;

const groups = new Set<number>();
/** Memory limits in MiB by group, for groups with a limit. */
const limits = new Map<number, number>();
const readGroups = createGroupReader();
const temporaryDirectory = process.argv[2];

/** @param pid a process id, or the negative id of a group */
const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
};

// Ignores signals meant for the main process; the watchdog ends when the pipe ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

setInterval(() => {
  if (limits.size === 0) return;
  for (const pid of selectProcessesToEnd(
    limits,
    readGroups((group) => limits.has(group)),
  ))
    kill(pid);
}, POLL_MS);

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const [group = 0, megabytes = 0] = line.slice(1).split(' ').map(Number);
    // 0 and 1 would address the watchdog's own group and all processes.
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
