import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { endProcesses } from './build-user.ts';

/** Only root can run commands as another user, as in a build container. */
test.runIf(process.getuid?.() === 0)('ends all processes of the build user and no others', async () => {
  const id = 50_000 + (process.pid % 10_000);
  const [theirs, ours] = [{ uid: id, gid: id }, {}].map((as) => spawn('sleep', ['60'], { stdio: 'ignore', ...as }));
  if (!theirs || !ours) throw new Error('two processes were expected');
  const ended = once(theirs, 'exit');
  await endProcesses({ uid: id, gid: id, home: '/' });
  expect(await ended).toEqual([null, 'SIGKILL']);
  expect([ours.exitCode, ours.signalCode]).toEqual([null, null]);
  ours.kill();
});
