import { expect, test } from 'vitest';
import { call, contentOf, MODELS, startProviders, upstream, user } from '../../test/support/ai-calls.ts';

/** Tests of unusual answers of Anthropic, whose format the gateway translates. */

startProviders();

const answered = async (body: string, stream = false) => {
  upstream.act = (response) => {
    response.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' }).end(body);
  };
  return await call({ model: MODELS.anthropic, stream, messages: user('x') }, { baseUrl: upstream.url });
};
const OVERLOADED = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
const content = [
  { type: 'thinking', thinking: 'hm' },
  { type: 'text', text: 'a' },
  { type: 'text', text: 'b' },
];

test.each<[string, unknown, status: number]>([
  ['an error', OVERLOADED, 429],
  ['no content', { type: 'message', usage: { input_tokens: 1, output_tokens: 1 } }, 502],
  ['a text', 'x', 502],
])('a whole answer that is none is free: %s', async (_what, body, status) => {
  const { apiError, done } = await answered(JSON.stringify(body));
  expect(apiError).toMatchObject({ status });
  expect(done).toEqual(['hold', 'release']);
});

test('refuses an image in a system message, which would be dropped, and names the field', async () => {
  const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
  const { apiError, done } = await call({
    model: MODELS.anthropic,
    messages: [{ role: 'system', content: [image] }, ...user('x')],
  });
  expect(apiError).toMatchObject({ status: 400, message: expect.stringContaining('messages.0.content') });
  expect(done).toEqual([]);
});

test.each<[object, estimated: boolean]>([
  [{ input_tokens: 9, output_tokens: 7 }, false],
  [{ input_tokens: 9 }, true],
  [{ output_tokens: 7 }, true],
  [{}, true],
])(
  'a whole answer has the text of its blocks, and an estimated usage unless it reports one: %j',
  async (usage, estimated) => {
    const { said, report } = await answered(JSON.stringify({ id: 'msg_1', content, stop_reason: 'max_tokens', usage }));
    const choice = { message: { content: 'ab' }, finish_reason: 'length' };
    expect(JSON.parse(said)).toMatchObject({ id: 'msg_1', model: MODELS.anthropic, choices: [choice] });
    expect(report).toMatchObject({ estimated, usage: { output: estimated ? 1 : 7 } });
  },
);

const events = (...documents: object[]) => documents.map((each) => `data: ${JSON.stringify(each)}\n\n`).join('');
const started = (usage: object) => ({ type: 'message_start', message: { id: 'msg_1', usage } });
const delta = (text: string) => ({ type: 'content_block_delta', delta: { type: 'text_delta', text } });
const ended = (usage: object) => ({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage });
const STOP = { type: 'message_stop' };

test.each<[string, object[], estimated: boolean, output: number]>([
  ['all counts', [started({ input_tokens: 9 }), delta('hello'), ended({ output_tokens: 7 }), STOP], false, 7],
  ['no prompt', [started({}), delta('hello'), ended({ output_tokens: 7 }), STOP], true, 7],
  ['no final output', [started({ input_tokens: 9, output_tokens: 1 }), delta('hello'), ended({}), STOP], true, 2],
])('the usage of a stream is estimated as far as it is not reported: %s', async (_what, sent, estimated, output) => {
  const { frames, report } = await answered(events(...sent), true);
  expect([contentOf(frames), frames.at(-1)]).toEqual(['hello', '[DONE]']);
  expect(report).toMatchObject({ estimated, usage: { output } });
});

test.each<[string, object[]]>([
  ['an error', [started({ input_tokens: 9 }), delta('a'), OVERLOADED, delta('b'), ended({}), STOP]],
  ['its end', [started({ input_tokens: 9 }), delta('a'), ended({ output_tokens: 1 }), STOP, delta('b')]],
  ['a cut', [started({ input_tokens: 9 }), delta('a')]],
])('nothing of a stream is passed on after %s, and what was passed on is charged', async (what, sent) => {
  const { said: text, frames, done, report } = await answered(events(...sent), true);
  expect(contentOf(frames)).toBe('a');
  expect(text.endsWith('[DONE]\n\n')).toBe(what === 'its end');
  expect(report.failure?.kind).toBe({ 'an error': 'overloaded', 'a cut': 'broken' }[what]);
  expect(done).toEqual(['hold', 'end', 'settle 1']);
});
