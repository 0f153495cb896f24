import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Json } from '../template/intrinsics.ts';
import { startLambda } from './lambda.ts';

/** Runs a function with the body of its handler. */
function start(body: string) {
  const dataDir = mkdtempSync(join(tmpdir(), 'function-log-'));
  const file = join(dataDir, 'fn.mjs');
  writeFileSync(file, `export const handler = async ({ lines, last }) => { ${body} };`);
  const limits = { timeoutMs: 30_000, memory: 128, concurrency: 1 };
  const spec = { name: 'fn', arn: 'fn', file, handler: 'handler', environment: {}, isRequested: true, ...limits };
  const { invoke, stop } = startLambda({ dataDir, functions: [spec] });
  onTestFinished(async () => {
    await stop();
    rmSync(dataDir, { recursive: true });
  });
  return { log: join(dataDir, 'logs', 'fn.log'), run: (event: Json) => invoke('fn', event) };
}

test('a log keeps its end, of the run before and while it grows', async () => {
  const { log, run } = start(`
    for (let count = 0; count < lines; count++) console.log('x'.repeat(1024 * 1024 - 1));
    console.log(last);`);
  writeFileSync(log, `${`${'y'.repeat(1023)}\n`.repeat(21 * 1024)}the run before\n`);
  await run({ lines: 0, last: 'the start' });
  expect(readFileSync(log, 'utf8').slice(-40)).toMatch(/y\nthe run before\nthe start\n$/);
  for (const last of ['one', 'two', 'three', 'four']) {
    await run({ lines: 6, last });
    expect(readFileSync(log, 'utf8').slice(-40)).toMatch(new RegExp(`x\n${last}\n$`));
    expect(statSync(log).size).toBeLessThan(21 * 1024 * 1024);
  }
});

test.skipIf(process.platform !== 'linux')('a log that a full disk does not take holds up no function', async () => {
  const { log, run } = start(`
    process.stdout.write('lost');
    await new Promise((written) => process.stdout.write('lost too', written));
    return process.stdout.writableLength;`);
  symlinkSync('/dev/full', log);
  expect(await run({})).toBe(0);
});
