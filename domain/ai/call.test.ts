import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ChatRequest } from '../../contract/ai/chat.ts';
import { ApiError } from '../../contract/errors.ts';
import { startAiEmulators } from '../../local/emulators/ai/ai.ts';
import type { Emulator } from '../../local/emulators/wire.ts';
import { createTransport } from '../../providers/ai/transport.ts';
import type { PlatformKey } from '../../providers/platform-keys/platform-key.ts';
import type { Table } from '../../table/table.ts';
import { keptKey } from '../../test/support/platform-key.ts';
import { newId } from '../ids.ts';
import { ChatCall, type Gateway } from './call.ts';
import { builtInOffer } from './models.ts';

/** Calls end to end, against real HTTP upstreams and a table that only records its requests. */

let standIns: Emulator;
let act: (response: ServerResponse, body: Record<string, unknown>, key: string) => void = (response) =>
  void response.end();
const custom = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { authorization, 'x-api-key': apiKey = authorization } = request.headers;
  act(response, JSON.parse(Buffer.concat(chunks).toString()), String(apiKey));
});
let customUrl = '';

beforeAll(async () => {
  standIns = await startAiEmulators({ pace: { first: 1, next: 0 } });
  custom.listen(0, '127.0.0.1');
  await once(custom, 'listening');
  const address = custom.address();
  customUrl = typeof address === 'object' && address ? `http://127.0.0.1:${address.port}` : '';
});
afterAll(async () => {
  custom.closeAllConnections();
  custom.close();
  await standIns.stop();
});

interface World {
  /** Available credits in rand. */
  credits?: number;
  saved?: boolean;
  upstream?: string;
  /** The platform's key for every provider. */
  platformKey?: PlatformKey;
  /** Milliseconds until a response begins without its answer. */
  keepAliveMs?: number;
}

const OWN_KEY = 'sk-own-0123456789abcdef';

function gateway({
  credits = 100,
  saved = false,
  upstream,
  platformKey = keptKey(OWN_KEY),
  keepAliveMs = 60_000,
}: World) {
  const done: string[] = [];
  let available = credits * 1_000_000;
  const table = {
    updateReturningChanged: async ({
      input,
    }: {
      input: { UpdateExpression?: string; ExpressionAttributeValues?: object };
    }) => {
      const added = JSON.stringify(input.ExpressionAttributeValues ?? {});
      done.push(input.UpdateExpression?.includes('REMOVE') ? 'release' : 'hold');
      const amount = Number(/"N":"(-\d+)"/.exec(added)?.[1] ?? 0);
      available += amount;
      return {
        availableMicroRand: available,
        balanceMicroRand: credits * 1_000_000,
        holds: {},
        keys: {},
        accountId: 'acc_1',
      };
    },
    transact: async (writes: { input: { Item?: { outputTokens?: { N: string } } } }[]) => {
      done.push(`settle ${writes[1]?.input.Item?.outputTokens?.N}`);
    },
    get: async () => undefined,
  };
  const deps: Gateway = {
    ...{ table: table as unknown as Table, now: () => new Date(), newId },
    settings: {
      publicUrl: '',
      appsDomain: '',
      hostArnOf: (id) => id,
      allowLocalWebhooks: false,
      allowLocalRepositories: false,
      webhookRetrySchedule: [],
    },
    commit: async (_writes, output) => output,
    offer: async () => builtInOffer(18),
    platformKey: () => platformKey,
    keyRing: { get: () => (saved ? 'sk-saved-0123456789' : undefined), open: async () => undefined },
    transport: createTransport({ connect: 500, firstByte: 1_200, silence: 700, call: 10_000 }),
    keepAliveMs,
    baseUrls: {
      openai: upstream ?? `${standIns.url}/openai/v1`,
      anthropic: upstream ?? `${standIns.url}/anthropic`,
      mistral: upstream ?? `${standIns.url}/mistral/v1`,
    },
  };
  return { deps, done };
}

