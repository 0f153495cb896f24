import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { call, contentOf, MODELS, PRICED_AT, startProviders, upstream, user } from '../../test/support/ai-calls.ts';
import { keptKey } from '../../test/support/platform-key.ts';
import { builtInOffer } from './models.ts';

/** Calls end to end, against real HTTP upstreams and a table that only records its requests. */

startProviders();

describe.each(Object.entries(MODELS))('%s', (id, model) => {
  test.each([
    ['400', 400, 'invalid_request'],
    ['401', 502, 'server_error'],
    ['403', 502, 'server_error'],
    ['404', 400, 'invalid_request'],
    ['408', 502, 'server_error'],
    ['413', 400, 'invalid_request'],
    ['429', 429, 'rate_limited', 5],
    ['429=7', 429, 'rate_limited', 7],
    ['500', 502, 'server_error'],
    ['503', 502, 'server_error'],
    ['529', 429, 'rate_limited', 5],
    ['hang', 502, 'server_error'],
    ['html', 502, 'server_error'],
  ])(
    'maps upstream %s to %i, streamed or not, and releases the hold',
    async (fault, status, code, retryAfter?: number) => {
      for (const stream of [false, true]) {
        const { apiError, said, done } = await call(
          { model, stream, messages: user(`fault:${fault}`) },
          { impatient: fault === 'hang' },
        );
        expect(apiError).toMatchObject({ status, code });
        expect(apiError?.retryAfter).toBe(retryAfter);
        expect(apiError?.message).not.toMatch(/sk-/);
        expect(said).toBe('');
        expect(done).toEqual(['hold', 'release']);
      }
    },
  );

  test('a call whose charge cannot be written is free, and its only record in the request log says so', async () => {
    const body = { model, messages: user('say exactly: hello') };
    const free = await call(body, { losesEntries: true });
    expect(free.report).toMatchObject({ settlementFailed: true, chargedMicroRand: 0 });
    expect(free.lines).toEqual([0]);
    const { report, lines } = await call(body);
    expect(lines).toEqual([report.chargedMicroRand]);
    expect(report.chargedMicroRand).toBeGreaterThan(0);
  });

  test('a whole answer to a streamed request is 502 and free, even if it is a valid one', async () => {
    upstream.act = (response) => {
      const usage = { prompt_tokens: 1, completion_tokens: 1, input_tokens: 1, output_tokens: 1, total_tokens: 2 };
      const choice = { index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' };
      const answer = { id: 'm', content: [], stop_reason: 'end_turn', choices: [choice], usage };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    };
    const { apiError, done } = await call({ model, stream: true, messages: user('x') }, { baseUrl: upstream.url });
    expect(apiError).toMatchObject({ status: 502 });
    expect(done).toEqual(['hold', 'release']);
  });

  test('a call that cannot be recorded in the request log fails at its end, for the log of the platform', async () => {
    const failing = call({ model, messages: user('fault:500') }, { losesLines: true });
    await expect(failing).rejects.toThrow('The table lost a line');
  });

  test('reports a rejected saved key as the caller’s error', async () => {
    for (const fault of ['401', '403']) {
      const { apiError, done } = await call({ model, messages: user(`fault:${fault}`) }, { saved: true });
      expect(apiError).toMatchObject({ status: 400, code: 'invalid_request' });
      expect(apiError?.message).toMatch(id === 'openai' ? /OpenAI/ : /Anthropic/);
      expect(apiError?.message).not.toMatch(/sk-/);
      // Its slot of the concurrent calls, and no money.
      expect(done).toEqual(['hold', 'release']);
    }
  });

  test('retries a call once with the key that replaced a refused one, and charges it once', async () => {
    const keys: string[] = [];
    upstream.act = (response, _body, key) => {
      keys.push(key.replace('Bearer ', ''));
      const isCurrent = key.endsWith('sk-new');
      response.writeHead(isCurrent ? 200 : 401, { 'content-type': 'application/json' });
      const usage = { prompt_tokens: 1, completion_tokens: 1, input_tokens: 1, output_tokens: 1, total_tokens: 2 };
      const choice = { index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' };
      const answer = { id: 'm', content: [], stop_reason: 'end_turn', choices: [choice], usage };
      response.end(JSON.stringify(isCurrent ? answer : { error: { message: 'invalid key' } }));
    };
    const world = { baseUrl: upstream.url, platformKey: keptKey('sk-old', 'sk-new') };
    const { apiError, done } = await call({ model, messages: user('x') }, world);
    expect(apiError).toBeUndefined();
    expect(keys).toEqual(['sk-old', 'sk-new']);
    expect(done).toEqual(['hold', 'end', 'settle 1']);
    keys.length = 0;
    const refused = await call({ model, messages: user('x') }, { ...world, platformKey: keptKey('sk-old') });
    expect(refused.apiError).toMatchObject({ status: 502 });
    expect(keys).toEqual(['sk-old']);
  });

  test('sells no models of a provider without a platform key', async () => {
    const { apiError, done } = await call({ model, messages: user('x') }, { platformKey: keptKey(undefined) });
    expect(apiError).toMatchObject({ status: 502, message: expect.stringContaining('is not available on credits') });
    expect(done).toEqual([]);
  });

  test.each(['', 'crlf', 'bytes', 'comments', 'unknown-events', 'gzip'])('a stream: %s', async (fault) => {
    const { apiError, frames, done, headers, report } = await call({
      model,
      stream: true,
      messages: user(`fault:${fault} say exactly: héllo wörld 😀, well`),
    });
    expect(apiError).toBeUndefined();
    expect(contentOf(frames)).toBe('héllo wörld 😀, well');
    expect(frames.at(-1)).toBe('[DONE]');
    const last = frames.at(-2);
    expect(last.usage).toMatchObject({ completion_tokens: expect.any(Number), total_tokens: expect.any(Number) });
    expect(last.usage.total_tokens).toBe(last.usage.prompt_tokens + last.usage.completion_tokens);
    for (const frame of frames.slice(0, -1)) {
      expect(frame).toMatchObject({ model, object: 'chat.completion.chunk' });
      expect(frame.choices, 'clients read the first choice of every chunk').toHaveLength(1);
    }
    expect(last.choices[0].finish_reason).toBe('stop');
    expect(headers['content-type']).toMatch(/^text\/event-stream/);
    expect(report).toMatchObject({ estimated: false, callerLeft: false });
    expect(done).toEqual(['hold', 'end', `settle ${last.usage.completion_tokens}`]);
  });

  test('a stream whose caller asks for the usage ends with a chunk that contains only the usage', async () => {
    const messages = user('say exactly: hello there');
    const { frames } = await call({ model, stream: true, stream_options: { include_usage: true }, messages });
    expect(frames.slice(0, -2).every(({ choices }) => choices.length === 1)).toBe(true);
    expect(frames.at(-3).choices[0].finish_reason).toBe('stop');
    expect(frames.at(-2)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
  });

  test('a chunk of 5 MB', async () => {
    const { frames } = await call({ model, stream: true, messages: user('fault:huge') });
    expect(contentOf(frames)).toHaveLength(5_000_000);
    expect(frames.at(-1)).toBe('[DONE]');
  });

  test('estimates the usage if the provider never reports it', async () => {
    for (const stream of [true, false]) {
      const { frames, said, report } = await call({
        model,
        stream,
        messages: user(`fault:no-usage say exactly: ${'word '.repeat(100)}`),
      });
      const { usage } = stream ? frames.at(-2) : JSON.parse(said);
      expect(usage.completion_tokens).toBeGreaterThan(90);
      expect(usage.prompt_tokens).toBeGreaterThan(90);
      expect(report.estimated).toBe(true);
    }
  });

  test.each([
    ['close-mid', 502],
    ['end-mid', 502],
    ['hang-mid', 502],
    ['error-mid', id === 'anthropic' ? 429 : 502],
  ])(
    'a broken stream (%s) ends with an error and without [DONE], and the received part is charged',
    async (fault, status) => {
      const { apiError, frames, done, ended, report, codes } = await call(
        { model, stream: true, messages: user(`fault:${fault} hello`) },
        { impatient: fault === 'hang-mid' },
      );
      expect(apiError).toBeUndefined();
      expect(contentOf(frames).length).toBeGreaterThan(20);
      expect(frames).not.toContain('[DONE]');
      expect(frames.at(-1)).toEqual({ error: { message: expect.any(String), code: expect.any(String), status } });
      expect(ended).toBe(true);
      expect(done.slice(0, 2)).toEqual(['hold', 'end']);
      expect(Number(done[2]?.split(' ')[1])).toBeGreaterThan(5);
      expect(report.failure).toBeDefined();
      expect(codes).toEqual([frames.at(-1).error.code]);
    },
  );

  test('an interrupted response that is not streamed is 502', async () => {
    const { apiError } = await call({ model, messages: user('fault:close-mid') });
    expect(apiError).toMatchObject({ status: 502 });
  });

  test('charges a caller that disconnects for the received part', async () => {
    const { done, report } = await call({ model, stream: true, messages: user('hello') }, {}, 10);
    expect(report.callerLeft).toBe(true);
    expect(done[0]).toBe('hold');
    expect(done.at(-1)).toMatch(/^settle [1-9]/);
  });

  test.each([true, false])(
    'charges a caller that disconnects before the first byte for the prompt, streamed: %s',
    async (stream) => {
      const asked = Promise.withResolvers<void>();
      const silent = createServer((request) => void request.resume().on('end', asked.resolve));
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
      const baseUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
      const body = { model, stream, messages: user('hello '.repeat(400)) };
      const { done, report } = await call(body, { baseUrl }, asked.promise);
      silent.closeAllConnections();
      silent.close();
      expect(report).toMatchObject({ callerLeft: true, estimated: true, usage: { output: 0 } });
      expect(report.usage?.input).toBeGreaterThan(500);
      expect(done).toEqual(['hold', 'settle 0']);
      const early = await call(body, { baseUrl }, Promise.resolve());
      expect([early.report.usage, early.done], 'nothing was sent').toEqual([undefined, ['hold', 'release']]);
    },
  );

  test("charges a caller that disconnects for the prompt that was sent, up to the model's context", async () => {
    const inputOf = async (more: object) => {
      const asked = Promise.withResolvers<void>();
      upstream.act = () => asked.resolve();
      const { report } = await call(
        { model, max_tokens: 50, messages: user('hi'), ...more },
        { baseUrl: upstream.url, credits: 1000 },
        asked.promise,
      );
      return report.usage?.input;
    };
    expect(await inputOf({ left_out: 'z'.repeat(300_000) })).toBeLessThan(100);
    const { contextLimit } = builtInOffer(18, PRICED_AT).models.find((each) => each.id === model) ?? {};
    expect(await inputOf({ messages: user('x '.repeat(2_500_000)) })).toBe(contextLimit);
  });

  test('an estimate beyond the hold creates no debt', async () => {
    // A stream of more text than its output limit allows breaks.
    upstream.act = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const text = 'y'.repeat(2_000_000);
      const chunks =
        id === 'openai'
          ? [{ choices: [{ index: 0, delta: { content: text } }] }]
          : [
              { type: 'message_start', message: { id: 'm' } },
              { type: 'content_block_delta', delta: { type: 'text_delta', text } },
            ];
      for (const chunk of chunks) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
      setTimeout(() => response.destroy(), 20);
    };
    const body = { model, stream: true, max_tokens: 50, messages: user('hi') };
    const { report } = await call(body, { baseUrl: upstream.url });
    expect(report).toMatchObject({ estimated: true, writtenOffMicroRand: 0, failure: { kind: 'broken' } });
    expect(report.chargedMicroRand).toBeGreaterThan(0);
    expect(report.chargedMicroRand).toBeLessThan(1_000_000);
  });

  test('counts cached tokens as part of the prompt and reports them separately', async () => {
    const { said } = await call({ model, messages: user('fault:cache hello there, how are you?') });
    const { usage } = JSON.parse(said);
    expect(usage.prompt_tokens_details.cached_tokens).toBeGreaterThan(0);
    expect(usage.prompt_tokens).toBeGreaterThan(usage.prompt_tokens_details.cached_tokens);
    expect(usage.total_tokens).toBe(usage.prompt_tokens + usage.completion_tokens);
  });

  test('the remaining credits limit the output', async () => {
    const { said, report } = await call(
      { model, messages: user(`say exactly: ${'a '.repeat(3500)}`) },
      { credits: 0.6 },
    );
    const { usage, choices } = JSON.parse(said);
    expect(choices[0].finish_reason).toBe('length');
    expect(usage.completion_tokens).toBeLessThan(3000);
    expect(report.model).toBe(model);
  });

  test('a prompt that the remaining credits do not cover is refused, sent to no provider, and holds nothing', async () => {
    const { apiError, done } = await call({ model, messages: user('words '.repeat(60_000)) }, { credits: 0.6 });
    const message = 'Your AI credits do not cover a prompt of this length; R0.60 is available.';
    expect(apiError).toMatchObject({ code: 'insufficient_credits', message });
    expect(done).toEqual(['hold', 'release']);
  });
});

test('both providers respond in the same shape, field by field', async () => {
  const shape = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(shape)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(
            Object.entries(value)
              .sort(([a], [b]) => (a < b ? -1 : 1))
              .map(([key, each]) => [key, shape(each)]),
          )
        : value === null
          ? 'null'
          : typeof value;
  const messages = [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'say exactly: one two' },
        {
          type: 'image_url',
          image_url: { url: `data:image/png;base64,${Buffer.from('89504e470d0a1a0a', 'hex').toString('base64')}` },
        },
      ],
    },
  ];
  const [ours, theirs] = await Promise.all(Object.values(MODELS).map((model) => call({ model, messages })));
  expect(shape(JSON.parse(ours?.said ?? ''))).toEqual(shape(JSON.parse(theirs?.said ?? '')));
  const [a, b] = await Promise.all(Object.values(MODELS).map((model) => call({ model, messages, stream: true })));
  expect(a?.frames.map(shape)).toEqual(b?.frames.map(shape));
});

test.each([
  ['unknown/x', /has the unknown provider "unknown"/],
  ['openai/no-such-model', /not sold on credits/],
  ['openrouter/openrouter/auto', /not sold on credits/],
])('rejects %s with 400', async (model, message) => {
  expect((await call({ model, messages: user('x') })).apiError).toMatchObject({
    status: 400,
    message: expect.stringMatching(message),
  });
});
