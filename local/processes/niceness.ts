import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Linux accepts one change in a tenth of a second from users without privileges. */
const RETRY_MS = 100;
const MAX_TRIES = 20;

/**
 * Gives the session that a process leads a niceness among the others. Where Linux divides the processor among sessions first, as
 * desktops' kernels do (sched(7), "The autogroup feature"), the niceness of a process counts only within its session, and a
 * build, which has one of its own, would get as much as the whole run. Elsewhere there is no such file, and nothing to do.
 */
export async function setSessionNiceness(leader: number, niceness: number): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
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
