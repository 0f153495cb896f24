import { describe, expect, test } from 'vitest';
import { call, startProviders, upstream, user } from '../../test/support/ai-calls.ts';
import { keptKey } from '../../test/support/platform-key.ts';

/** Calls that providers refuse, in their various formats. */

startProviders();

const XAI = 'xai/grok-4.3';

test("passes on the provider's message about refused content, and charges the prompt if the provider does", async () => {
  for (const stream of [false, true]) {
    const body = { model: XAI, stream, messages: user(`fault:content-refused ${'words '.repeat(100)}`) };
    const { apiError, done, report } = await call(body);
    expect(apiError).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(apiError?.message).toMatch(/^xAI refused the request: Content violates usage guidelines\. Model: .*_BIO\./);
    expect(report).toMatchObject({ estimated: true, usage: { output: 0 }, failure: { kind: 'content-refused' } });
    expect(report.usage?.input).toBeGreaterThan(100);
    expect(report.chargedMicroRand).toBeGreaterThan(0);
    expect(done).toEqual(['hold', 'settle 0']);
  }
});

test.each([XAI, 'openrouter/openrouter/auto'])(
  'does not take a refusal of content for one of the saved key (%s)',
  async (model) => {
    const { apiError, done } = await call({ model, messages: user('fault:content-refused') }, { saved: true });
    expect(apiError).toMatchObject({
      status: 400,
      message: expect.stringMatching(/refused the request: (Cont|Your chosen)/),
    });
    expect(done).toEqual(['hold', 'release']);
  },
);

test('releases the hold before the caller gets the refusal, because the caller may retry immediately', async () => {
  const body = { model: 'mistral/mistral-large-2512', messages: user('x'), user: 'u-1' };
  const { doneBeforeEnd, done } = await call(body);
  expect([doneBeforeEnd, done]).toEqual([
    ['hold', 'release'],
    ['hold', 'release'],
  ]);
});

test.each([true, false])(
  'names the field that a provider with a closed schema refuses (saved key: %s)',
  async (saved) => {
    const body = { model: 'mistral/mistral-large-2512', messages: user('x'), user: 'u-1' };
    const { apiError, done } = await call(body, { saved });
    const message = expect.stringMatching(/^Mistral AI refused the request: user: Extra inputs are not permitted/);
    expect(apiError).toMatchObject({ status: 400, code: 'invalid_request', message });
    expect(done).toEqual(['hold', 'release']);
  },
);

describe.each([
  ['google/gemini-2.5-flash', 'key-refused', /^Google refused your saved key \(400\)/],
  [XAI, 'key-refused', /^xAI refused your saved key \(400\)/],
  [XAI, 'credit-used-up', /^The credit or the spending limit of your account with xAI is used up \(429\)/],
  ['openai/gpt-4o', 'credit-used-up', /^The credit or .* with OpenAI is used up \(429\)/],
  ['anthropic/claude-sonnet-4-5', 'credit-used-up', /^The credit or .* with Anthropic is used up \(400\)/],
])('%s: %s', (model, fault, words) => {
  const body = { model, messages: user(`fault:${fault}`) };

  test('is the platform’s fault on credits, and free', async () => {
    const { apiError, done, report } = await call(body);
    expect(apiError).toMatchObject({ status: 502, message: expect.stringContaining('is not available on credits') });
    expect(report.failure).toMatchObject({ kind: fault });
    expect(done).toEqual(['hold', 'release']);
  });

  test('names the owner’s account for a saved key, and reveals nothing of the key', async () => {
    const { apiError } = await call(body, { saved: true });
    expect(apiError).toMatchObject({ status: 400, code: 'invalid_request', message: expect.stringMatching(words) });
    expect(apiError?.message).not.toMatch(/xa\*|team/);
  });
});

test('retries with the key that replaced a key refused with 400', async () => {
  const keys: string[] = [];
  upstream.act = (response, _body, key) => {
    keys.push(key);
    const message = 'API key expired. Please renew the API key.';
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify([{ error: { message } }]));
  };
  const world = { baseUrl: upstream.url, platformKey: keptKey('sk-old', 'sk-new') };
  await call({ model: 'google/gemini-2.5-flash', messages: user('x') }, world);
  expect(keys).toEqual(['Bearer sk-old', 'Bearer sk-new']);
});

test('a refused key stays the failure if its replacement cannot be read', async () => {
  upstream.act = (response) => void response.writeHead(401).end('{}');
  const platformKey = { ...keptKey('sk-old'), replacementOf: () => Promise.reject(new Error('no secrets')) };
  const body = { model: 'google/gemini-2.5-flash', messages: user('x') };
  const { apiError, done, report } = await call(body, { baseUrl: upstream.url, platformKey });
  expect(apiError).toMatchObject({ status: 502, message: expect.stringContaining('is not available on credits') });
  expect(report).toMatchObject({ failure: { kind: 'key-refused' }, keyError: 'Error: no secrets' });
  expect(done).toEqual(['hold', 'release']);
});

