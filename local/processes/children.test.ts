import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { constants, getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { startChildren } from './children.ts';

const directories: string[] = [];
const directory = (): string => {
  const created = mkdtempSync(join(tmpdir(), 'children-'));
  directories.push(created);
  return created;
};
afterEach(() => {
  for (const created of directories.splice(0)) rmSync(created, { recursive: true, force: true });
});

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    // A zombie counts as ended.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

const parentOf = (pid: number): number =>
  Number(execFileSync('ps', ['-o', 'ppid=', '-p', `${pid}`], { encoding: 'utf8' }));

const until = async (condition: () => boolean): Promise<void> => {
  await expect.poll(condition, { timeout: 60_000 }).toBe(true);
};

describe('children', () => {
  test('leaves no child, grandchild or temporary directory after a kill -9 of the main process', async () => {
    const dataDir = directory();
    const main = spawn(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `import { startChildren } from ${JSON.stringify(new URL('./children.ts', import.meta.url).href)};
         const children = startChildren(${JSON.stringify(dataDir)}, { temporary: true });
         const child = children.spawn('sh', ['-c', 'sleep 60 & echo $!; wait'], { label: 'sleeper', stdio: ['ignore', 'pipe', 'ignore'] });
         child.stdout.on('data', (text) => console.log(child.pid, String(text).trim()));
         setInterval(() => {}, 1000);`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const [line] = (await once(main.stdout, 'data')) as [Buffer];
    const pids = String(line).trim().split(' ').map(Number);
    expect(pids.every(alive)).toBe(true);
    main.kill('SIGKILL');
    await until(() => !pids.some(alive) && !existsSync(dataDir));
  });

  test('stops children that ignore SIGTERM', async () => {
    const children = startChildren(directory());
    const child = children.spawn('sh', ['-c', "trap '' TERM; echo up; while :; do sleep 0.1; done"], {
      label: 'stubborn',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    if (child.stdout) await once(child.stdout, 'data');
    await children.stop(100);
    expect(child.signalCode).toBe('SIGKILL');
  });

  test('reports only the unexpected end of an essential child', async () => {
    const deaths: string[] = [];
    const children = startChildren(directory(), { onExit: (label, how) => deaths.push(`${label}: ${how}`) });
    children.spawn('sh', ['-c', 'exit 3'], { label: 'engine', essential: true });
    children.spawn('no-such-command', [], { label: 'typo', essential: true });
    const quiet = children.spawn('sleep', ['60'], { label: 'quiet', essential: true });
    await until(() => deaths.length === 2);
    await children.end(quiet);
    await children.stop();
    expect(deaths.sort()).toEqual(['engine: exit code 3', 'typo: spawn no-such-command ENOENT']);
  });

  test('kills the largest process of a group that exceeds its memory limit and no other', async () => {
    const children = startChildren(directory());
    const hoard = 'const kept = []; setInterval(() => kept.push(Buffer.alloc(16 << 20, 1)), 10);';
    const start = (memoryMb?: number) =>
      children.spawn('sh', ['-c', '"$NODE" -e "$HOARD"; echo "ended with $?"; sleep 60'], {
        label: 'hoarder',
        env: { ...process.env, NODE: process.execPath, HOARD: hoard },
        stdio: ['ignore', 'pipe', 'ignore'],
        ...(memoryMb === undefined ? {} : { memoryMb }),
      });
    const [bounded, modest] = [start(150), children.spawn('sleep', ['60'], { label: 'modest', memoryMb: 150 })];
    if (bounded.stdout) expect(String(await once(bounded.stdout, 'data'))).toBe('ended with 137\n');
    expect([bounded.exitCode, modest.exitCode, modest.signalCode]).toEqual([null, null, null]);
    await children.stop();
  });

  test('gives a child’s descendants its niceness, and its session too where the system divides among sessions', async () => {
    const children = startChildren(directory());
    const child = children.spawn('sh', ['-c', 'sleep 60 & echo $!; wait'], {
      label: 'nice',
      niceness: 10,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const grandchild = child.stdout ? Number(await once(child.stdout, 'data')) : 0;
    expect(getPriority(grandchild)).toBe(Math.min(getPriority() + 10, constants.priority.PRIORITY_LOW));
    const session = `/proc/${grandchild}/autogroup`;
    // Empty where sessions are not divided among, missing on other systems than Linux.
    if (existsSync(session) && readFileSync(session, 'utf8') !== '')
      await until(() => readFileSync(session, 'utf8').endsWith(' nice 10\n'));
    await children.stop();
  });

  test('passes all output on before the end, however much there is', async () => {
    const children = startChildren(directory());
    const child = children.spawn('sh', ['-c', 'head -c 20000000 /dev/zero; echo end >&2'], {
      label: 'flood',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let bytes = 0;
    let errors = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    expect(await once(child, 'close')).toEqual([0, null]);
    expect([bytes, errors]).toEqual([20_000_000, 'end\n']);
    await children.stop();
  });

  test('reports the end of the watchdog, which ends what it has started', async () => {
    const deaths: string[] = [];
    const children = startChildren(directory(), { onExit: (label, how) => deaths.push(`${label}: ${how}`) });
    const child = children.spawn('sh', ['-c', 'sleep 60 & echo $!; wait'], {
      label: 'sleeper',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const grandchild = child.stdout ? Number(await once(child.stdout, 'data')) : 0;
    process.kill(parentOf(child.pid ?? 0), 'SIGKILL');
    await once(child, 'close');
    await until(() => !alive(grandchild));
    expect(deaths).toEqual(['watchdog: killed by SIGKILL']);
    const late = children.spawn('true', [], { label: 'late' });
    const [error] = await once(late, 'error');
    expect(String(error)).toContain('watchdog');
    await children.stop();
  });

  test('writes output to the log of the label', async () => {
    const dataDir = directory();
    const children = startChildren(dataDir);
    const child = children.spawn('sh', ['-c', 'echo hello'], { label: 'talker' });
    await once(child, 'exit');
    await children.stop();
    expect(readFileSync(join(dataDir, 'logs', 'talker.log'), 'utf8')).toBe('hello\n');
  });
});