/** @param leaveAfter the caller leaves after so many pieces of the response, or when this resolves */
async function call(body: object, world: World = {}, leaveAfter?: number | Promise<unknown>) {
  const { deps, done } = gateway(world);
  const text = JSON.stringify(body);
  const leaving = new AbortController();
  if (typeof leaveAfter === 'object') leaveAfter.then(() => leaving.abort());
  const out: Buffer[] = [];
  let headers: Record<string, string> = {};
  let ended = false;
  const outlet = {
    begin: (given: Record<string, string>) => {
      headers = given;
    },
    write: (bytes: Buffer) => {
      out.push(bytes);
      if (typeof leaveAfter === 'number' && out.length >= leaveAfter) leaving.abort();
      return undefined;
    },
    end: () => {
      ended = true;
      done.push('end');
    },
    signal: leaving.signal,
  };
  const request = ChatRequest().parse(JSON.parse(text));
  const running = new ChatCall(
    deps,
    { accountId: 'acc_1', requestId: 'req_1', startedAt: performance.now(), request, text },
    outlet,
  );
  const told = await running.run().then(
    () => undefined,
    (error: unknown) => error,
  );
  if (told !== undefined && !(told instanceof ApiError)) throw told;
  const said = Buffer.concat(out).toString();
  const frames = said
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: '))
    .map((frame) => (frame === 'data: [DONE]' ? '[DONE]' : JSON.parse(frame.slice(6))));
  return { told, said, frames, headers, ended, done, report: running.report };
}