test.each<[string, { saved?: boolean }, status: number]>([
  ['a saved key is refused', { saved: true }, 401],
  ['the provider is overloaded', {}, 429],
  ['the provider fails', {}, 500],
  ['the request is refused', {}, 400],
])('sends a call once, and with no other key, if %s', async (_what, { saved = false }, status) => {
  const keys: string[] = [];
  upstream.act = (response, _body, key) => {
    keys.push(key);
    response.writeHead(status, { 'content-type': 'application/json' }).end('{"error":{"message":"No."}}');
  };
  const world = { saved, baseUrl: upstream.url, platformKey: keptKey('sk-old', 'sk-new') };
  const { done } = await call({ model: 'mistral/mistral-large-2512', messages: user('x') }, world);
  expect(keys).toEqual([saved ? 'Bearer sk-saved-0123456789' : 'Bearer sk-old']);
  expect(done).toEqual(['hold', 'release']);
});

test('a refusal of the content is free at a provider that does not bill it', async () => {
  upstream.act = (response) => {
    const error = { code: 403, message: 'Refused', metadata: { reasons: ['a'], flagged_input: 'b' } };
    response.writeHead(403, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
  };
  const model = 'openrouter/deepseek/deepseek-chat-v3.1';
  const { done, report } = await call({ model, messages: user('x') }, { saved: true, baseUrl: upstream.url });
  expect(report).toMatchObject({ failure: { kind: 'content-refused' }, usage: undefined });
  expect(done).toEqual(['hold', 'release']);
});

test('a document in place of a stream has the kind of the failure that it reports', async () => {
  const error = { code: 429, message: 'Wait.' };
  upstream.act = (response) => {
    response.writeHead(200, { 'content-type': 'Application/JSON' }).end(JSON.stringify({ error }));
  };
  const body = { model: 'mistral/mistral-large-2512', stream: true, messages: user('x') };
  const { apiError, done } = await call(body, { baseUrl: upstream.url });
  expect(apiError).toMatchObject({ status: 429, code: 'rate_limited' });
  expect(done).toEqual(['hold', 'release']);
});

test.each([true, false])('masks the key that was sent, whatever its form (in a stream: %s)', async (stream) => {
  const key = 'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY';
  const said = JSON.stringify({ error: { message: `Key ${key} may not use tools.`, code: 400 } });
  upstream.act = (response) => {
    if (stream) response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${said}\n\n`);
    else response.writeHead(400, { 'content-type': 'application/json' }).end(said);
  };
  const world = { baseUrl: upstream.url, platformKey: keptKey(key) };
  const {
    apiError,
    said: answer,
    report,
  } = await call({ model: 'mistral/mistral-large-2512', stream, messages: user('x') }, world);
  expect(report.failure?.words).toBe('Key [key] may not use tools.');
  expect(`${apiError?.message} ${answer}`).not.toContain('may not');
});

test("truncates a provider's long message without revealing a part of the key", async () => {
  const key = 'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY';
  const message = `${'no '.repeat(330)}${key} ${'more '.repeat(500)}`;
  upstream.act = (response) => {
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message } }));
  };
  const world = { baseUrl: upstream.url, platformKey: keptKey(key) };
  const { report } = await call({ model: 'mistral/mistral-large-2512', messages: user('x') }, world);
  expect(report.failure?.words).toBe(`${'no '.repeat(330)}[key] more…`);
});

describe('an answer that Google blocks has the finish reason content_filter, and no text', () => {
  const model = 'google/gemini-2.5-flash';
  const usage = { prompt_tokens: 9, completion_tokens: 0, total_tokens: 9 };
  const blocked = { index: 0, finish_reason: 'content_filter: PROHIBITED_CONTENT' };
  const filtered = { index: 0, finish_reason: 'content_filter' };

  test('as a whole', async () => {
    upstream.act = (response) => void response.end(JSON.stringify({ id: '1', choices: [blocked], usage }));
    const { said, done } = await call({ model, messages: user('x') }, { baseUrl: upstream.url });
    const message = { role: 'assistant', content: null };
    expect(JSON.parse(said)).toMatchObject({ object: 'chat.completion', choices: [{ ...filtered, message }], usage });
    expect(done).toEqual(['hold', 'end', 'settle 0']);
  });

  test.each([{}, { stream_options: { include_usage: true } }])(
    'in a stream, at its start or later: %j',
    async (more) => {
      const head = { id: '1', object: 'chat.completion.chunk', created: 1, model: 'm' };
      const text = { index: 0, delta: { role: 'assistant', content: 'a' } };
      for (const choices of [[blocked], [text, blocked]]) {
        upstream.act = (response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          const chunks = choices.map((choice) => ({ ...head, choices: [choice], usage }));
          response.end(`${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`);
        };
        const body = { model, stream: true, messages: user('x'), ...more };
        const { frames } = await call(body, { baseUrl: upstream.url });
        expect(frames.at(choices.length - 1)).toMatchObject({ choices: [{ ...filtered, delta: {} }] });
        expect(frames.at(-2)).toMatchObject({ usage });
        expect(frames.at(-1)).toBe('[DONE]');
      }
    },
  );
});
