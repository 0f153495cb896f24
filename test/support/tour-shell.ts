import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../../local/processes/ports.ts';
import type { Local } from './platform.ts';

/** A block may build and release an application: seconds here, minutes on a slow machine. */
export const BLOCK_TIMEOUT_MS = 240_000;
const MARK = 'end of the block:';

/** A shell in which a reader pastes the blocks of docs/tour.md. */
export interface TourShell {
  /**
   * Runs a block and returns its output once the shell has gone through it; an exit code of -1 if it does not end in time, after
   * which the shell takes no other.
   */
  paste(script: string, name: string): Promise<{ exitCode: number; text: string }>;
  /** Ends the shell and what the blocks left in the background, and removes its files. */
  stop(): Promise<void>;
}

/** Starts a shell for the tour of a run. */
export async function startTourShell(local: Local): Promise<TourShell> {
  const directory = mkdtempSync(join(tmpdir(), 'tour-'));
  const localJson = join(directory, 'local.json');
  writeFileSync(localJson, JSON.stringify(local));
  // The platform is on this machine: no proxy is asked for it.
  const environment = Object.entries(process.env).filter(([name]) => !/_proxy$/i.test(name));
  const shell = spawn('bash', ['--noprofile', '--norc'], {
    // The tour begins in the repository, and leaves it for a temporary folder at once.
    cwd: process.cwd(),
    env: {
      ...Object.fromEntries(environment),
      LOCAL_JSON: localJson,
      RECEIVER_PORT: String(await freePort()),
      TMPDIR: directory,
      PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    },
    // A process group of its own, so that what the tour leaves in the background ends with it.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let isUsable = true;
  let output: string[] = [];
  let onExitCode: (code: number) => void = () => {};
  for (const stream of [shell.stdout, shell.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      if (stream === shell.stdout && line.startsWith(MARK)) onExitCode(Number(line.slice(MARK.length)));
      else output.push(line);
    });
  }
  shell.on('exit', () => {
    isUsable = false;
    onExitCode(-1);
  });
  return {
    async paste(script, name) {
      if (!isUsable) throw new Error('a block before this one did not end');
      const file = join(directory, `${name}.sh`);
      writeFileSync(file, `${script}\n`);
      output = [];
      const ended = new Promise<number>((resolve) => {
        onExitCode = resolve;
      });
      const timer = setTimeout(() => {
        isUsable = false;
        onExitCode(-1);
      }, BLOCK_TIMEOUT_MS - 10_000);
      shell.stdin.write(`. '${file}' < /dev/null\nprintf '\\n${MARK}%s\\n' "$?"\n`);
      const exitCode = await ended;
      clearTimeout(timer);
      return { exitCode, text: output.join('\n') };
    },
    async stop() {
      if (shell.pid !== undefined && shell.exitCode === null && shell.signalCode === null) {
        const gone = once(shell, 'exit');
        process.kill(-shell.pid, 'SIGKILL');
        await gone;
      }
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
