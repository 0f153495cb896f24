import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
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

/** Runs a function `fn` of this source, and others that share its threads, each named with its source. */
function pool(
  source: string,
  spec: Partial<FunctionSpec> = {},
  others: Record<string, string> = {},
): Lambda & { directory: string } {
  const directory = mkdtempSync(join(tmpdir(), 'lambda-'));
  stops.push(() => rmSync(directory, { recursive: true, force: true }));
  const functions = Object.entries({ fn: source, ...others }).map(([name, text]) => {
    const file = join(directory, `${name}.mjs`);
    writeFileSync(file, text);
    return {
      name,
      arn: `arn:aws:lambda:af-south-1:000000000000:function:${name}`,
      aliases: ['live'],
      file,
      handler: 'handler',
      environment: { GREETING: 'hello' },
      timeoutMs: name === 'fn' ? 2000 : 30_000,
      memory: 128,
      concurrency: 4,
      isRequested: true,
      ...(name === 'fn' ? spec : {}),
    };
  });
  const lambda = startLambda({ dataDir: directory, functions });
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

  test('settles no invocation that the stop cuts off, nor a later one: the shutdown is no error of the function', async () => {
    const { invoke } = pool('export const handler = ({ wait }) => new Promise((done) => setTimeout(done, wait));');
    await invoke('fn', { wait: 0 });
    const settled: string[] = [];
    const note = (name: string, invocation: Promise<unknown>) =>
      void invocation.catch(() => {}).finally(() => settled.push(name));
    note('running', invoke('fn', { wait: 60_000 }));
    for (let count = 0; count < 8; count++) note('waiting', invoke('fn', { wait: 60_000 }));
    await stops.pop()?.();
    note('later', invoke('fn', { wait: 0 }));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(settled).toEqual([]);
  });

  test('runs one invocation per environment and scales up to the limit', async () => {
    const { invoke } = pool(`
      const environment = Math.random();
      let running = 0, most = 0;
      export const handler = async () => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 60));
        running--;
        return { most, environment };
      };`);
    const answers = await Promise.all(Array.from({ length: 12 }, () => invoke('fn', {})));
    expect(answers).toSatisfy((all: { most: number }[]) => all.every(({ most }) => most === 1));
    const environments = new Set(answers.map((answer) => JSON.stringify(answer)));
    expect(environments.size).toBeGreaterThan(1);
    expect(environments.size).toBeLessThanOrEqual(4);
  });

  test('runs as many invocations in one environment as it may have, and none that fails takes others with it', async () => {
    const { invoke, directory } = pool(
      `
      const environment = Math.random();
      import { existsSync } from 'node:fs';
      const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
      export const handler = async ({ ms, fail, until }) => {
        await pause(ms);
        while (until && !existsSync(until)) await pause(10);
        if (fail) throw new Error('own');
        return environment;
      };`,
      { invocationsPerEnvironment: 20, timeoutMs: 6000 },
    );
    const together = Array.from({ length: 30 }, () => invoke('fn', { ms: 300 }));
    await expect(invoke('fn', { ms: 100, fail: true })).rejects.toThrow('own');
    const environments = await Promise.all(together);
    expect(new Set(environments).size).toBe(2);
    const late = expect(invoke('fn', { ms: 60_000 })).rejects.toMatchObject({ name: 'Sandbox.Timedout' });
    await new Promise((resolve) => setTimeout(resolve, 2500));
    // In the same environment, and still running when the other is given up.
    const until = join(directory, 'given-up');
    const given = late.then(() => writeFileSync(until, ''));
    const [beside] = await Promise.all([invoke('fn', { ms: 0, until }), given]);
    expect(environments).toContain(beside);
    expect(await invoke('fn', { ms: 0 })).not.toBe(beside);
  });

  test('kills a blocking handler at its timeout and uses a new environment afterwards', async () => {
    const { invoke } = pool(
      'let calls = 0; export const handler = (event) => { calls++; if (event.hang) for (;;); return calls; };',
      { timeoutMs: 1000 },
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
    writeFileSync(join(directory, 'fn.mjs'), 'export const handler = () => 2;');
    reload('fn');
    expect(await invoke('fn', {})).toBe(2);
  });
});

