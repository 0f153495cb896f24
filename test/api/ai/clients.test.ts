import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { type AIMessageChunk, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { tool as langChainTool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { APICallError, generateText, Output, stepCountIs, streamText, tool } from 'ai';
import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { documentedFetch } from '../../support/documented-fetch.ts';
import { local, newAccount } from '../../support/harness.ts';

/** Clients that others wrote, unchanged: only the base URL, the key and the model are ours. */

const baseURL = `${local.baseUrl}/ai/v1`;
const CREDITS = { aiCreditsMicroRand: 100_000_000 };
/** A key for each client: together they make more requests than the rate of one. */
const newKey = async () => (await newAccount(CREDITS)).secretKey;
const gpt = 'openai/gpt-4o-mini';
const claude = 'anthropic/claude-sonnet-4-5';
/** Models of the providers whose tool calls have another form (local/emulators/ai/quirks.ts). */
const CALLERS = [
  gpt,
  'mistral/mistral-large-2512',
  'google/gemini-3.8-flash',
  'groq/openai/gpt-oss-20b',
  'deepseek/deepseek-v4-pro',
];
const PNG = `data:image/png;base64,${Buffer.from('89504e470d0a1a0a0000000d', 'hex').toString('base64')}`;
const QUESTION = 'What is the weather in Paris?';
const City = z.object({ city: z.string(), days: z.number().int().min(1).max(7), unit: z.enum(['C', 'F']) });
const FORECAST = '21 degrees and sunny';

/** A `fetch` that counts the requests of a client. */
function counting() {
  const seen = { requests: 0, statuses: [] as number[] };
  const send = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    seen.requests += 1;
    const answer = await documentedFetch(input, init);
    seen.statuses.push(answer.status);
    return answer;
  };
  return { seen, send };
}

/** An account whose credits one call holds: others get 429 until it has ended. */
async function busyAccount() {
  const busy = await newAccount({ aiCreditsMicroRand: 1_000_000 });
  const client = new OpenAI({ apiKey: busy.secretKey, baseURL });
  const stream = await client.chat.completions.create({
    model: 'openai/gpt-4o',
    stream: true,
    messages: [{ role: 'user', content: `fault:pace=60 say exactly: ${'word '.repeat(60)}` }],
  });
  const ended = (async () => {
    for await (const chunk of stream) expect(chunk.choices).toHaveLength(1);
  })();
  return { apiKey: busy.secretKey, ended };
}

describe('openai', async () => {
  const apiKey = await newKey();
  const client = new OpenAI({ apiKey, baseURL, maxRetries: 0, fetch: documentedFetch });
  const say = (content: string) => [{ role: 'user' as const, content: `say exactly: ${content}` }];

  test('lists and retrieves models', async () => {
    const { data } = await client.models.list();
    for (const { id } of data.slice(0, 3)) {
      const model = await client.models.retrieve(id);
      expect(model).toEqual(data.find((each) => each.id === id));
    }
    const missing = await client.models.retrieve('openai/no-such-model').catch((error: unknown) => error);
    expect(missing).toBeInstanceOf(OpenAI.NotFoundError);
    const plain = await fetch(`${baseURL}/models/${gpt}`, { headers: { authorization: `Bearer ${apiKey}` } });
    expect(await plain.json()).toMatchObject({ id: gpt, object: 'model' });
  });

  test.each([gpt, claude, 'deepseek/deepseek-v4-flash'])(
    'streams from %s: every chunk has a choice, and the usage comes once',
    async (model) => {
      const stream = await client.chat.completions.create({ model, messages: say('one two three'), stream: true });
      const usages: unknown[] = [];
      let text = '';
      for await (const { choices, usage } of stream) {
        text += choices[0]?.delta.content ?? '';
        expect(choices).toHaveLength(1);
        if (usage) usages.push(usage);
      }
      expect(text).toBe('one two three');
      expect(usages).toHaveLength(1);
      const helper = client.chat.completions.stream({
        model,
        messages: say('with usage'),
        stream_options: { include_usage: true },
      });
      expect(await helper.finalContent()).toBe('with usage');
      expect((await helper.totalUsage()).total_tokens).toBeGreaterThan(3);
    },
  );

  test.each(CALLERS)('runs a tool loop of %s, streamed and not', async (model) => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    for (const stream of [false, true]) {
      const asked: string[] = [];
      const get_weather = {
        name: 'get_weather',
        description: 'Get the weather of a city',
        parse: JSON.parse,
        function: ({ city }: { city: string }) => {
          asked.push(city);
          return FORECAST;
        },
        parameters,
      };
      const runner = client.chat.completions.runTools({
        model,
        stream,
        messages: [{ role: 'user', content: QUESTION }],
        tools: [{ type: 'function', function: get_weather }],
      } as never);
      expect(await runner.finalContent()).toContain(FORECAST);
      expect(asked).toEqual(['Paris']);
    }
  });

  test('goes on with an answer that had reasoning in parts, streamed and not', async () => {
    const messages: OpenAI.ChatCompletionMessageParam[] = say('four');
    const ask = { model: 'mistral/mistral-small-2603', reasoning_effort: 'high', messages } as const;
    const answers = [client.chat.completions.create(ask), client.chat.completions.stream(ask).finalChatCompletion()];
    for (const { choices } of await Promise.all(answers)) {
      expect(choices[0]?.message).toMatchObject({ content: 'four', reasoning_content: 'Let me think about it.' });
      if (choices[0]) messages.push(choices[0].message, ...say('more'));
    }
    expect((await client.chat.completions.create(ask)).choices[0]?.message.content).toBe('more');
  });

  test.each(CALLERS)('goes on with the answers of others at %s', async (model) => {
    const messages: OpenAI.ChatCompletionMessageParam[] = say('one');
    for (const other of [claude, 'groq/openai/gpt-oss-20b', gpt, 'google/gemini-3.8-flash', model]) {
      const { choices } = await client.chat.completions.create({ model: other, messages });
      if (choices[0]) messages.push(choices[0].message, ...say('two'));
    }
    const parsed = await client.chat.completions.parse({
      model: gpt,
      messages: [{ role: 'user', content: 'Plan 3 days in Lisbon, in F' }],
      response_format: zodResponseFormat(City, 'trip'),
    });
    if (parsed.choices[0]) messages.push(parsed.choices[0].message, ...say('two'));
    const last = await client.chat.completions.create({ model, messages });
    expect(last.choices[0]?.message.content).toBe('two');
  });

  test.each([
    ['xai/grok-4.3', 'content-refused', 400, /^400 xAI refused the request: Content violates usage guidelines/],
    ['google/gemini-3.8-flash', 'key-refused', 502, /is not available on credits/],
    ['openai/gpt-4o-mini', 'credit-used-up', 502, /is not available on credits/],
  ])('raises what %s refuses as whose fault it is (%s)', async (model, fault, status, message) => {
    const ask = client.chat.completions.create({ model, messages: [{ role: 'user', content: `fault:${fault}` }] });
    await expect(ask).rejects.toMatchObject({ status, message: expect.stringMatching(message) });
  });

  test('refuses results that no call asked for', async () => {
    const stray = await client.chat.completions
      .create({ model: gpt, messages: [...say('x'), { role: 'tool', tool_call_id: 'call_1', content: '' }] })
      .catch((error: unknown) => error);
    expect(stray).toBeInstanceOf(OpenAI.BadRequestError);
  });

  test('parses structured output', async () => {
    const { choices } = await client.chat.completions.parse({
      model: gpt,
      messages: [{ role: 'user', content: 'Plan 3 days in Lisbon, in F' }],
      response_format: zodResponseFormat(City, 'trip'),
    });
    expect(choices[0]?.message.parsed).toEqual({ city: 'Lisbon', days: 3, unit: 'F' });
  });

  test('waits as long as Retry-After says, and gets through', async () => {
    const { apiKey: busy, ended } = await busyAccount();
    const { seen, send } = counting();
    const patient = new OpenAI({ apiKey: busy, baseURL, maxRetries: 10, fetch: send });
    const { choices } = await patient.chat.completions.create({ model: gpt, messages: say('at last') });
    expect(choices[0]?.message.content).toBe('at last');
    expect(seen.statuses[0]).toBe(429);
    await ended;
  });
});

