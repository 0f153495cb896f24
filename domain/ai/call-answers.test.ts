import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ProviderFailure } from '../../providers/ai/failures.ts';
import type { Outgoing } from '../../providers/ai/transport.ts';
import { call, contentOf, MODELS, startProviders, upstream, user } from '../../test/support/ai-calls.ts';

/** Tests of unusual provider answers, and of the caller's response. */

startProviders();

test('handles a provider that reports an error with status 200', async () => {
  upstream.act = (response) => void response.end(JSON.stringify({ error: { code: 429, message: 'slow down' } }));
  const { apiError } = await call({ model: 'openai/gpt-4o', messages: user('x') }, { baseUrl: upstream.url });
  expect(apiError).toMatchObject({ status: 429, code: 'rate_limited', retryAfter: 5 });
});

/** The frames of an answer that is complete although its stream goes on: `[DONE]` or the event that ends a message is missing. */
const FINISHED = {
  openai: [
    { id: '1', model: 'm', choices: [{ index: 0, delta: { content: 'a' }, finish_reason: null }] },
    {
      id: '1',
      model: 'm',
      choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 3 },
    },
  ],
  anthropic: [
    { type: 'message_start', message: { id: '1', usage: { input_tokens: 1, output_tokens: 1 } } },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
  ],
};

describe.each(['openai', 'anthropic'] as const)('accepts a finished response of %s', (provider) => {
  const answerWith = async (last: (response: ServerResponse) => void, more: object = {}) => {
    upstream.act = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const text = FINISHED[provider].map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('');
      response.write(text, () => setImmediate(last, response));
    };
    const body = { model: MODELS[provider], stream: true, messages: user('x'), ...more };
    return await call(body, { baseUrl: upstream.url, impatient: true });
  };

  test.each<[string, (response: ServerResponse) => void]>([
    ['that ends', (response) => response.end()],
    ['whose end has no blank line behind it', (response) => response.end('data: [DONE]')],
    ['whose connection breaks', (response) => response.destroy()],
    ['whose connection stays silent', () => undefined],
  ])('%s', async (_, last) => {
    const { frames, report } = await answerWith(last);
    expect(frames).toHaveLength(3);
    expect(frames.at(-2)).toMatchObject({ choices: [{ finish_reason: 'stop' }], usage: { total_tokens: 3 } });
    expect(frames.at(-1)).toBe('[DONE]');
    expect(report).toMatchObject({ failure: undefined, usage: { input: 1, cached: 0, cacheWrite: 0, output: 2 } });
  });
});

test('a connection that breaks after one of two answers fails the call', async () => {
  upstream.act = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const text = FINISHED.openai.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('');
    response.write(text, () => setImmediate(() => response.destroy()));
  };
  const body = { model: MODELS.openai, n: 2, stream: true, messages: user('x') };
  const { frames } = await call(body, { baseUrl: upstream.url });
  expect(frames.at(-1)).toMatchObject({ error: { status: 502 } });
});

test.each([[{}], [{ stream_options: { include_usage: true } }]])(
  'a stream without a chunk is 502 and free, as an answer without a choice is: %j',
  async (more) => {
    upstream.act = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end('data: [DONE]\n\n');
    };
    const body = { model: 'openai/gpt-4o', stream: true, messages: user('x'), ...more };
    const { apiError, done } = await call(body, { baseUrl: upstream.url });
    expect(apiError).toMatchObject({ status: 502 });
    expect(done).toEqual(['hold', 'release']);
  },
);

test('a fault of the gateway in the middle of a stream ends it with an error, not as if it were complete', async () => {
  // More than this process can serialize, in a call to which it adds a type.
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const chunkOf = (delta: string) => `data: {"id":"1","model":"m","choices":[{"index":0,"delta":${delta}}]}\n\n`;
  upstream.act = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunkOf('{"content":"a"}'));
    response.end(`${chunkOf(`{"tool_calls":[{"id":"c","x":${deep},"function":{"name":"f"}}]}`)}data: [DONE]\n\n`);
  };
  const pieces: string[] = [];
  const body = { model: 'mistral/mistral-large-2512', stream: true, messages: user('x') };
  const calling = call(body, { baseUrl: upstream.url, onPiece: (piece) => pieces.push(piece) });
  await expect(calling).rejects.toThrow(RangeError);
  expect(pieces.slice(1)).toEqual([
    expect.stringMatching(/^data: \{"error":\{.*"code":"server_error","status":500\}\}\n\n$/),
  ]);
});