const MODELS = { openai: 'openai/gpt-4o', anthropic: 'anthropic/claude-sonnet-4-5' };
const user = (content: unknown) => [{ role: 'user', content }];
const contentOf = (frames: { choices?: { delta?: { content?: string } }[] }[]) =>
  frames.map((frame) => frame.choices?.[0]?.delta?.content ?? '').join('');

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
        const { told, said, done } = await call({ model, stream, messages: user(`fault:${fault}`) });
        expect(told).toMatchObject({ status, code });
        expect(told?.retryAfter).toBe(retryAfter);
        expect(told?.message).not.toMatch(/sk-/);
        expect(said).toBe('');
        expect(done).toEqual(['hold', 'release']);
      }
    },
  );

  test('reports a rejected saved key as the caller’s error', async () => {
    for (const fault of ['401', '403']) {
      const { told, done } = await call({ model, messages: user(`fault:${fault}`) }, { saved: true });
      expect(told).toMatchObject({ status: 400, code: 'invalid_request' });
      expect(told?.message).toMatch(id === 'openai' ? /OpenAI/ : /Anthropic/);
      expect(told?.message).not.toMatch(/sk-/);
      // Its place among the calls at once, and no money.
      expect(done).toEqual(['hold', 'release']);
    }
  });

  test('repeats a call once with the key that replaced a refused one, and charges it once', async () => {
    const keys: string[] = [];
    act = (response, _body, key) => {
      keys.push(key.replace('Bearer ', ''));
      const isCurrent = key.endsWith('sk-new');
      response.writeHead(isCurrent ? 200 : 401, { 'content-type': 'application/json' });
      const usage = { prompt_tokens: 1, completion_tokens: 1, input_tokens: 1, output_tokens: 1, total_tokens: 2 };
      const choice = { index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' };
      const answer = { id: 'm', content: [], stop_reason: 'end_turn', choices: [choice], usage };
      response.end(JSON.stringify(isCurrent ? answer : { error: { message: 'invalid key' } }));
    };
    const world = { upstream: customUrl, platformKey: keptKey('sk-old', 'sk-new') };
    const { told, done } = await call({ model, messages: user('x') }, world);
    expect(told).toBeUndefined();
    expect(keys).toEqual(['sk-old', 'sk-new']);
    expect(done).toEqual(['hold', 'end', 'settle 1']);
    keys.length = 0;
    const refused = await call({ model, messages: user('x') }, { ...world, platformKey: keptKey('sk-old') });
    expect(refused.told).toMatchObject({ status: 502 });
    expect(keys).toEqual(['sk-old']);
  });

  test('sells nothing of a provider whose key is not set', async () => {
    const { told, done } = await call({ model, messages: user('x') }, { platformKey: keptKey(undefined) });
    expect(told).toMatchObject({ status: 502, message: expect.stringContaining('cannot be reached through us') });
    expect(done).toEqual([]);
  });

  test.each(['', 'crlf', 'bytes', 'comments', 'unknown-events', 'gzip'])('a stream: %s', async (fault) => {
    const { told, frames, done, headers, report } = await call({
      model,
      stream: true,
      messages: user(`fault:${fault} say exactly: héllo wörld 😀, well`),
    });
    expect(told).toBeUndefined();
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

  test('a stream whose caller asks for the usage ends with a chunk that has nothing else', async () => {
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
      const { told, frames, done, ended, report } = await call({
        model,
        stream: true,
        messages: user(`fault:${fault} hello`),
      });
      expect(told).toBeUndefined();
      expect(contentOf(frames).length).toBeGreaterThan(20);
      expect(frames).not.toContain('[DONE]');
      expect(frames.at(-1)).toEqual({ error: { message: expect.any(String), code: expect.any(String), status } });
      expect(ended).toBe(true);
      expect(done.slice(0, 2)).toEqual(['hold', 'end']);
      expect(Number(done[2]?.split(' ')[1])).toBeGreaterThan(5);
      expect(report.failure).toBeDefined();
    },
  );

  test('a response that breaks off is 502 when it is not streamed', async () => {
    const { told } = await call({ model, messages: user('fault:close-mid') });
    expect(told).toMatchObject({ status: 502 });
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
      const upstream = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
      const body = { model, stream, messages: user('hello '.repeat(400)) };
      const { done, report } = await call(body, { upstream }, asked.promise);
      silent.closeAllConnections();
      silent.close();
      expect(report).toMatchObject({ callerLeft: true, estimated: true, usage: { output: 0 } });
      expect(report.usage?.input).toBeGreaterThan(500);
      expect(done).toEqual(['hold', 'settle 0']);
      const early = await call(body, { upstream }, Promise.resolve());
      expect([early.report.usage, early.done], 'nothing was sent').toEqual([undefined, ['hold', 'release']]);
    },
  );

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

describe('the upstream request', () => {
  const asked = async (body: object, world: World = {}) => {
    let seen: Record<string, unknown> = {};
    act = (response, given) => {
      seen = given;
      response.writeHead(500).end();
    };
    const { headers, told } = await call(body, { ...world, upstream: customUrl });
    return { seen, headers, told };
  };

  test('pass-through under a saved key: unchanged except for the model and usage in the stream', async () => {
    const body = {
      model: 'openai/gpt-4o',
      messages: user('x'),
      seed: 7,
      tools: [{ type: 'function' }],
      stream: true,
      stream_options: { include_usage: false, other: 1 },
    };
    expect((await asked(body, { saved: true })).seen).toEqual({
      ...body,
      model: 'gpt-4o',
      stream_options: { include_usage: true, other: 1 },
    });
    const mistral = {
      model: 'mistral/mistral-small-latest',
      messages: user('x'),
      stream: true,
      stream_options: { include_usage: true },
    };
    const withoutOptions = { model: 'mistral-small-latest', messages: user('x'), stream: true };
    expect((await asked(mistral, { saved: true })).seen).toEqual(withoutOptions);
    expect((await asked(mistral)).seen).toEqual({ ...withoutOptions, max_tokens: 32_768 });
    expect((await asked({ model: 'openai/some/new-model', messages: user('x') }, { saved: true })).seen.model).toBe(
      'some/new-model',
    );
  });

  test('pass-through on credits: the ordinary fields, and one output limit', async () => {
    const body = {
      model: 'openai/gpt-4o',
      messages: user('x'),
      ...{ seed: 7, temperature: 0.5, top_p: 1, stop: ['a'], user: 'u', metadata: { a: 'b' }, logit_bias: { 5: -100 } },
      tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }],
      tool_choice: 'auto',
      response_format: { type: 'json_object' },
      ...{ stream: true, stream_options: { include_usage: false } },
    };
    const given = { ...body, ...{ max_tokens: 5, max_completion_tokens: null, service_tier: null } };
    expect((await asked(given)).seen).toEqual({
      ...{ ...body, model: 'gpt-4o', stream_options: { include_usage: true }, max_completion_tokens: 5 },
    });
  });

  test('Anthropic: system messages in order without empty ones, images and stop sequences translated', async () => {
    const { seen } = await asked({
      model: 'anthropic/claude-sonnet-4-5',
      messages: [
        { role: 'system', content: 'One.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: '' },
            { type: 'image_url', image_url: { url: 'data:image/jpeg;base64,/9j/4AAQ' } },
            { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
          ],
        },
        { role: 'system', content: '' },
        { role: 'assistant', content: '' },
        { role: 'developer', content: [{ type: 'text', text: 'Two.' }] },
        { role: 'user', content: 'Well?' },
      ],
      stop: ['END', '\n'],
      temperature: 0.5,
      top_p: 1,
      tools: [],
      user: null,
    });
    expect(seen).toEqual({
      model: 'claude-sonnet-4-5',
      max_tokens: 16_000,
      system: [
        { type: 'text', text: 'One.' },
        { type: 'text', text: 'Two.' },
      ],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: '/9j/4AAQ' } },
            { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
          ],
        },
        { role: 'user', content: [{ type: 'text', text: 'Well?' }] },
      ],
      stop_sequences: ['END'],
    });
  });

  test('names the fields that are not translated', async () => {
    const { headers } = await call({
      model: MODELS.anthropic,
      messages: user('hi'),
      temperature: 1,
      tools: [],
      stop: ' ',
    });
    expect(headers['x-ignored-parameters']).toBe('temperature, tools, stop');
    expect(headers['x-upstream-latency-ms']).toMatch(/^\d+\.\d$/);
    expect(headers['x-gateway-overhead-ms']).toMatch(/^\d+\.\d$/);
  });

  test('rejects tool messages where they are not translated', async () => {
    const messages = [...user('x'), { role: 'tool', content: 'y', tool_call_id: '1' }];
    expect((await asked({ model: MODELS.anthropic, messages })).told).toMatchObject({
      status: 400,
      message: expect.stringContaining('messages.1.role'),
    });
    expect((await asked({ model: MODELS.openai, messages })).seen.messages).toEqual(messages);
  });

  test.each([
    ['refusal', 'content_filter'],
    ['tool_use', 'tool_calls'],
    ['pause_turn', 'stop'],
    ['model_context_window_exceeded', 'length'],
  ])('maps the stop reason %s to %s', async (stop, finish) => {
    act = (response) =>
      void response.end(
        JSON.stringify({ id: 'm', content: [], stop_reason: stop, usage: { input_tokens: 1, output_tokens: 1 } }),
      );
    const { said } = await call({ model: MODELS.anthropic, messages: user('x') }, { upstream: customUrl });
    expect(JSON.parse(said).choices[0].finish_reason).toBe(finish);
  });
});

