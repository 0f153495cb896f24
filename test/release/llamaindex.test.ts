import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { local, newAccount } from '../support/harness.ts';

/**
 * LlamaIndex's client, unchanged. Its packages are marked as deprecated on npm, so they are no dependency: the test
 * installs them. The clients that are maintained are in test/api/ai/clients.test.ts, with the same suite.
 */

const folder = mkdtempSync(join(tmpdir(), 'llamaindex-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, 'package.json'), '{"private": true}');
const packages = ['@llamaindex/openai@0.4.22', '@llamaindex/core@0.6.22', '@llamaindex/env@0.1.30', 'zod@4.6.7'];
execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], {
  cwd: folder,
  stdio: ['ignore', 'ignore', 'inherit'],
});

interface ToolCall {
  id: string;
  name: string;
  input: unknown;
}
interface Message {
  role: string;
  content: unknown;
  options?: unknown;
}
interface ChatResponse {
  message: { content: unknown; options?: { toolCall?: ToolCall[] } };
  raw: unknown;
}
interface Chunk {
  delta: string;
  options?: { toolCall?: ToolCall[] };
}
interface Llm {
  chat(ask: { messages: Message[]; stream: true; tools?: unknown[] }): Promise<AsyncIterable<Chunk>>;
  chat(ask: { messages: Message[]; tools?: unknown[]; responseFormat?: unknown }): Promise<ChatResponse>;
}
interface Settings {
  model: string;
  apiKey: string;
  baseURL: string;
  maxRetries: number;
  additionalSessionOptions?: { fetch: typeof fetch };
}

const load = createRequire(join(folder, 'package.json'));
const { OpenAI } = load('@llamaindex/openai') as { OpenAI: new (settings: Settings) => Llm };
const { tool } = load('@llamaindex/core/tools') as { tool: (definition: object) => unknown };
const z = load('zod') as typeof import('zod');

const gpt = 'openai/gpt-4o-mini';
const claude = 'anthropic/claude-sonnet-4-5';
const TIMEOUT_MS = 60_000;
const QUESTION = 'What is the weather in Paris?';
const FORECAST = '21 degrees and sunny';
const { secretKey: apiKey } = await newAccount({ aiCreditsMicroRand: 100_000_000 });
const model = (id: string, more: Partial<Settings> = {}) =>
  new OpenAI({ model: id, apiKey, baseURL: `${local.baseUrl}/ai/v1`, maxRetries: 0, ...more });
/** Arguments of a call: as text from a whole answer, parsed from a stream. */
const parseInput = (call: ToolCall | undefined): unknown =>
  typeof call?.input === 'string' ? JSON.parse(call.input) : call?.input;
const user = (content: unknown): Message => ({ role: 'user', content });

test.each([gpt, claude])(
  '%s: chat, stream, images',
  async (id) => {
    const whole = await model(id).chat({ messages: [user('say exactly: hello there')] });
    expect(whole.message.content).toBe('hello there');
    let text = '';
    const stream = await model(id).chat({ messages: [user('say exactly: one two three')], stream: true });
    for await (const { delta } of stream) text += delta;
    expect(text).toBe('one two three');
    const url = `data:image/png;base64,${Buffer.from('89504e470d0a1a0a0000000d', 'hex').toString('base64')}`;
    const picture = [
      { type: 'text', text: 'say exactly: a picture' },
      { type: 'image_url', image_url: { url } },
    ];
    const { raw } = await model(id).chat({ messages: [user(picture)] });
    expect(raw).toMatchObject({ usage: { prompt_tokens: expect.any(Number) } });
    const { prompt_tokens } = (raw as { usage: { prompt_tokens: number } }).usage;
    expect(prompt_tokens).toBeGreaterThan(700);
  },
  TIMEOUT_MS,
);

test(
  'an abort ends the stream',
  async () => {
    // The client has no option for a signal: its fetch has one.
    const controller = new AbortController();
    const send: typeof fetch = (input, init) => fetch(input, { ...init, signal: controller.signal });
    const llm = model(gpt, { additionalSessionOptions: { fetch: send } });
    let pieces = 0;
    const read = async () => {
      const stream = await llm.chat({ messages: [user(`say exactly: ${'word '.repeat(2000)}`)], stream: true });
      for await (const _ of stream) if (++pieces === 5) controller.abort();
    };
    await read().catch((error: unknown) => expect(String(error)).toMatch(/abort/i));
    expect(pieces).toBeGreaterThanOrEqual(5);
    expect(pieces).toBeLessThan(500);
  },
  TIMEOUT_MS,
);

test(
  'runs a tool loop, streamed and not',
  async () => {
    const getWeather = tool({
      name: 'get_weather',
      description: 'Get the weather of a city',
      parameters: z.object({ city: z.string() }),
      execute: () => FORECAST,
    });
    const messages = [user(QUESTION)];
    const tools = [getWeather];
    const asked = await model(gpt).chat({ messages, tools });
    const [call] = asked.message.options?.toolCall ?? [];
    expect(call?.name).toBe('get_weather');
    expect(parseInput(call)).toEqual({ city: 'Paris' });
    const streamed: ToolCall[] = [];
    for await (const { options } of await model(gpt).chat({ messages, tools, stream: true })) {
      streamed.push(...(options?.toolCall ?? []));
    }
    expect(parseInput(streamed.at(-1))).toEqual({ city: 'Paris' });
    const toolResult = { id: call?.id, result: FORECAST, isError: false };
    const answered = [
      ...messages,
      { role: 'assistant', content: '', options: { toolCall: [call] } },
      { ...user(FORECAST), options: { toolResult } },
    ];
    const { message } = await model(gpt).chat({ messages: answered, tools });
    expect(message.content).toContain(FORECAST);
  },
  TIMEOUT_MS,
);

test(
  'parses structured output',
  async () => {
    const City = z.object({ city: z.string(), days: z.number().int().min(1).max(7), unit: z.enum(['C', 'F']) });
    const messages = [user('Plan 3 days in Lisbon, in F')];
    const { message } = await model(gpt).chat({ messages, responseFormat: City });
    expect(City.parse(JSON.parse(String(message.content)))).toEqual({ city: 'Lisbon', days: 3, unit: 'F' });
  },
  TIMEOUT_MS,
);

test(
  'raises errors with our messages, and retries those that may pass',
  async () => {
    const messages = [user('fault:429=3')];
    await expect(model('openai/nothing').chat({ messages })).rejects.toThrow(/400 .*model/);
    let requests = 0;
    const send: typeof fetch = (input, init) => {
      requests += 1;
      return fetch(input, init);
    };
    const patient = model(gpt, { maxRetries: 1, additionalSessionOptions: { fetch: send } });
    await expect(patient.chat({ messages })).rejects.toThrow(/429/);
    expect(requests).toBe(2);
  },
  TIMEOUT_MS,
);
