/**
 * A process that outlives the main process briefly. It reads `+<group> <megabytes>` and `-<group>` lines from its
 * stdin, a pipe that only the main process holds. When the main process ends in any way (kill -9 included), the pipe
 * ends, and the watchdog kills every process group on its list. Until then it enforces the groups' memory limits; 0
 * means no limit. It also starts processes on request (starter.ts): starting one blocks the parent while the system copies its
 * page tables, and the main process has ten times as much memory.
 * Usage: `node watchdog.ts [directory to remove at the end]`.
 */
import { createInterface } from 'node:readline';
import { removeDirectory } from '../directories.ts';
import { createGroupReader, selectProcessesToEnd } from './memory.ts';
import { createStarter, signalGroup, type ToStarter, type Watched } from './starter.ts';

/** Interval of the memory checks. A process can allocate several hundred megabytes in that time. */
const POLL_MS = 250;

const groups = new Set<number>();
/** Memory limits in MiB by group, for groups with a limit. */
const limits = new Map<number, number>();
const watched: Watched = {
  add(group, megabytes) {
    groups.add(group);
    if (megabytes > 0) limits.set(group, megabytes);
  },
  delete(group) {
    groups.delete(group);
    limits.delete(group);
  },
};
const readGroups = createGroupReader();
const temporaryDirectory = process.argv[2];

const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
};

// Ignores signals for the main process. The watchdog ends when the pipe ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

setInterval(() => {
  if (limits.size === 0) return;
  for (const pid of selectProcessesToEnd(
    limits,
    readGroups((group) => limits.has(group)),
  ))
    kill(pid);
}, POLL_MS);

const start = createStarter(watched, (message, onSent) => {
  // If the main process has ended, the end of the pipe is handled below.
  if (!process.connected) return true;
  return process.send?.(message, undefined, undefined, () => onSent?.()) ?? true;
});
process.on('message', (message: ToStarter) => start(message));

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const [group = 0, megabytes = 0] = line.slice(1).split(' ').map(Number);
    // 0 and 1 would address the watchdog's own group and all processes.
    if (!Number.isSafeInteger(group) || group <= 1) return;
    if (line.startsWith('+')) watched.add(group, megabytes);
    else watched.delete(group);
  })
  .on('close', () => {
    for (const group of groups) signalGroup(group, 'SIGKILL');
    if (temporaryDirectory) removeDirectory(temporaryDirectory);
    process.exit(0);
  });
