import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { AWS_LIMITS } from '../../contract/limits/aws-limits.ts';
import { type Lambda, startLambda } from './lambda.ts';
import type { FunctionSpec } from './pool.ts';

const stops: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** Creates a pool with one function of this source. */
function pool(source: string, spec: Partial<FunctionSpec> = {}): Lambda & { directory: string } {
  const directory = mkdtempSync(join(tmpdir(), 'lambda-'));
  stops.push(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, 'index.mjs');
  writeFileSync(file, source);
  const lambda = startLambda({
    dataDir: directory,
    functions: [
      {
        name: 'fn',
        arn: 'arn:aws:lambda:af-south-1:000000000000:function:fn',
        file,
        handler: 'handler',
        environment: { GREETING: 'hello' },
        timeoutMs: 2000,
        memory: 128,
        concurrency: 4,
        ...spec,
      },
    ],
  });
  stops.push(() => lambda.stop());
  return { ...lambda, directory };
}

describe('lambda', () => {
  test('fails a response that is larger than Lambda passes on', async () => {
    const { invoke } = pool(`export const handler = async (bytes) => 'x'.repeat(bytes);`);
    const limit = AWS_LIMITS.lambdaPayloadBytes.value;
    // Two quotation marks make it JSON.
    expect(await invoke('fn', limit - 2)).toHaveLength(limit - 2);
    await expect(invoke('fn', limit - 1)).rejects.toMatchObject({ name: 'Function.ResponseSizeTooLarge' });
  });

  test('passes event, context and only its own environment to a handler', async () => {
    const { invoke } = pool(`
      export const handler = async (event, context) => ({
        event, name: context.functionName, variables: Object.keys(process.env).sort(), left: context.getRemainingTimeInMillis(),
      });`);
    const answer = await invoke('arn:aws:lambda:af-south-1:000000000000:function:fn:live', { a: [1, 'ü'] });
    expect(answer).toMatchObject({
      event: { a: [1, 'ü'] },
      name: 'fn',
      variables: ['GREETING', '_X_AMZN_TRACE_ID'],
      left: expect.toSatisfy((left: number) => left > 1000 && left <= 2000),
    });
  });

  test('returns a thrown error with its type and writes output to the function’s log', async () => {
    const { invoke, directory } = pool(`
      export const handler = async () => { console.log('a line'); throw new RangeError('too far'); };`);
    await expect(invoke('fn', {})).rejects.toMatchObject({ name: 'RangeError', message: 'too far' });
    expect(readFileSync(join(directory, 'logs', 'fn.log'), 'utf8')).toMatch(/^a line\n.*RangeError/);
  });

  test('runs one invocation per environment and scales up to the limit', async () => {
    const { invoke } = pool(`
      import { threadId } from 'node:worker_threads';
      let running = 0, most = 0;
      export const handler = async () => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 60));
        running--;
        return { most, threadId };
      };`);
    const answers = await Promise.all(Array.from({ length: 12 }, () => invoke('fn', {})));
    expect(answers).toSatisfy((all: { most: number }[]) => all.every(({ most }) => most === 1));
    const threads = new Set(answers.map((answer) => JSON.stringify(answer)));
    expect(threads.size).toBeGreaterThan(1);
    expect(threads.size).toBeLessThanOrEqual(4);
  });

  test('kills a blocking handler at its timeout and uses a new environment afterwards', async () => {
    const { invoke } = pool(
      'let calls = 0; export const handler = (event) => { calls++; if (event.hang) for (;;); return calls; };',
      { timeoutMs: 100 },
    );
    expect(await invoke('fn', {})).toBe(1);
    await expect(invoke('fn', { hang: true })).rejects.toMatchObject({ name: 'Sandbox.Timedout' });
    expect(await invoke('fn', {})).toBe(1);
  });

  test('fails only the invocation of a crashed environment', async () => {
    const { invoke } = pool(
      'export const handler = (event) => { if (event.die) process.exit(1); return new Promise((_, reject) => setTimeout(() => { if (event.crash) throw new Error("loose"); reject(new Error("own")); }, 5)); };',
    );
    await expect(invoke('fn', { die: true })).rejects.toMatchObject({ name: 'Runtime.ExitError' });
    await expect(invoke('fn', { crash: true })).rejects.toThrow('loose');
    await expect(invoke('fn', {})).rejects.toThrow('own');
  });

  test('reports why a bundle cannot be loaded', async () => {
    await expect(pool('throw new Error("broken at start")').invoke('fn', {})).rejects.toThrow('broken at start');
  });

  test('a streaming handler', async () => {
    const { invokeText } = pool(`
      export const handler = awslambda.streamifyResponse(async (event, stream) => {
        const body = awslambda.HttpResponseStream.from(stream, { statusCode: 200 });
        body.write('one'); body.end('two');
      });`);
    const chunks: Uint8Array[] = [];
    await invokeText('fn', '{}', { chunk: (bytes) => chunks.push(bytes) });
    expect(Buffer.concat(chunks).toString()).toBe(`{"statusCode":200}${'\0'.repeat(8)}onetwo`);
  });

  test('runs the bundle on disk after a reload', async () => {
    const { invoke, reload, directory } = pool('export const handler = () => 1;');
    expect(await invoke('fn', {})).toBe(1);
    writeFileSync(join(directory, 'index.mjs'), 'export const handler = () => 2;');
    reload('fn');
    expect(await invoke('fn', {})).toBe(2);
  });
});
