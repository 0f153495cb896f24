import { expect, test } from 'vitest';
import { parseAs } from '../../runtime/http/input.ts';
import { ChatRequest } from './chat.ts';

const good = { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'hi' }] };
const image = (url: unknown) => ({
  ...good,
  messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
});

test.each<[string, object, RegExp]>([
  ['no model', { messages: good.messages }, /^model: is required/],
  ['a model that is a number', { ...good, model: 4 }, /^model: must be a string/],
  ['a model without /', { ...good, model: 'gpt-4o' }, /^model: must be <provider>\/<model>/],
  ['an empty model', { ...good, model: '' }, /^model: /],
  ['a model with nothing behind /', { ...good, model: 'openai/' }, /^model: /],
  ['no messages', { model: good.model }, /^messages: is required/],
  ['messages null', { ...good, messages: null }, /^messages: must be an array/],
  ['empty messages', { ...good, messages: [] }, /^messages: must not be empty/],
  ['messages that are none', { ...good, messages: ['hi'] }, /^messages\.0: must be an object/],
  ['no role', { ...good, messages: [{ content: 'x' }] }, /^messages\.0\.role: is required/],
  [
    'a wrong role',
    { ...good, messages: [...good.messages, { role: 'robot', content: 'x' }] },
    /^messages\.1\.role: must be one of system, user, assistant/,
  ],
  ['no content', { ...good, messages: [{ role: 'user' }] }, /^messages\.0\.content: is required/],
  [
    'content of the wrong type',
    { ...good, messages: [{ role: 'user', content: 5 }] },
    /^messages\.0\.content: must be a string or/,
  ],
  ['content an object', { ...good, messages: [{ role: 'user', content: { text: 'x' } }] }, /^messages\.0\.content: /],
  ['a part that is none', { ...good, messages: [{ role: 'user', content: ['x'] }] }, /^messages\.0\.content\.0: /],
  [
    'text that is none',
    { ...good, messages: [{ role: 'user', content: [{ type: 'text', text: 1 }] }] },
    /^messages\.0\.content\.0\.text: /,
  ],
  ['an image without url', image(undefined), /^messages\.0\.content\.0\.image_url\.url: must be a string/],
  ['an image that is no address', image('cat.png'), /^messages\.0\.content\.0\.image_url\.url: must be an http/],
  ['an image that is text', image('data:text/plain;base64,aGVsbG8='), /image_url\.url: must be one of image\/png/],
  ['an image that is no base64', image('data:image/png;base64,%%%'), /image_url\.url: must hold base64/],
  ['an image that says it is one', image('data:image/png;base64,aGVsbG8gd29ybGQ='), /image_url\.url: is not an image/],
  ['an image of nothing', image('data:image/png;base64,'), /image_url\.url: /],
  ['max_tokens 0', { ...good, max_tokens: 0 }, /^max_tokens: must be at least 1/],
  ['max_tokens -1', { ...good, max_tokens: -1 }, /^max_tokens: must be at least 1/],
  ['max_tokens 10^9', { ...good, max_tokens: 1e9 }, /^max_tokens: must be at most/],
  ['max_tokens 1.5', { ...good, max_tokens: 1.5 }, /^max_tokens: /],
  ['max_tokens a string', { ...good, max_tokens: '10' }, /^max_tokens: /],
  ['n 0', { ...good, n: 0 }, /^n: /],
  ['stream a string', { ...good, stream: 'yes' }, /^stream: must be a boolean/],
  ['stop a number', { ...good, stop: 1 }, /^stop: must be a string or an array of strings/],
  ['an array', [], /^body: /],
])('rejects %s with 400 naming the field', (_what, body, message) => {
  expect(() => parseAs(ChatRequest, body, 'body')).toThrow(message);
});

test('rejects a message that is nested too deeply to be serialized again', () => {
  let deep: unknown = 1;
  for (let level = 0; level < 20_000; level += 1) deep = [deep];
  const body = { ...good, messages: [...good.messages, { role: 'user', content: 'x', more: deep }] };
  expect(() => parseAs(ChatRequest, body, 'body')).toThrow(/^messages\.1: must not be nested so deeply/);
});

test.each<[string, object]>([
  ['unknown fields', { ...good, seed: 1, tools: [], metadata: { a: 1 } }],
  ['nulls', { ...good, stop: null, max_tokens: null, stream: null, stream_options: null, n: null }],
  [
    'a tool call without content',
    {
      ...good,
      messages: [
        ...good.messages,
        { role: 'assistant', content: null, tool_calls: [{}] },
        { role: 'tool', content: 'x' },
      ],
    },
  ],
  ['an image', image('https://example.com/cat.png')],
  ['an image of a few bytes', image('data:image/png;base64,AAAA')],
])('accepts %s', (_what, body) => {
  expect(parseAs(ChatRequest, body, 'body')).toEqual(body);
});
