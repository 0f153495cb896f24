import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../local/processes/ports.ts';
import { type Run, startRun } from '../support/platform.ts';
import { matchesAnswer, tourSteps } from '../support/tour-blocks.ts';

/** A block may build and release an application: seconds here, minutes on a slow machine. */
const BLOCK_TIMEOUT_MS = 240_000;
const MARK = 'end of the block:';

const page = readFileSync('docs/tour.md', 'utf8');
const steps = tourSteps(page);

let run: Run;
let directory: string;
let shell: ChildProcess;
let isShellUsable = true;
let output: string[] = [];
let onExitCode: (code: number) => void = () => {};

beforeAll(async () => {
  run = await startRun({ DATA_DIR: ':memory:' });
  directory = mkdtempSync(join(tmpdir(), 'tour-'));
  const localJson = join(directory, 'local.json');
  writeFileSync(localJson, JSON.stringify(run.local));
  // The platform is on this machine: no proxy is asked for it.
  const environment = Object.entries(process.env).filter(([name]) => !/_proxy$/i.test(name));
  shell = spawn('bash', ['--noprofile', '--norc'], {
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
  for (const stream of [shell.stdout, shell.stderr]) {
    if (!stream) throw new Error('the shell has no output');
    createInterface({ input: stream }).on('line', (line) => {
      if (stream === shell.stdout && line.startsWith(MARK)) onExitCode(Number(line.slice(MARK.length)));
      else output.push(line);
    });
  }
  shell.on('exit', () => {
    isShellUsable = false;
    onExitCode(-1);
  });
}, BLOCK_TIMEOUT_MS);

afterAll(async () => {
  if (shell?.pid !== undefined && shell.exitCode === null && shell.signalCode === null) {
    const gone = once(shell, 'exit');
    process.kill(-shell.pid, 'SIGKILL');
    await gone;
  }
  await run?.stop();
  if (directory) rmSync(directory, { recursive: true, force: true });
}, BLOCK_TIMEOUT_MS);

/** Pastes a block into the shell and returns its output once the shell has gone through it. */
async function paste(script: string, name: string): Promise<{ exitCode: number; text: string }> {
  if (!isShellUsable) throw new Error('a block before this one did not end');
  const file = join(directory, `${name}.sh`);
  writeFileSync(file, `${script}\n`);
  output = [];
  const ended = new Promise<number>((resolve) => {
    onExitCode = resolve;
  });
  const timer = setTimeout(() => {
    isShellUsable = false;
    onExitCode(-1);
  }, BLOCK_TIMEOUT_MS - 10_000);
  shell.stdin?.write(`. '${file}' < /dev/null\nprintf '\\n${MARK}%s\\n' "$?"\n`);
  const exitCode = await ended;
  clearTimeout(timer);
  return { exitCode, text: output.join('\n') };
}

describe('docs/tour.md', () => {
  test('has shell blocks, and shows the responses of most of them', () => {
    expect(steps.length).toBeGreaterThanOrEqual(20);
    expect(steps.filter(({ expected }) => expected).length).toBeGreaterThanOrEqual(20);
  });

  test('npm start prints the output shown', () => {
    const [, text = ''] = /^```console\n\$ npm ci && npm start\n([\s\S]*?)^```$/m.exec(page) ?? [];
    const { port } = new URL(run.local.baseUrl);
    const end = run.output.findIndex((line) => line.startsWith('ready ')) + 1;
    const output = run.output.slice(0, end).join('\n').replaceAll(`:${port}`, ':4000');
    if (text === '' || !matchesAnswer(output, { language: 'text', text })) expect(output).toBe(text);
  });

  test.each(steps.map((step) => [step.line, step.heading, step] as const))(
    'line %i (%s) prints the output shown',
    async (line, _heading, { script, expected }) => {
      const { exitCode, text } = await paste(script, `line-${line}`);
      expect(exitCode, `${script}\n\n${text}`).toBe(0);
      // The comparison that fails shows both texts; it is only reached where they differ.
      if (expected && !matchesAnswer(text, expected)) expect(text).toBe(expected.text);
    },
    BLOCK_TIMEOUT_MS,
  );
});

describe('a response', () => {
  const text = (shown: string) => ({ language: 'text', text: shown });
  const json = (shown: string) => ({ language: 'json', text: shown });

  test.each([
    ['a\nb', text('a\nb')],
    ['version 22.1', text('version …')],
    ['a\nb\nc\nd', text('a\n…\nd')],
    ['a\nd', text('a\n…\nd')],
    ['{"id":"app_1","ok":true}', json('{"id":"app_…",\n  "ok":true}')],
    ['{"a":1}{"b":2}', json('{"a":1}\n{"b":…}')],
  ])('%j matches the shown output', (actual, expected) => {
    expect(matchesAnswer(actual, expected)).toBe(true);
  });

  test.each([
    ['a\nc', text('a\nb')],
    ['a\nb\nc', text('a\nb')],
    ['version', text('version …')],
    ['{"id":"dep_1","ok":true}', json('{"id":"app_…",\n  "ok":true}')],
    ['{"id":"app_1","ok":true,"more":1}', json('{"id":"app_…","ok":true}')],
    ['{"id":"app_1","more":1,"ok":true}', json('{"id":"app_…","ok":true}')],
  ])('%j does not match it', (actual, expected) => {
    expect(matchesAnswer(actual, expected)).toBe(false);
  });
});
