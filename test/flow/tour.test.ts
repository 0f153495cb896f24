import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Run, startRun } from '../support/platform.ts';
import { matchesAnswer, tourSteps } from '../support/tour-blocks.ts';
import { BLOCK_TIMEOUT_MS, startTourShell, type TourShell } from '../support/tour-shell.ts';

const page = readFileSync('docs/tour.md', 'utf8');
const steps = tourSteps(page);

let run: Run;
let shell: TourShell;

beforeAll(async () => {
  run = await startRun({ DATA_DIR: ':memory:' });
  shell = await startTourShell(run.local);
}, BLOCK_TIMEOUT_MS);

afterAll(async () => {
  await shell?.stop();
  await run?.stop();
}, BLOCK_TIMEOUT_MS);

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

  test(
    'continues from the first deployment of README.md',
    async () => {
      const [, block = ''] =
        /^## First deployment\n[\s\S]*?^```sh\n([\s\S]*?)^```$/m.exec(readFileSync('README.md', 'utf8')) ?? [];
      const { port } = new URL(run.local.baseUrl);
      const script = block.replace("'./.local/local.json'", 'process.env.LOCAL_JSON').replaceAll(':4000', `:${port}`);
      const { exitCode, text } = await shell.paste(script, 'readme');
      expect([exitCode, text]).toEqual([0, expect.stringContaining('Hello from Express')]);
    },
    BLOCK_TIMEOUT_MS,
  );

  test.each(steps.map((step) => [step.line, step.heading, step] as const))(
    'line %i (%s) prints the output shown',
    async (line, _heading, { script, expected }) => {
      const { exitCode, text } = await shell.paste(script, `line-${line}`);
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
