import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Linux accepts one change every 100 ms from unprivileged users. */
const RETRY_MS = 100;
const MAX_ATTEMPTS = 20;

/**
 * Sets the niceness of the session that a process leads. Desktop kernels divide the processor among sessions first (sched(7), "The
 * autogroup feature"), and the niceness of a process applies only within its session. A build, which has its own session, would
 * receive as much processor time as the whole run. Other kernels lack the file, and this function has no effect.
 */
export async function setSessionNiceness(leader: number, niceness: number): Promise<void> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    try {
      // Without O_CREAT: the file of a process that has ended does not exist.
      writeFileSync(`/proc/${leader}/autogroup`, `${niceness}`, { flag: 'r+' });
      return;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) return;
      await sleep(RETRY_MS, undefined, { ref: false });
    }
  }
}