test.each([
  ['unknown/x', /there is no provider "unknown"/],
  ['openai/no-such-model', /not sold on credits/],
  ['openrouter/openrouter/auto', /not sold on credits/],
])('rejects %s with 400', async (model, message) => {
  expect((await call({ model, messages: user('x') })).told).toMatchObject({
    status: 400,
    message: expect.stringMatching(message),
  });
});

test('handles a provider that reports an error with status 200', async () => {
  act = (response) => void response.end(JSON.stringify({ error: { code: 429, message: 'slow down' } }));
  const { told } = await call({ model: 'openai/gpt-4o', messages: user('x') }, { upstream: customUrl });
  expect(told).toMatchObject({ status: 429, code: 'rate_limited', retryAfter: 5 });
});

test('accepts a finished response without [DONE]', async () => {
  act = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(
      'data: {"id":"1","model":"m","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]}\n\n',
    );
    response.end(
      'data: {"id":"1","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":3}}\n\n',
    );
  };
  const { frames, report } = await call(
    { model: 'openai/gpt-4o', stream: true, messages: user('x') },
    { upstream: customUrl },
  );
  expect(frames).toHaveLength(3);
  expect(frames.at(-1)).toBe('[DONE]');
  expect(report.usage).toEqual({ input: 1, cached: 0, cacheWrite: 0, output: 2 });
});

