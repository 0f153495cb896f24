import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createRedactor } from '../../providers/builds/redaction.ts';
import { createCache } from '../install/cache.ts';
import { createBuildUser, endProcesses, processesOf } from './build-user.ts';
import { runTool, startChild } from './child.ts';
import { run } from './command.ts';
import { assertIsolated } from './self-test.ts';

/** Only root can run commands as another user, as in a build container. */
const asRoot = test.runIf(process.getuid?.() === 0);
const PATH = process.env.PATH ?? '';
/** A user id without processes, different for each use. */
let next = 0;
const newUser = () => {
  next += 1;
  const id = 200_000 + ((process.pid * 16 + next) % 1_000_000);
  return { uid: id, gid: id, home: '/' };
};

/**
 * A builder without this defense lost its environment in two to four of ten rounds, so that twenty miss it once in a hundred runs at
 * the most; each takes both processors from all other tests.
 */
const ROUNDS = 20;
/**
 * Leaves processes in sessions of their own, which ignore signals, copy every environment that they can read to a file,
 * and kill every other process of their user, such as one that comes to end them. They end after five minutes, if the test
 * itself was killed.
 */
const thief = (loot: string) => `
const { readdirSync, readFileSync, appendFileSync } = require('node:fs');
for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT']) process.on(signal, () => {});
const end = Date.now() + 300_000;
while (Date.now() < end) for (const pid of readdirSync('/proc').filter((name) => /^\\d+$/.test(name))) {
  let found = '';
  try { found = readFileSync('/proc/' + pid + '/environ', 'latin1'); } catch {}
  if (found.includes('STOLEN')) appendFileSync(${JSON.stringify(loot)}, found + '\\n');
  try { if (/sh|tar/.test(readFileSync('/proc/' + pid + '/comm', 'latin1'))) process.kill(Number(pid), 'SIGKILL'); } catch {}
}`;

asRoot(
  'twenty commands that leave malicious processes behind, under load, read no data of the builder',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'thief-'));
    const user = newUser();
    const [loot, script] = [join(folder, 'loot'), join(folder, 'thief.cjs')];
    writeFileSync(loot, '');
    writeFileSync(script, thief(loot));
    runTool('chown', ['-R', `${user.uid}:${user.gid}`, folder]);
    // What the builder's own environment holds in a container.
    const secrets = { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/STOLEN', JOB_URL: 'https://STOLEN' };
    Object.assign(process.env, secrets);
    const load = Array.from({ length: 2 }, () =>
      startChild('sh', ['-c', 'while :; do :; done'], { environment: { PATH }, stdio: 'ignore' }),
    );
    const cache = createCache({ directory: folder, user, get: async () => undefined, put: async () => {} });
    try {
      for (let round = 0; round < ROUNDS; round += 1) {
        const left = `for n in 1 2; do setsid ${process.execPath} ${script} </dev/null >/dev/null 2>&1 & done`;
        await run('sh', ['-c', round % 5 === 0 ? `${left}; sleep 0.2` : left], {
          environment: { PATH },
          directory: folder,
          user,
          redactor: createRedactor([]),
          output: () => {},
          limit: new AbortController().signal,
        });
        expect(processesOf(user), `round ${round}`).toEqual([]);
        // The builder's own tools run as the user, too.
        if (round % 5 === 0) await cache.keep('dependencies', 'key');
      }
      await cache.close();
      expect(readFileSync(loot, 'utf8')).toBe('');
    } finally {
      for (const name of Object.keys(secrets)) delete process.env[name];
      for (const child of load) child.kill('SIGKILL');
      await endProcesses(user);
      rmSync(folder, { recursive: true });
    }
  },
  120_000,
);

asRoot('ends processes that multiply and kill the processes that end them', async () => {
  const user = newUser();
  const bomb = 'trap "" TERM HUP; for n in 1 2 3; do (while :; do sleep 0.01 & sleep 0.01; done) & done; wait';
  const child = startChild('sh', ['-c', bomb], { environment: { PATH }, stdio: 'ignore', user });
  const ended = once(child, 'exit');
  while (processesOf(user).length < 4) await sleep(5);
  await endProcesses(user);
  expect(processesOf(user)).toEqual([]);
  expect(await ended).toEqual([null, 'SIGKILL']);
});

asRoot('the self-test accepts an isolated user', async () => {
  const user = newUser();
  await assertIsolated(user, { PATH });
  expect(processesOf(user)).toEqual([]);
});

asRoot('the self-test refuses a user who can read the builder’s files or memory', async () => {
  const [user, folder] = [newUser(), mkdtempSync(join(tmpdir(), 'self-test-'))];
  const file = join(folder, 'env.sh');
  writeFileSync(file, 'export A=1', { mode: 0o644 });
  runTool('chmod', ['755', folder]);
  await expect(assertIsolated(user, { PATH }, [file])).rejects.toThrow(`can read ${file}`);
  rmSync(folder, { recursive: true });
});

test('no build user exists outside a build container', () => {
  expect(() => createBuildUser()).toThrow('No build user can be created outside a build container');
});

test('never ends processes of root', async () => {
  await expect(endProcesses({ uid: 0, gid: 0, home: '/root' })).rejects.toThrow('must not be root');
});
