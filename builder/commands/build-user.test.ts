import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { endProcesses } from './build-user.ts';

/** Another user can only be acted as by root: as in the container of a build. */
test.runIf(process.getuid?.() === 0)('what a user left running is ended, and nothing of others', async () => {
  const id = 50_000 + (process.pid % 10_000);
  const [theirs, ours] = [{ uid: id, gid: id }, {}].map((as) => spawn('sleep', ['60'], { stdio: 'ignore', ...as }));
  if (!theirs || !ours) throw new Error('two processes were expected');
  const ended = once(theirs, 'exit');
  endProcesses({ uid: id, gid: id, home: '/' });
  expect(await ended).toEqual([null, 'SIGKILL']);
  expect([ours.exitCode, ours.signalCode]).toEqual([null, null]);
  ours.kill();
});