describe('ai with @ai-sdk/openai-compatible', async () => {
  const apiKey = await newKey();
  const { seen, send } = counting();
  const provider = createOpenAICompatible({ name: 'hosting', apiKey, baseURL, fetch: send, includeUsage: true });
  const strict = createOpenAICompatible({
    name: 'hosting',
    apiKey,
    baseURL,
    fetch: documentedFetch,
    supportsStructuredOutputs: true,
  });

  test.each([gpt, claude])('%s: chat, stream with usage, images', async (id) => {
    const model = provider(id);
    const whole = await generateText({ model, prompt: 'say exactly: hello there' });
    expect(whole).toMatchObject({ text: 'hello there', finishReason: 'stop' });
    const stream = streamText({ model, prompt: 'say exactly: one two three' });
    expect(await stream.text).toBe('one two three');
    expect((await stream.usage).totalTokens).toBeGreaterThan(3);
    expect(await stream.finishReason).toBe('stop');
    const content = [
      { type: 'text' as const, text: 'say exactly: a picture' },
      { type: 'image' as const, image: PNG },
    ];
    const seenPicture = await generateText({ model, messages: [{ role: 'user', content }] });
    expect(seenPicture.usage.inputTokens).toBeGreaterThan(700);
  });

  test('an abort ends the stream', async () => {
    const controller = new AbortController();
    const { textStream } = streamText({
      model: provider(gpt),
      prompt: `say exactly: ${'word '.repeat(2000)}`,
      abortSignal: controller.signal,
      onError: () => undefined,
    });
    let pieces = 0;
    for await (const _ of textStream) if (++pieces === 5) controller.abort();
    expect(pieces).toBeLessThan(500);
  });

  test.each(CALLERS)('runs a tool loop of %s, streamed and not', async (id) => {
    const asked: string[] = [];
    const get_weather = tool({
      description: 'Get the weather of a city',
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }) => {
        asked.push(city);
        return FORECAST;
      },
    });
    const call = { model: provider(id), tools: { get_weather }, stopWhen: stepCountIs(3), prompt: QUESTION };
    const { text, steps } = await generateText(call);
    expect(text).toContain(FORECAST);
    expect(steps).toHaveLength(2);
    expect(await streamText(call).text).toContain(FORECAST);
    expect(asked).toEqual(['Paris', 'Paris']);
  });

  test('parses structured output', async () => {
    const { output } = await generateText({
      model: strict(gpt),
      prompt: 'Plan 3 days in Lisbon, in F',
      output: Output.object({ schema: City }),
    });
    expect(output).toEqual({ city: 'Lisbon', days: 3, unit: 'F' });
  });

  test('raises errors with our messages, and retries those that may pass', async () => {
    const ask = (prompt: string, id = gpt) =>
      generateText({ model: provider(id), prompt, maxRetries: 0 }).catch((error: unknown) => error);
    const unknown = await ask('x', 'openai/nothing');
    expect(unknown).toBeInstanceOf(APICallError);
    expect(unknown).toMatchObject({ statusCode: 400, isRetryable: false, message: expect.stringMatching(/model/) });
    expect(await ask('fault:429=3')).toMatchObject({ statusCode: 429, isRetryable: true });
    const before = seen.requests;
    const failed = await generateText({ model: provider(gpt), prompt: 'fault:429=1', maxRetries: 1 }).catch(String);
    expect(failed).toMatch(/Failed after 2 attempts/);
    expect(seen.requests - before).toBe(2);
  });
});