describe('where the usage is, whatever the provider streams', () => {
  const chunk = (index: number, delta: object, finish_reason: string | null, more: object = {}) =>
    `data: ${JSON.stringify({ id: '1', model: 'm', choices: [{ index, delta, finish_reason }], ...more })}\n\n`;
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, more: { kept: 1 } };
  const only = `data: ${JSON.stringify({ id: '1', model: 'm', choices: [], usage })}\n\n`;
  const ask = async (frames: string[]) => {
    act = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`${frames.join('')}data: [DONE]\n\n`);
    };
    const body = { model: 'openai/gpt-4o', stream: true, messages: user('x') };
    return (await call(body, { upstream: customUrl })).frames.slice(0, -1);
  };

  test.each([
    ['of two answers', [chunk(0, { content: 'a' }, null), chunk(0, {}, 'stop'), chunk(1, {}, 'stop'), only], 3],
    ['with the usage between them', [chunk(0, {}, 'stop'), only, chunk(1, {}, 'stop')], 2],
    ['with the usage in the last chunk', [chunk(0, { content: 'a' }, null), chunk(0, {}, 'stop', { usage })], 2],
    ['that says "" until the end', [chunk(0, { content: 'a' }, ''), chunk(0, { content: 'b' }, ''), only], 3],
    [
      'with a usage so far in each chunk',
      [chunk(0, { content: 'a' }, null, { usage }), chunk(0, {}, 'stop', { usage })],
      2,
    ],
  ])('a stream %s', async (_, sent, expected) => {
    const frames = await ask(sent);
    expect(frames).toHaveLength(expected);
    expect(frames.at(-1).usage).toEqual(usage);
    for (const frame of frames) expect(frame.choices).toHaveLength(1);
  });
});

describe('a model that takes longer than the edge waits for a byte', () => {
  const slowly = (answer: (response: ServerResponse) => void) => {
    act = (response) => void setTimeout(() => answer(response), 500);
  };
  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
  const completion = {
    model: 'gpt-4o',
    choices: [{ index: 0, message: { role: 'assistant', content: 'late' } }],
    usage,
  };
  const body = (stream: boolean) => ({ model: MODELS.openai, messages: user('Hello'), ...(stream ? { stream } : {}) });
  const world = () => ({ upstream: customUrl, keepAliveMs: 120 });

  test('answers with spaces before the document, which is charged once', async () => {
    slowly((response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(completion));
    });
    const { said, headers, ended, done } = await call(body(false), world());
    expect(said).toMatch(/^ {2,5}\{/);
    expect(JSON.parse(said)).toMatchObject({ choices: [{ message: { content: 'late' } }] });
    expect(headers).toEqual({ 'content-type': 'application/json; charset=utf-8' });
    expect([ended, done]).toEqual([true, ['hold', 'end', 'settle 2']]);
  });

  test('tells a failure in the body, and charges nothing', async () => {
    slowly((response) => void response.writeHead(500).end('{}'));
    const { told, said, done } = await call(body(false), world());
    expect(told).toBeUndefined();
    expect(JSON.parse(said)).toEqual({ error: { message: expect.any(String), code: 'server_error', status: 502 } });
    expect(done).toEqual(['hold', 'end', 'release']);
  });

  test('streams comments, then the frames', async () => {
    slowly((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const chunk = { choices: [{ index: 0, delta: { content: 'late' } }] };
      response.end(
        `data: ${JSON.stringify(chunk)}\n\ndata: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`,
      );
    });
    const { said, frames, headers } = await call(body(true), world());
    expect(said).toMatch(/^(: waiting for the model\n\n){2,5}data: /);
    expect(headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(contentOf(frames)).toBe('late');
    expect(frames.at(-1)).toBe('[DONE]');
  });

  test('fails a stream without an answer in a frame, and charges nothing', async () => {
    slowly((response) => void response.writeHead(500).end('{}'));
    const { frames, done } = await call(body(true), world());
    expect(frames).toEqual([{ error: { message: expect.any(String), code: 'server_error', status: 502 } }]);
    expect(done).toEqual(['hold', 'end', 'release']);
  });
});
