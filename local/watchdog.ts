/**
 * A process of its own that outlives main by a moment: it reads `+<group>` and `-<group>` lines from its stdin, which is
 * a pipe that only main holds. However main ends (kill -9 included), the pipe reaches its end, and every process group
 * still on the list is killed. Run as `node watchdog.ts [directory to remove at the end]`.
 */
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';

const groups = new Set<number>();
const temporaryDirectory = process.argv[2];

const killGroup = (group: number): void => {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // Already gone.
  }
};

// Signals meant for main must not take the watchdog along: it leaves when the pipe ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const group = Number(line.slice(1));
    // 0 and 1 would be this very group and everything else.
    if (!Number.isSafeInteger(group) || group <= 1) return;
    if (line.startsWith('+')) groups.add(group);
    else groups.delete(group);
  })
  .on('close', () => {
    for (const group of groups) killGroup(group);
    if (temporaryDirectory)
      rmSync(temporaryDirectory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    process.exit(0);
  });