describe('@langchain/openai', async () => {
  const apiKey = await newKey();
  const model = (id: string, more: { maxRetries?: number } = {}) =>
    new ChatOpenAI({ model: id, apiKey, maxRetries: 0, ...more, configuration: { baseURL, fetch: documentedFetch } });

  test.each([gpt, claude, 'mistral/mistral-large-2512'])('%s: chat, stream with usage, images', async (id) => {
    expect((await model(id).invoke('say exactly: hello there')).content).toBe('hello there');
    let whole: AIMessageChunk | undefined;
    for await (const chunk of await model(id).stream('say exactly: one two three')) {
      whole = whole?.concat(chunk) ?? chunk;
    }
    expect(whole?.content).toBe('one two three');
    expect(whole?.usage_metadata).toMatchObject({ input_tokens: expect.any(Number), output_tokens: 3 });
    expect(whole?.response_metadata).toMatchObject({ finish_reason: 'stop', usage: { completion_tokens: 3 } });
    const picture = new HumanMessage({
      content: [
        { type: 'text', text: 'say exactly: a picture' },
        { type: 'image_url', image_url: { url: PNG } },
      ],
    });
    const { usage_metadata } = await model(id).invoke([picture]);
    expect(Reflect.get(usage_metadata ?? {}, 'input_tokens')).toBeGreaterThan(700);
  });

  test('an abort ends the stream', async () => {
    const controller = new AbortController();
    const read = async () => {
      const stream = await model(gpt).stream(`say exactly: ${'word '.repeat(2000)}`, { signal: controller.signal });
      let pieces = 0;
      for await (const _ of stream) if (++pieces === 5) controller.abort();
    };
    await expect(read()).rejects.toThrow(/abort/i);
  });

  test.each(CALLERS)('runs a tool loop of %s, streamed and not', async (id) => {
    const weather = langChainTool(async ({ city }: { city: string }) => `${city}: ${FORECAST}`, {
      name: 'get_weather',
      description: 'Get the weather of a city',
      schema: z.object({ city: z.string() }),
    });
    const bound = model(id).bindTools([weather]);
    const question = new HumanMessage(QUESTION);
    const called = await bound.invoke([question]);
    const [call] = called.tool_calls ?? [];
    expect(call).toMatchObject({ name: 'get_weather', args: { city: 'Paris' } });
    let streamed: AIMessageChunk | undefined;
    for await (const chunk of await bound.stream([question])) streamed = streamed?.concat(chunk) ?? chunk;
    expect(streamed?.tool_calls?.[0]).toMatchObject({ name: 'get_weather', args: { city: 'Paris' } });
    const result: unknown = await weather.invoke({ ...call, type: 'tool_call' } as never);
    expect(result).toBeInstanceOf(ToolMessage);
    const answer = await bound.invoke([question, called, result as ToolMessage]);
    expect(answer.content).toContain(`Paris: ${FORECAST}`);
  });

  test('parses structured output', async () => {
    const structured = model(gpt).withStructuredOutput(City, { name: 'trip' });
    expect(await structured.invoke('Plan 3 days in Lisbon, in F')).toEqual({ city: 'Lisbon', days: 3, unit: 'F' });
  });

  test('raises errors with our messages', async () => {
    await expect(model('openai/nothing').invoke('x')).rejects.toThrow(/400 .*model/);
    await expect(model(gpt).invoke('fault:429=1')).rejects.toThrow(/429/);
  });
});