test('the emulated provider returns as many answers as the request asks for', async () => {
  const body = { model: 'openai/gpt-4o', n: 2, messages: user('say exactly: one two') };
  const { choices, usage } = JSON.parse((await call(body)).said);
  expect(choices.map(({ index, message }: { index: number; message: object }) => ({ index, message }))).toMatchObject(
    [0, 1].map((index) => ({ index, message: { content: 'one two' } })),
  );
  const { frames, report } = await call({ ...body, stream: true });
  const answerOf = (wanted: number) => frames.filter(({ choices: [choice] = [] }) => choice?.index === wanted);
  expect([0, 1].map((index) => contentOf(answerOf(index)))).toEqual(['one two', 'one two']);
  expect(report.usage?.output).toBe(usage.completion_tokens);
});

describe('an incomplete answer', () => {
  const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) =>
    `data: ${JSON.stringify({ id: '1', model: 'm', choices: [{ index: 0, delta, finish_reason }], ...more })}\n\n`;
  const said = chunk({ content: 'The answer is' });
  const usage = { prompt_tokens: 1, completion_tokens: 3, total_tokens: 4 };
  const end = `${chunk({}, 'stop', { usage })}data: [DONE]\n\n`;
  const ask = async (sent: string, more: object = {}) => {
    upstream.act = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(sent);
    };
    const body = { model: 'groq/openai/gpt-oss-20b', stream: true, messages: user('x'), ...more };
    return await call(body, { baseUrl: upstream.url });
  };

  test.each([
    ['an error in Groq’s own member', chunk({}, null, { x_groq: { id: 'req_1', error: 'over capacity' } })],
    ['no reason for its end', ''],
    ['a chunk that is cut off', 'data: {"id":"x","choices":[{"index":0,"delta":{"content":"c\n\n'],
    ['a chunk that is cut off behind a bracket', 'data: {"id":"x","choices":[{"index":0,"delta":{"content":"c"}\n\n'],
  ])('a stream with %s ends in an error, and what came is charged', async (what, frame) => {
    const { frames, done, report } = await ask(`${said}${frame}${what.startsWith('no') ? 'data: [DONE]\n\n' : end}`);
    expect(frames).toMatchObject([{ choices: [{ delta: { content: 'The answer is' } }] }, { error: { status: 502 } }]);
    expect(frames).toHaveLength(2);
    expect(report).toMatchObject({ estimated: true, failure: {} });
    expect(done).toEqual(['hold', 'end', 'settle 4']);
  });

  test.each([{}, { stream_options: { include_usage: true } }])(
    'a chunk without a choice is left out: %j',
    async (more) => {
      const { frames, report } = await ask(
        `data: {"choices":[]}\n\n${said}data: {"id":"1","choices": null}\n\n${end}`,
        more,
      );
      expect(frames).toMatchObject([
        { choices: [{ delta: { content: 'The answer is' } }] },
        { choices: [{ finish_reason: 'stop' }] },
        ...('stream_options' in more ? [{ choices: [] }] : []),
        '[DONE]',
      ]);
      expect(frames.at(-2)).toMatchObject({ usage });
      expect(report.usage?.output).toBe(3);
    },
  );

  test('a complete answer whose choice has an error fails', async () => {
    const failed = { error: { code: 502, message: 'Provider disconnected' }, finish_reason: 'error' };
    const choices = [{ index: 0, message: { role: 'assistant', content: 'The' }, ...failed }];
    upstream.act = (response) => void response.end(JSON.stringify({ id: '1', choices, usage }));
    const body = { model: 'openrouter/openai/gpt-4o', messages: user('x') };
    const { apiError, done } = await call(body, { saved: true, baseUrl: upstream.url });
    expect(apiError).toMatchObject({ status: 502 });
    expect(done).toEqual(['hold', 'release']);
  });
});

