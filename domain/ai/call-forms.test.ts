import { describe, expect, test } from 'vitest';
import { AI_PROVIDER_IDS } from '../../contract/enums.ts';
import { call, startProviders, upstream, user } from '../../test/support/ai-calls.ts';

/** Tests of providers that deviate from the format of chat completions, and of the caller's response. */

startProviders();

const MISTRAL = 'mistral/mistral-large-2512';
const LLAMA = 'together/meta-llama/Llama-3.3-70B-Instruct-Turbo';

let last: Awaited<ReturnType<typeof call>>;
/** Returns the deltas that a caller gets for a provider's deltas, without other fields. */
async function streamed(model: string, deltas: object[], finish_reason = 'tool_calls', others: object = {}) {
  const head = { id: '1', object: 'chat.completion.chunk', created: 1, model: 'm', ...others };
  const choices = [...deltas.map((delta) => ({ index: 0, delta })), { index: 0, delta: {}, finish_reason }];
  upstream.act = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const choice of choices) response.write(`data: ${JSON.stringify({ ...head, choices: [choice] })}\n\n`);
    response.end('data: [DONE]\n\n');
  };
  last = await call({ model, stream: true, messages: user('x') }, { baseUrl: upstream.url });
  return last.frames.slice(0, -2).map((frame) => frame.choices[0].delta);
}

describe('a provider that omits fields of the format', () => {
  const usage = { prompt_tokens: 2, completion_tokens: 3 };
  const whole = { ...usage, total_tokens: 5 };
  const format = { id: expect.stringMatching(/^chatcmpl-/), created: expect.any(Number), model: 'openai/gpt-4o' };

  test('the caller gets a complete completion', async () => {
    const sent = {
      object: 'text_completion',
      choices: [{ message: { content: 'a' } }, { message: { tool_calls: [{ id: 't' }] } }],
      usage,
      own: 1,
    };
    upstream.act = (response) => void response.end(JSON.stringify(sent));
    const { said } = await call({ model: 'openai/gpt-4o', messages: user('x') }, { baseUrl: upstream.url });
    expect(JSON.parse(said)).toEqual({
      ...format,
      object: 'chat.completion',
      usage: whole,
      own: 1,
      choices: [
        { index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: 'stop' },
        {
          index: 1,
          message: { role: 'assistant', content: null, tool_calls: [{ id: 't' }] },
          finish_reason: 'tool_calls',
        },
      ],
    });
  });

  test('the caller gets complete chunks with one model name', async () => {
    const chunks = [{ delta: { content: 'a' } }, { delta: {}, finish_reason: 'stop' }];
    const sent = [
      ...chunks.map((choice) => ({ object: 'chat.completion', choices: [choice] })),
      { choices: [], usage },
    ];
    upstream.act = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`${sent.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`);
    };
    const body = { model: 'openai/gpt-4o', stream: true, messages: user('x') };
    const { frames } = await call(body, { baseUrl: upstream.url });
    const chunk = { ...format, object: 'chat.completion.chunk' };
    expect(frames).toEqual([
      { ...chunk, choices: [{ index: 0, delta: { content: 'a' } }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: whole },
      '[DONE]',
    ]);
    expect(frames[0].id).toBe(frames[1].id);
  });

  const call1 = { id: 'gSIMJiOkT', function: { name: 'f', arguments: '{}' } };

  test('the caller gets the type of tool calls', async () => {
    const message = { role: 'assistant', content: '', tool_calls: [{ ...call1, index: 0 }] };
    const sent = { id: 'b', choices: [{ index: 0, message, finish_reason: 'tool_calls' }], usage };
    upstream.act = (response) => void response.end(JSON.stringify(sent));
    const { said } = await call({ model: MISTRAL, messages: user('x') }, { baseUrl: upstream.url });
    expect(JSON.parse(said).choices[0].message.tool_calls).toEqual([{ ...call1, index: 0, type: 'function' }]);
  });

  test('the caller gets the type of each streamed tool call once', async () => {
    const deltas = [
      { role: 'assistant', content: '' },
      { tool_calls: [{ ...call1, index: 0 }] },
      { tool_calls: [{ index: 0, function: { arguments: ' ' } }] },
      { tool_calls: [{ ...call1, id: 'b', index: 1 }] },
    ];
    expect(await streamed(MISTRAL, deltas)).toEqual([
      deltas[0],
      { tool_calls: [{ ...call1, index: 0, type: 'function' }] },
      deltas[2],
      { tool_calls: [{ ...call1, id: 'b', index: 1, type: 'function' }] },
    ]);
  });

  test('the caller gets indexes for streamed tool calls, and their finish reason', async () => {
    const type = 'function';
    const begun = (id: string) => ({ id, type, function: { name: 'f', arguments: '{"city":' } });
    const rest = { function: { arguments: '"A"}' } };
    const deltas = [begun('a'), rest, begun('b'), { ...rest, id: 'b' }].map((each) => ({ tool_calls: [each] }));
    const sent = [{ role: 'assistant', content: null }, ...deltas, { tool_calls: [begun('c'), begun('d')] }];
    const [, ...got] = await streamed('google/gemini-2.5-flash', sent, 'stop');
    const numbers = got.flatMap(({ tool_calls }) => tool_calls.map(({ index }: { index: number }) => index));
    expect(numbers).toEqual([0, 0, 1, 1, 2, 3]);
    expect(last.frames.at(-2).choices[0].finish_reason).toBe('tool_calls');
    await streamed('google/gemini-2.5-flash', [{ content: 'a' }], 'stop');
    expect(last.frames.at(-2).choices[0].finish_reason).toBe('stop');
  });

  test.each([
    ['openai/gpt-4o', { type: 'function' }],
    [MISTRAL, {}],
  ])('gets the reason of numbered tool calls as it came, "stop" for a forced one: %s', async (model, type) => {
    await streamed(model, [{ tool_calls: [{ ...call1, ...type, index: 0 }] }], 'stop');
    expect(last.frames.at(-2).choices[0].finish_reason).toBe('stop');
  });
});

