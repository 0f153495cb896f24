import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ENVIRONMENT_FILE, endProcesses, processesOf } from './build-user.ts';
import { readTool, startChild, type User } from './child.ts';

/** Time in milliseconds for a process of the test to start. */
const START_TIMEOUT_MS = 5000;

/** Returns the files that only the builder may read. */
const builderFiles = () =>
  [`/proc/${process.pid}/environ`, `/proc/${process.pid}/mem`, '/proc/1/environ', ENVIRONMENT_FILE].filter(existsSync);

/**
 * Tests the isolation of the build user before the first command of the application. Throws if the user is root, can read the builder's
 * environment or memory, or still has a process after its processes were killed, even one in a separate session.
 */
export async function assertIsolated(
  user: User,
  environment: Readonly<Record<string, string>>,
  files: readonly string[] = builderFiles(),
): Promise<void> {
  // Prints the user's id, and each file that the user can read.
  const script = 'id -u; for file in "$@"; do head -c 1 "$file" >/dev/null 2>&1 && echo "$file"; done; true';
  const options = { environment, stdio: 'ignore', user } as const;
  const { stdout } = await readTool('sh', ['-c', script, 'sh', ...files], environment, 64 * 1024, user);
  const [id, ...readable] = stdout.trim().split('\n');
  if (Number(id) !== user.uid) throw new Error(`Commands of the build run as user ${id} instead of ${user.uid}`);
  if (readable.length > 0) throw new Error(`The build user can read ${readable.join(', ')}`);

  startChild('sh', ['-c', '(trap "" HUP TERM; sleep 600) & setsid sleep 600 & wait'], options).once('error', () => {});
  // The shell and both sleeps.
  for (const deadline = Date.now() + START_TIMEOUT_MS; processesOf(user).length < 3; await sleep(10)) {
    if (Date.now() > deadline) throw new Error('The processes of the test did not start');
  }
  await endProcesses(user);
}
