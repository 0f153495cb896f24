import { describe, expect, test } from 'vitest';
import { call, startProviders, upstream, user } from '../../test/support/ai-calls.ts';

/** Tests of the usage in unusual streams. */

startProviders();

describe('reads the usage wherever the provider streams it', () => {
  const chunk = (index: number, delta: object, finish_reason: string | null, more: object = {}) =>
    `data: ${JSON.stringify({ id: '1', model: 'm', choices: [{ index, delta, finish_reason }], ...more })}\n\n`;
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, more: { kept: 1 } };
  const thought = {
    prompt_tokens: 100,
    completion_tokens: 9,
    total_tokens: 309,
    completion_tokens_details: { reasoning_tokens: 200 },
  };
  const only = `data: ${JSON.stringify({ id: '1', model: 'm', choices: [], usage })}\n\n`;
  const nothing = `data: ${JSON.stringify({ id: '1', model: 'm', choices: null, usage })}\n\n`;
  const bare = `data: ${JSON.stringify({ id: '1', model: 'm', usage })}\n\n`;
  const ask = async (frames: string[], more: object = {}) => {
    upstream.act = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`${frames.join('')}data: [DONE]\n\n`);
    };
    const body = { model: 'openai/gpt-4o', stream: true, messages: user('x'), ...more };
    return (await call(body, { baseUrl: upstream.url })).frames.slice(0, -1);
  };

  test.each([
    ['of two answers', [chunk(0, { content: 'a' }, null), chunk(0, {}, 'stop'), chunk(1, {}, 'stop'), only], 3],
    ['with the usage between them', [chunk(0, {}, 'stop'), only, chunk(1, {}, 'stop')], 2],
    ['with the usage in the last chunk', [chunk(0, { content: 'a' }, null), chunk(0, {}, 'stop', { usage })], 2],
    ['with the usage in an empty chunk', [chunk(0, {}, 'stop'), chunk(0, { content: '' }, null, { usage })], 2],
    ['whose usage has no member for choices', [chunk(0, { content: 'a' }, null), chunk(0, {}, 'stop'), bare], 2],
    ['that has the usage without choices', [chunk(0, { content: 'a' }, null), chunk(0, {}, 'stop'), nothing], 2],
    ['that says "" until the end', [chunk(0, { content: 'a' }, ''), chunk(0, { content: 'b' }, ''), only], 3],
    [
      'with a usage so far in each chunk',
      [chunk(0, { content: 'a' }, null, { usage }), chunk(0, {}, 'stop', { usage })],
      2,
    ],
    ['with a usage so far between the chunks', [chunk(0, { content: 'a' }, null), only, chunk(0, {}, 'stop'), only], 2],
  ])('a stream %s has it once, at its end', async (_, sent, expected) => {
    const isWithUsage = (frame: { usage?: object | null }) => Boolean(frame.usage);
    const frames = await ask(sent);
    expect(frames).toHaveLength(expected);
    expect(frames.at(-1).usage).toEqual(usage);
    expect(frames.filter(isWithUsage)).toHaveLength(1);
    for (const frame of frames) expect(frame.choices).toHaveLength(1);
    const asked = await ask(sent, { stream_options: { include_usage: true } });
    expect(asked.at(-1)).toMatchObject({ id: '1', choices: [], usage });
    expect(asked.filter(isWithUsage)).toHaveLength(1);
    for (const frame of asked.slice(0, -1)) expect(frame.choices).toHaveLength(1);
  });

  test.each<[string, string[] | undefined, object, object?]>([
    ['streamed, with the reason', [chunk(0, { content: 'a' }, null), chunk(0, {}, 'stop', { usage: thought })], {}],
    ['streamed, alone', [chunk(0, {}, 'stop'), `data: ${JSON.stringify({ choices: [], usage: thought })}\n\n`], {}],
    [
      'streamed, as asked for',
      [chunk(0, {}, 'stop'), `data: ${JSON.stringify({ choices: [], usage: thought })}\n\n`],
      { stream_options: { include_usage: true } },
    ],
    ['whole', undefined, {}],
    ['whole, and only thinking', undefined, {}, { prompt_tokens: 100, total_tokens: 309 }],
  ])(
    'has thinking as output, which is charged, where the provider has it in the total alone: %s',
    async (_, sent, more, usage = thought) => {
      upstream.act = (response) => {
        response.writeHead(200, { 'content-type': sent ? 'text/event-stream' : 'application/json' });
        const message = { role: 'assistant', content: 'a' };
        response.end(sent ? `${sent.join('')}data: [DONE]\n\n` : JSON.stringify({ choices: [{ message }], usage }));
      };
      const body = { model: 'xai/grok-4.3', messages: user('x'), ...(sent ? { stream: true } : {}), ...more };
      const { said, frames, report } = await call(body, { baseUrl: upstream.url });
      const answer = sent ? frames.at(-2) : JSON.parse(said);
      expect(answer.usage).toEqual({ ...usage, completion_tokens: 209 });
      expect(report.usage?.output).toBe(209);
    },
  );

  test('a stream that ends after an empty finish reason is not complete', async () => {
    upstream.act = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(chunk(0, { content: 'a' }, ''));
    };
    const body = { model: 'openai/gpt-4o', stream: true, messages: user('x') };
    const { frames } = await call(body, { baseUrl: upstream.url });
    expect(frames).toMatchObject([{ choices: [{ delta: { content: 'a' } }] }, { error: { status: 502 } }]);
  });
});