describe('a provider that returns content in parts', () => {
  const thinking = (text: string) => ({ type: 'thinking', thinking: [{ type: 'text', text }] });
  const parts = [thinking('hm'), { type: 'reference', reference_ids: [1] }, { type: 'text', text: 'Four.' }];

  test('the caller gets its text and its reasoning as strings', async () => {
    const choices = [{ index: 0, message: { role: 'assistant', content: parts }, finish_reason: 'stop' }];
    upstream.act = (response) => void response.end(JSON.stringify({ id: 'b', choices }));
    const { said } = await call({ model: MISTRAL, messages: user('x') }, { baseUrl: upstream.url });
    const message = { role: 'assistant', content: 'Four.', reasoning_content: 'hm' };
    expect(JSON.parse(said).choices[0].message).toEqual(message);
  });

  test('the caller also gets them in a stream, and all of it is charged', async () => {
    const deltas = [{ content: '' }, { content: [thinking('h'.repeat(400))] }, { content: parts }, { content: ' ' }];
    expect(await streamed(MISTRAL, deltas, 'stop')).toEqual([
      { content: '' },
      { content: '', reasoning_content: 'h'.repeat(400) },
      { content: 'Four.', reasoning_content: 'hm' },
      { content: ' ' },
    ]);
    expect(last.report).toMatchObject({ estimated: true, usage: { output: 102 } });
  });
});

describe.each([true, false])('a conversation that continues with another provider (saved key: %s)', (saved) => {
  const GROQ = 'groq/openai/gpt-oss-20b';
  const call1 = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
  /** Returns the message that the provider receives for one of the caller's messages. */
  const taken = async (model: string, message: object) => {
    let seen: { messages?: unknown[] } = {};
    upstream.act = (response, body) => {
      seen = body;
      response.writeHead(500).end();
    };
    await call({ model, messages: [...user('x'), message, ...user('y')] }, { saved, baseUrl: upstream.url });
    expect([seen.messages?.[0], seen.messages?.[2]]).toEqual([...user('x'), ...user('y')]);
    return seen.messages?.[1];
  };

  test.each([
    [MISTRAL, { role: 'assistant', content: 'Four.' }],
    ['google/gemini-3.8-flash', { role: 'assistant', content: 'Four.' }],
    [GROQ, { role: 'assistant', content: 'Four.', reasoning: 'hm' }],
  ])('has what %s takes of an answer', async (model, expected) => {
    const said = { role: 'assistant', content: 'Four.', refusal: null, annotations: [], reasoning_content: 'hm' };
    expect(await taken(model, said)).toEqual(expected);
  });

  test.runIf(saved)('has no reasoning for a model of Groq without it', async () => {
    const said = { role: 'assistant', content: 'Four.', reasoning_content: 'hm', reasoning: 'hm' };
    expect(await taken('groq/llama-3.1-8b-instant', said)).toEqual({ role: 'assistant', content: 'Four.' });
  });

  test('keeps all fields of an answer for providers that ignore unknown ones', async () => {
    const said = { role: 'assistant', content: 'Four.', refusal: null, annotations: [], reasoning_content: 'hm' };
    for (const model of ['openai/gpt-4o', 'deepseek/deepseek-v4-pro', 'xai/grok-4.3'])
      expect(await taken(model, said)).toEqual(said);
  });

  test('removes fields of tool calls that only the previous provider accepts', async () => {
    const google = { google: { thought_signature: 's' } };
    const said = { role: 'assistant', content: null, tool_calls: [{ ...call1, index: 0, extra_content: google }] };
    expect(await taken(MISTRAL, said)).toEqual({ role: 'assistant', tool_calls: [{ ...call1, index: 0 }] });
    expect(await taken(GROQ, said)).toEqual({ role: 'assistant', tool_calls: [call1] });
    expect(await taken('google/gemini-3.8-flash', said)).toEqual({
      role: 'assistant',
      tool_calls: [{ ...call1, extra_content: google }],
    });
  });

  test("passes a refusal on as the assistant's content", async () => {
    const said = { role: 'assistant', content: null, refusal: 'No.' };
    expect(await taken(MISTRAL, said)).toEqual({ role: 'assistant', content: 'No.' });
  });

  test('removes copies of the answer from its parts, as OpenAI agents append them', async () => {
    const copied = { role: 'assistant', refusal: null, annotations: [], reasoning_content: 'hm' };
    const said = {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Four.', ...copied },
        { type: 'refusal', ...copied, refusal: 'No.' },
      ],
    };
    const content = [
      { type: 'text', text: 'Four.' },
      { type: 'refusal', refusal: 'No.' },
    ];
    expect(await taken('openai/gpt-4o', said)).toEqual(saved ? said : { role: 'assistant', content });
    expect(await taken(MISTRAL, said)).toEqual({ role: 'assistant', content });
  });

  test('removes values that the client has parsed, on credits', async () => {
    const parsed = { answer: 4 };
    const calls = [{ ...call1, function: { ...call1.function, parsed_arguments: parsed } }];
    const said = { role: 'assistant', content: '{"answer":4}', tool_calls: calls, parsed };
    const { parsed: _, ...plain } = { ...said, tool_calls: [call1] };
    expect(await taken('openai/gpt-4o', said)).toEqual(saved ? said : plain);
    expect(await taken(MISTRAL, said)).toEqual(plain);
  });
});

