import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ChatRequest } from '../../contract/ai/chat.ts';
import type { Adapter } from './adapter.ts';
import { anthropic } from './anthropic.ts';
import { ProviderFailure } from './failures.ts';
import { openAiCompatible } from './openai-compatible.ts';
import { PROVIDERS } from './registry.ts';

/** Streams with a few broken bytes. A piece is translated inside the connection's own events, where an error has no caller. */

const request = ChatRequest().parse({ model: 'openai/m', stream: true, messages: [{ role: 'user', content: 'x' }] });
const usage = { prompt_tokens: 1, completion_tokens: 3, total_tokens: 4 };

const askOf = (provider: keyof typeof PROVIDERS) => ({
  provider: PROVIDERS[provider],
  text: '',
  request,
  upstream: 'm',
  outputLimit: undefined,
  modelLimit: undefined,
  estimate: (output: number) => ({ input: 1, cached: 0, cacheWrite: 0, output }),
});

/** Reads a stream as a call does. @returns the text that the caller receives, and the failure, where there is one */
function translate(adapter: Adapter, provider: keyof typeof PROVIDERS, stream: Buffer) {
  const translator = adapter.stream(askOf(provider));
  let text = translator.push(stream).toString();
  try {
    if (!translator.done && !translator.failure) text += translator.end().toString();
  } catch (error) {
    return { text, failure: error };
  }
  return { text, failure: translator.failure };
}

const frame = (data: object, event = '') => `${event && `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) =>
  frame({
    id: '1',
    object: 'chat.completion.chunk',
    model: 'm',
    choices: [{ index: 0, delta, finish_reason }],
    ...more,
  });
const call = { index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":"\\n"}' } };
const DONE = 'data: [DONE]\n\n';

const STREAMS: [string, Adapter, keyof typeof PROVIDERS, string][] = [
  ['usage apart', openAiCompatible, 'openai', `${chunk({ content: 'a' })}${chunk({}, 'stop')}${DONE}`],
  ['usage within', openAiCompatible, 'groq', `${chunk({ content: 'a"\n' })}${chunk({}, 'stop', { usage })}${DONE}`],
  ['tool calls', openAiCompatible, 'mistral', `${chunk({ tool_calls: [call] })}${chunk({}, 'tool_calls')}${DONE}`],
  ['parts', openAiCompatible, 'mistral', `${chunk({ content: [{ type: 'text', text: 'a' }] })}${chunk({}, 'stop')}`],
  [
    'events',
    anthropic,
    'anthropic',
    [
      frame({ type: 'message_start', message: { id: '1', usage: { input_tokens: 1, output_tokens: 1 } } }),
      frame({ type: 'content_block_delta', delta: { type: 'text_delta', text: 'a' } }, 'content_block_delta'),
      frame({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } }),
      frame({ type: 'message_stop' }),
    ].join(''),
  ],
];

test.each(STREAMS)('%s: whatever breaks in a stream, its failure is the provider’s', (_, adapter, provider, stream) => {
  expect(translate(adapter, provider, Buffer.from(stream)).failure).toBeUndefined();
  const signs = fc.constantFrom('\\', '"', '{', '}', '[', ']', ',', ':', 'q', 'u', '0', '\u0000', '\n', '');
  const breaks = fc.array(fc.tuple(fc.nat(stream.length - 1), signs), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(breaks, (at) => {
      const broken = at.reduce((text, [from, sign]) => text.slice(0, from) + sign + text.slice(from + 1), stream);
      const { failure } = translate(adapter, provider, Buffer.from(broken));
      if (failure !== undefined) expect(failure).toBeInstanceOf(ProviderFailure);
    }),
    { numRuns: 2000 },
  );
});

test.each([
  [openAiCompatible, 'openai'],
  [anthropic, 'anthropic'],
] as const)('a frame that never ends is the provider’s failure before the stream ends', (adapter, provider) => {
  const translator = adapter.stream(askOf(provider));
  translator.push(Buffer.alloc(32 * 1024 ** 2 + 1, 'x'));
  expect(translator.failure).toEqual(new ProviderFailure('broken', {}));
});

test.each([
  [openAiCompatible, 'openai', 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"a\\q":1}\n\n'],
  [anthropic, 'anthropic', frame({ type: 'message_delta', delta: { stop_reason: 'end_turn' } })],
] as const)('an answer of only its end is the provider’s failure if nothing follows: %#', (adapter, provider, end) => {
  const translator = adapter.stream(askOf(provider));
  translator.push(Buffer.from(end));
  expect(translator.isFinished).toBe(true);
  expect(() => translator.end()).toThrow(new ProviderFailure('broken', {}));
});

test('a held last chunk that is not valid JSON ends the stream with an error', () => {
  const last = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"a\\q":1}\n\n';
  for (const end of [DONE, '']) {
    const { text, failure } = translate(
      openAiCompatible,
      'openai',
      Buffer.from(`${chunk({ content: 'a' })}${last}${end}`),
    );
    expect(failure).toMatchObject({ kind: 'broken' });
    expect(text).not.toContain('stop');
    expect(text).not.toContain('[DONE]');
  }
});

test.each(STREAMS)('%s: a document that is split over several lines of data is passed on as one line', (...stream) => {
  const [, adapter, provider, text] = stream;
  const split = text.replaceAll(/^data: (\{.*)$/gm, (_, json: string) =>
    JSON.stringify(JSON.parse(json), null, 1).replaceAll(/^/gm, 'data: '),
  );
  const documents = (bytes: string) => {
    const frames = translate(adapter, provider, Buffer.from(bytes)).text.replaceAll(/"created":\d+/g, '"created":0');
    return frames.split('\n\n').map((each) => (/^data: \{.*$/.test(each) ? JSON.parse(each.slice(6)) : each));
  };
  expect(documents(split)).toEqual(documents(text));
});

test('a text of Anthropic’s before the start of its message is the provider’s failure, and is not passed on', () => {
  const [, , , text] = STREAMS.at(-1) ?? expect.fail('no stream of Anthropic’s');
  const { text: passed, failure } = translate(anthropic, 'anthropic', Buffer.from(text.slice(text.indexOf('event:'))));
  expect([passed, failure]).toEqual(['', new ProviderFailure('broken', {})]);
});

test.each([[{ text: 'a', index: 0 }], [{ message: 'a' }], [{ message: ['a'] }], [null]])(
  'an answer with the choice %j, which has no message, is the provider’s failure',
  (choice) => {
    const answer = Buffer.from(JSON.stringify({ id: '1', choices: [{ message: { content: 'a' } }, choice], usage }));
    expect(() => openAiCompatible.answer(answer, askOf('together'))).toThrow(new ProviderFailure('broken', {}));
  },
);