describe('environments that share a thread', () => {
  const SIBLING = `
    import { threadId } from 'node:worker_threads';
    let calls = 0;
    export const handler = async ({ wait = 0 }) => {
      calls++;
      await new Promise((resolve) => setTimeout(resolve, wait));
      return { calls, threadId, greeting: process.env.GREETING };
    };`;
  const THREAD = `import { threadId } from 'node:worker_threads'; export const handler = () => ({ threadId });`;

  test('have variables, module state and realm as on Lambda', async () => {
    const { invoke } = pool(SIBLING, { environment: { GREETING: 'mine' } }, { sibling: SIBLING });
    const [mine, sibling] = [await invoke('fn', {}), await invoke('sibling', {})];
    expect(mine).toMatchObject({ calls: 1, greeting: 'mine' });
    expect(sibling).toMatchObject({ calls: 1, greeting: 'hello', threadId: (mine as { threadId: number }).threadId });
    const realm = pool('export const handler = (event) => event instanceof Object && new Error() instanceof Error;');
    expect(await realm.invoke('fn', {})).toBe(true);
  });

  test('import chunks beside their bundle as instances of their own, and Node’s process as theirs', async () => {
    const source = `
      import { env } from 'node:process';
      export const handler = async () => ({ ...(await import('./chunk.mjs')).next(), env: env.GREETING });`;
    const chunk = 'let calls = 0; export const next = () => ({ calls: ++calls, greeting: process.env.GREETING });';
    const { invoke } = pool(source, { environment: { GREETING: 'mine' } }, { sibling: source, chunk });
    expect(await invoke('fn', {})).toEqual({ calls: 1, greeting: 'mine', env: 'mine' });
    expect(await invoke('fn', {})).toEqual({ calls: 2, greeting: 'mine', env: 'mine' });
    expect(await invoke('sibling', {})).toEqual({ calls: 1, greeting: 'hello', env: 'hello' });
  });

  test.each([
    ['throws later', `setTimeout(() => { throw new RangeError('loose'); }, 5)`, 'RangeError'],
    ['leaves a rejection', `void Promise.reject(new Error('loose'))`, 'Runtime.UnhandledPromiseRejection'],
    ['exits', 'process.exit(3)', 'Runtime.ExitError'],
    ['never answers', 'void 0', 'Sandbox.Timedout'],
  ])('do not suffer when one %s', async (_what, statement, name) => {
    const source = `${THREAD.replace('export const handler', 'const where')}
      export const handler = (event) => event.where ? where() : (${statement}, new Promise(() => {}));`;
    const [timeoutMs, wait] = name === 'Sandbox.Timedout' ? [1500, 3000] : [30_000, 1500];
    const { invoke } = pool(source, { timeoutMs }, { sibling: SIBLING });
    const { threadId } = (await invoke('fn', { where: true })) as { threadId: number };
    const sibling = invoke('sibling', { wait });
    await expect(invoke('fn', {})).rejects.toMatchObject({ name });
    expect(await sibling).toMatchObject({ calls: 1, threadId });
    // The thread in which code of a failed invocation may still run takes nothing new.
    expect(await invoke('sibling', {})).not.toMatchObject({ threadId });
  });

  test('fail with the one that blocks the thread, and not silently', async () => {
    const { invoke } = pool('export const handler = () => { for (;;); };', { timeoutMs: 200 }, { sibling: SIBLING });
    await invoke('sibling', {});
    const sibling = invoke('sibling', { wait: 60_000 });
    sibling.catch(() => {});
    await expect(invoke('fn', {})).rejects.toMatchObject({ name: 'Sandbox.Timedout' });
    await expect(sibling).rejects.toMatchObject({ name: 'Runtime.ExitError' });
    expect(await invoke('sibling', {})).toMatchObject({ calls: 1 });
  });

  test('end with an error when the heap exceeds the function’s memory', async () => {
    const { invoke, directory } = pool(
      'const kept = []; export const handler = async ({ grow }) => { while (grow) { kept.push(new Array(1e6).fill(kept.length)); await 0; } return 1; };',
      { timeoutMs: 60_000 },
    );
    await expect(invoke('fn', { grow: true })).rejects.toMatchObject({ name: 'Runtime.ExitError', message: /memory/ });
    expect(readFileSync(join(directory, 'logs', 'fn.log'), 'utf8')).toContain('memory');
    expect(await invoke('fn', {})).toBe(1);
  });

  test('change nothing outside after their timeout', async () => {
    const requests: string[] = [];
    const server = createServer((request, response) => {
      requests.push(String(request.url));
      if (request.url !== '/slow') response.end();
    }).listen(0, '127.0.0.1');
    stops.push(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { invoke } = pool(
      `import { get } from 'node:http';
      const call = (path) => new Promise((resolve) => get({ port: ${port}, host: '127.0.0.1', path }, resolve).on('error', resolve));
      export const handler = async ({ slow }) => {
        if (!slow) return;
        await call('/slow');
        await call('/after');
        await fetch('http://127.0.0.1:${port}/fetched');
      };`,
      { timeoutMs: 1500 },
      { sibling: SIBLING },
    );
    await invoke('fn', {});
    // Keeps the thread alive beyond the timeout of the other.
    const sibling = invoke('sibling', { wait: 3000 });
    await expect(invoke('fn', { slow: true })).rejects.toMatchObject({ name: 'Sandbox.Timedout' });
    await sibling;
    expect(requests).toEqual(['/slow']);
  });
});