describe('a model that takes longer than the edge waits for a byte', () => {
  /** Answers with 200 immediately, and continues after two keep-alive writes, or later if there are none. */
  const slowly = (type: string, answer: (response: ServerResponse) => void, isSilent = false) => {
    const { promise: waited, resolve } = Promise.withResolvers<void>();
    upstream.act = (response) => {
      response.writeHead(200, { 'content-type': type }).flushHeaders();
      if (isSilent) setTimeout(resolve, 500);
      void waited.then(() => answer(response));
    };
    let pieces = 0;
    const onPiece = () => {
      pieces += 1;
      if (pieces === 2) resolve();
    };
    return { ...world(), onPiece };
  };
  const JSON_DOCUMENT = 'application/json';
  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
  const completion = {
    model: 'gpt-4o',
    choices: [{ index: 0, message: { role: 'assistant', content: 'late' } }],
    usage,
  };
  const body = (stream: boolean) => ({ model: MODELS.openai, messages: user('Hello'), ...(stream ? { stream } : {}) });
  const world = () => ({ baseUrl: upstream.url, keepAliveMs: 120 });

  test('answers with spaces before the document, which is charged once', async () => {
    const waiting = slowly(JSON_DOCUMENT, (response) => response.end(JSON.stringify(completion)));
    const { said, headers, ended, done } = await call({ ...body(false), my_own: 1 }, waiting);
    expect(said).toMatch(/^ {2,20}\{/);
    expect(JSON.parse(said)).toMatchObject({ choices: [{ message: { content: 'late' } }] });
    expect(headers).toEqual({
      'content-type': 'application/json; charset=utf-8',
      'x-ignored-parameters': 'my_own',
    });
    expect([ended, done]).toEqual([true, ['hold', 'end', 'settle 2']]);
  });

  test('reports a failure in the body, and charges nothing', async () => {
    const waiting = slowly(JSON_DOCUMENT, (response) => response.end('no JSON'));
    const { apiError, said, done } = await call(body(false), waiting);
    expect(apiError).toBeUndefined();
    expect(JSON.parse(said)).toEqual({ error: { message: expect.any(String), code: 'server_error', status: 502 } });
    expect(done).toEqual(['hold', 'end', 'release']);
  });

  test('streams comments, then the frames', async () => {
    const waiting = slowly('text/event-stream', (response) => {
      const chunk = { choices: [{ index: 0, delta: { content: 'late' } }] };
      response.end(
        `data: ${JSON.stringify(chunk)}\n\ndata: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`,
      );
    });
    const { said, frames, headers } = await call(body(true), waiting);
    expect(said).toMatch(/^(: waiting for the model\n\n){2,20}data: /);
    expect(headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(contentOf(frames)).toBe('late');
    expect(frames.at(-1)).toBe('[DONE]');
  });

  test('sends nothing before the answer if the flag is off for the account, and a failure keeps its status', async () => {
    const off = { ...world(), flags: { 'ai-keep-alive': { share: 0, accounts: {} } } };
    slowly(JSON_DOCUMENT, (response) => response.end(JSON.stringify(completion)), true);
    const { said, done } = await call(body(false), off);
    expect(said).toMatch(/^\{/);
    expect(done).toEqual(['hold', 'end', 'settle 2']);
    slowly(JSON_DOCUMENT, (response) => response.end('no JSON'), true);
    expect((await call(body(false), off)).apiError).toMatchObject({ status: 502 });
  });

  test.each([
    [{}, true],
    [{ flags: { 'ai-keep-alive': { share: 0, accounts: {} } } }, false],
  ])('has longer for its answer only if the caller is kept: %j', async (flags, expected) => {
    const seen: unknown[] = [];
    const transport = ({ isKeptAlive }: Outgoing) => {
      seen.push(isKeptAlive);
      return Promise.reject(new ProviderFailure('unreachable', {}));
    };
    await call(body(false), { ...flags, transport });
    expect(seen).toEqual([expected]);
  });

  test.each([true, false])('keeps the status of a late failure (stream: %s)', async (stream) => {
    upstream.act = (response) => void setTimeout(() => response.writeHead(500).end('{}'), 500);
    const { apiError, done } = await call(body(stream), world());
    expect(apiError).toMatchObject({ status: 502 });
    expect(done).toEqual(['hold', 'release']);
  });

  test('fails a stream without an answer in a frame, and charges nothing', async () => {
    const waiting = slowly('text/event-stream', (response) => response.destroy());
    const { frames, done } = await call(body(true), waiting);
    expect(frames).toEqual([{ error: { message: expect.any(String), code: 'server_error', status: 502 } }]);
    expect(done).toEqual(['hold', 'end', 'release']);
  });

  describe('keep-alive bytes without an answer', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() }));
    afterEach(() => void vi.useRealTimers());
    /** Streams these parts, more than ten seconds of the fake clock apart, and closes. */
    const withPauses = (parts: string[]) => {
      upstream.act = async (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
        for (const part of parts) {
          vi.setSystemTime(Date.now() + 11_000);
          response.write(part);
          await new Promise((resolve) => setTimeout(resolve, 30));
        }
        response.end();
      };
    };
    const COMMENT = ': keep-alive\n\n';
    const PING = 'event: ping\ndata: {"type":"ping"}\n\n';

    test.each([
      [MODELS.openai, COMMENT],
      [MODELS.anthropic, PING],
    ])('of %s are no answer, and charge nothing', async (model, sign) => {
      withPauses([sign, sign, sign]);
      const { apiError, said, done } = await call(
        { model, stream: true, messages: user('x') },
        { baseUrl: upstream.url },
      );
      expect(apiError).toMatchObject({ status: 502 });
      expect([said, done]).toEqual(['', ['hold', 'release']]);
    });

    test('are passed on after the first chunk', async () => {
      const chunk = (delta: object, finish_reason: string | null) =>
        `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }], usage })}\n\n`;
      withPauses([COMMENT, chunk({ content: 'a' }, null), COMMENT, chunk({}, 'stop')]);
      const { said } = await call(body(true), { baseUrl: upstream.url });
      expect(said).toMatch(/^data: .*\n\n: still here\n\ndata: /);
    });
  });
});