describe.each([true, false])(
  'a conversation with tool calls of a model that requires its reasoning (saved key: %s)',
  (saved) => {
    const call1 = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
    const result = { role: 'tool', tool_call_id: 'c', content: '4' };
    const asked = { role: 'assistant', content: null, tool_calls: [call1], reasoning_content: 'hm' };
    const answered = { role: 'assistant', content: 'Four.', reasoning_content: 'hm' };
    let headers: Record<string, string>;
    /** Returns the request that the provider receives. */
    const sent = async (messages: object[], more: object = {}, model = 'deepseek/deepseek-v4-pro') => {
      let seen: object = {};
      upstream.act = (response, body) => {
        seen = body;
        response.end(JSON.stringify({ choices: [{ message: { content: 'a' } }] }));
      };
      const body = { model, messages: [...user('x'), ...messages], ...more };
      ({ headers } = await call(body, { saved, baseUrl: upstream.url }));
      return seen;
    };
    const off = { thinking: { type: 'disabled' } };

    test('continues with its reasoning', async () => {
      const seen = await sent([asked, result, answered, ...user('y')], { reasoning_effort: 'high' });
      expect(seen).toMatchObject({
        messages: [...user('x'), asked, result, answered, ...user('y')],
        reasoning_effort: 'high',
      });
      expect(seen).not.toHaveProperty('thinking');
      expect(headers).not.toHaveProperty('x-ignored-parameters');
      expect(await sent([{ role: 'assistant', content: 'Four.' }, ...user('y')])).not.toHaveProperty('thinking');
    });

    test('continues without reasoning if the client has dropped it', async () => {
      const { reasoning_content: _, ...dropped } = asked;
      for (const messages of [
        [dropped, result],
        [{ ...asked, reasoning_content: null }, result],
        [asked, result, { role: 'assistant', content: 'Four.' }, ...user('y')],
      ]) {
        const seen = await sent(messages, { reasoning_effort: 'high' });
        expect(seen).toMatchObject(off);
        expect(seen).not.toHaveProperty('reasoning_effort');
        expect(headers).toMatchObject({ 'x-ignored-parameters': 'reasoning_effort' });
      }
      await sent([dropped, result]);
      expect(headers).not.toHaveProperty('x-ignored-parameters');
      expect(await sent([dropped, result], {}, 'xai/grok-4.3')).not.toHaveProperty('thinking');
    });

    test('disables reasoning if the caller asks for it', async () => {
      const seen = await sent([], { reasoning_effort: 'none' });
      expect(seen).toMatchObject(off);
      expect(seen).not.toHaveProperty('reasoning_effort');
      expect(headers).not.toHaveProperty('x-ignored-parameters');
    });

    test.runIf(saved)('applies the thinking setting of the caller', async () => {
      const thinking = { type: 'enabled' };
      expect(await sent([result], { thinking, reasoning_effort: 'none' })).toMatchObject({
        thinking,
        reasoning_effort: 'none',
      });
    });
  },
);

test('the text of an answer is charged once if a provider repeats it next to the content', async () => {
  const text = 'a'.repeat(400);
  const token = { id: 330, text, logprob: 0, special: false };
  await streamed(LLAMA, [{ content: text }], 'stop', { token });
  expect(last.report).toMatchObject({ estimated: true, usage: { output: 100 } });
  const details = [{ type: 'reasoning.text', text, format: 'unknown', index: 0 }];
  await streamed(LLAMA, [{ content: '', reasoning: text, reasoning_details: details }], 'stop');
  expect(last.report).toMatchObject({ estimated: true, usage: { output: 100 } });
});

test.each(AI_PROVIDER_IDS)('the emulated %s reports the usage of a stream, as the provider does', async (id) => {
  const body = { model: `${id}/m`, stream: true, messages: user('fault:overcount=5000 say exactly: hello') };
  const { report } = await call(body, { saved: true });
  expect(report).toMatchObject({ estimated: false, usage: { input: expect.toSatisfy((count) => count > 5000) } });
});
