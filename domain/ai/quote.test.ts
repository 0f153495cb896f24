import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ChatRequest } from '../../contract/ai/chat.ts';
import { ApiError } from '../../contract/errors.ts';
import { countGreedily } from '../../local/emulators/ai/greedy.ts';
import type { AdapterRequest } from '../../providers/ai/adapter.ts';
import type { Model } from '../../providers/ai/models.ts';
import { PROVIDERS } from '../../providers/ai/registry.ts';
import { parseAs } from '../../runtime/http/input.ts';
import { builtInOffer } from './models.ts';
import type { Rate } from './prices.ts';
import { estimator } from './prompt.ts';
import { lowerOutput, type Quote, quoteCall } from './quote.ts';

/**
 * Credits cannot be overdrawn: for every body that is accepted on credits, the hold covers the most that any provider may count for the
 * body that it receives.
 */
const { models, randPerDollar } = builtInOffer(18, new Date('2026-11-01'));
const SOLD = models.filter(({ credits }) => credits);
const modelOf = (id: string): Model => SOLD.find((model) => model.id === id) ?? expect.fail(id);

/** The highest cost that a provider may count, in micro-rand: every prompt token at the highest price of any kind. */
function greediestCost(model: Model, body: string): number {
  const { promptTokens, outputTokens } = countGreedily(body);
  // A provider refuses content that its model cannot read.
  const prompt = Math.min(promptTokens, model.contextLimit);
  const prices = [{ above: -1, price: model.price }, ...(model.steps ?? [])].filter(({ above }) => prompt > above);
  const dollars = prices.map(({ price: { input, cachedInput, cacheWrite, output } }) => {
    return prompt * Math.max(input, cachedInput, cacheWrite) + outputTokens * output;
  });
  return Math.max(...dollars) * randPerDollar;
}

interface Priced {
  ask: AdapterRequest;
  quote: Quote;
  rate: Rate;
  lower(microRand: number): string | undefined;
}

/** Prices a body on credits as the gateway does. Returns the caller's error if the body is refused. */
function price(model: Model, body: object): Priced | ApiError {
  const text = JSON.stringify(body);
  const provider = PROVIDERS[model.provider];
  try {
    const request = parseAs(ChatRequest, JSON.parse(text), 'body');
    const ask: AdapterRequest = {
      provider,
      text,
      request,
      upstream: model.upstream,
      outputLimit: undefined,
      modelLimit: model.outputLimit,
      estimate: estimator(request, text),
    };
    const rate: Rate = { price: model.price, steps: model.steps, randPerDollar };
    const quote = quoteCall(ask, model, rate);
    return { ask, quote, rate, lower: (microRand) => lowerOutput(quote, ask, rate, microRand)?.body };
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

const PNG = `data:image/png;base64,${Buffer.from('89504e470d0a1a0a0000000d', 'hex').toString('base64')}`;

/** Malicious values for any field. */
const hostile = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, 1e308, 1e9, '', 'priority', 'flex', [], {}, [null], [[]]),
  fc.constantFrom<unknown>(
    { length: 1e9 },
    { url: { length: 1e9 } },
    { type: 'x' },
    { toString: 1 },
    { max_tokens: 1e6 },
  ),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.jsonValue({ maxDepth: 3 }),
);

const goodParts = fc.oneof(
  fc.record({ type: fc.constant('text'), text: fc.string({ unit: 'grapheme', maxLength: 40 }) }),
  fc.record({
    type: fc.constant('image_url'),
    image_url: fc.record(
      {
        url: fc.constantFrom(PNG, `${PNG}${'A'.repeat(400)}`, 'https://example.com/cat.png'),
        detail: fc.constantFrom('auto', 'low', 'high', 'auto', 'low', 'high', 'original'),
      },
      { requiredKeys: ['url'] },
    ),
  }),
);
const hostileParts = fc.oneof(
  fc.record({ type: fc.constantFrom('text', 'image_url'), text: hostile, image_url: hostile }),
  fc.record({
    type: fc.constantFrom('file', 'input_audio', 'document_url', 'video_url', 'refusal', '__proto__', 'constructor'),
    file: hostile,
    document_url: fc.constant('https://example.com/a-thousand-pages.pdf'),
  }),
  fc.record({ type: fc.constant('text'), text: fc.constant('x'), cache_control: fc.constant({ type: 'ephemeral' }) }),
  fc.record({ type: fc.constant('text'), text: fc.constant('x'), image_url: fc.record({ url: hostile }) }),
  hostile,
);
const messages = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ role: fc.constantFrom('system', 'user', 'assistant'), content: fc.string() }) },
    {
      weight: 3,
      arbitrary: fc.record({ role: fc.constant('user'), content: fc.array(goodParts, { minLength: 1, maxLength: 4 }) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        role: fc.constant('user'),
        content: fc.array(fc.oneof(goodParts, hostileParts), { minLength: 1, maxLength: 3 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record(
        {
          role: fc.constantFrom('assistant', 'tool', 'function', 'developer'),
          content: fc.oneof(fc.string(), hostile),
          tool_calls: fc.oneof(
            fc.constant([{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }]),
            hostile,
          ),
          audio: hostile,
          name: hostile,
          refusal: hostile,
        },
        { requiredKeys: ['role'] },
      ),
    },
  ),
  { minLength: 1, maxLength: 5 },
);

/** A schema that is 10,000 times as long with its references expanded. */
const refer = (name: string) => ({ anyOf: Array.from({ length: 10 }, () => ({ $ref: `#/$defs/${name}` })) });
const unfolding = { ...refer('a'), $defs: { a: refer('b'), b: refer('c'), c: refer('d'), d: { const: 'x' } } };

const limit = fc.oneof(fc.integer({ min: 1, max: 300_000 }), fc.integer({ min: 1, max: 10_000_000 }));
/** Fields of the ordinary API, mostly with accepted values. */
const wellFormed = fc.record(
  {
    max_tokens: limit,
    max_completion_tokens: limit,
    n: fc.integer({ min: 1, max: 128 }),
    stream: fc.boolean(),
    temperature: fc.double({ min: 0, max: 2, noNaN: true }),
    stop: fc.constantFrom<unknown>('END', ['a', 'b']),
    tools: fc.constant([
      { type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object', max_tokens: 5 } } },
    ]),
    response_format: fc.constantFrom<unknown>(
      { type: 'json_object' },
      { type: 'json_schema', json_schema: { name: 's', schema: { type: 'object', properties: { n: { const: 9 } } } } },
      { type: 'json_schema', json_schema: { name: 's', schema: unfolding } },
    ),
    logit_bias: fc.dictionary(fc.string(), fc.integer({ min: -100, max: 100 }), { maxKeys: 5 }),
    metadata: fc.dictionary(fc.string(), fc.string(), { maxKeys: 3 }),
    reasoning_effort: fc.constantFrom('low', 'high', 'xhigh'),
    user: fc.string(),
  },
  { requiredKeys: [] },
);
/** Fields that look ordinary and are not. */
const misleading = fc.constantFrom<object>(
  { stream_options: { include_usage: false, other: 1 } },
  { tools: [{ type: 'web_search' }] },
  { tools: [{ type: 'mcp', server_url: 'https://example.com' }] },
  { response_format: { type: 'text', max_tokens: 1e6 } },
);
const ordinary = fc.oneof({ weight: 9, arbitrary: wellFormed }, { weight: 1, arbitrary: misleading });
const HOSTILE_FIELDS = [
  'service_tier',
  'web_search_options',
  'search_parameters',
  'prediction',
  'audio',
  'modalities',
  'best_of',
  'plugins',
  'max_output_tokens',
  'thinking',
  'extra_body',
  'cached_content',
  'speed',
  'inference_geo',
  'previous_response_id',
  'prompt_cache_retention',
  'models',
  'route',
  'file_ids',
  'documents',
  'constructor',
  'hasOwnProperty',
  'toString',
  'temperature',
  'tools',
  'functions',
  'tool_choice',
  'response_format',
  'n',
  'stream_options',
  'stop',
  'logit_bias',
];
const extra = fc.dictionary(fc.constantFrom(...HOSTILE_FIELDS), hostile, { maxKeys: 1 });
const bodies = fc
  .tuple(fc.constantFrom(...SOLD), messages, ordinary, fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, extra))
  .map(([model, said, known, more]) => ({ model, body: { model: model.id, messages: said, ...known, ...more } }));

describe('the hold', () => {
  test('covers the maximum that a provider can charge, for 10,000 generated bodies', () => {
    let accepted = 0;
    fc.assert(
      fc.property(bodies, fc.nat(1_000_000), ({ model, body }, part) => {
        const priced = price(model, body);
        if (priced instanceof ApiError) {
          expect([priced.status, priced.message]).toEqual([400, expect.stringMatching(/^.{1,200}: .{1,200}$/s)]);
          return;
        }
        accepted += 1;
        const { quote, lower } = priced;
        expect(quote.microRand).toBeGreaterThanOrEqual(greediestCost(model, quote.prepared.body));
        // A call with a smaller grant is limited to its grant.
        const granted = Math.floor((quote.microRand * part) / 1_000_000);
        const lowered = lower(granted);
        if (lowered) expect(granted).toBeGreaterThanOrEqual(Math.floor(greediestCost(model, lowered)));
      }),
      { numRuns: 10_000 },
    );
    // The test must not pass merely because everything is refused.
    expect(accepted).toBeGreaterThan(2_500);
  }, 120_000);

  const takingTools = SOLD.filter(({ provider }) => PROVIDERS[provider].kind !== 'anthropic');
  test.each(takingTools)('covers a tool call without its reasoning, whatever $id is told instead', (model) => {
    const tool_calls = [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }];
    const messages = [
      { role: 'user', content: 'Run f.' },
      { role: 'assistant', content: null, tool_calls },
      { role: 'tool', tool_call_id: 'a', content: 'ran' },
    ];
    const priced = price(model, { model: model.id, messages });
    if (priced instanceof ApiError) throw priced;
    expect(priced.quote.microRand).toBeGreaterThanOrEqual(greediestCost(model, priced.quote.prepared.body));
  });

  test('is at the price step that the prompt may exceed', () => {
    const model =
      SOLD.find(({ steps }) => steps?.[0] && steps[0].above < 300_000) ?? expect.fail('no model has a step');
    const above = model.steps?.[0]?.above ?? 0;
    const heldFor = (characters: number) => {
      const messages = [{ role: 'user', content: 'x'.repeat(characters) }];
      const priced = price(model, { model: model.id, max_tokens: 1, messages });
      return priced instanceof ApiError ? expect.fail(priced.message) : priced.quote.microRand / characters;
    };
    expect(heldFor(above)).toBeGreaterThan(heldFor(above / 2) * 1.4);
  });
});

test('an embedded image counts as an image, whatever its size', () => {
  const model = SOLD.find(({ imageTokens }) => imageTokens !== 0) ?? expect.fail('no model reads images');
  const tokensOf = (bytes: number) => {
    const url = `data:image/png;base64,${Buffer.alloc(bytes).toString('base64')}`;
    const messages = [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }];
    const priced = price({ ...model, contextLimit: 10_000_000 }, { model: model.id, messages });
    return priced instanceof ApiError ? expect.fail(priced.message) : priced.quote.promptTokens;
  };
  expect(tokensOf(300_000)).toBe(tokensOf(300));
});

test('an image by URL counts as the maximum that the provider may read from it', () => {
  const held = (id: string, url: string) => {
    const messages = [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }];
    const priced = price(modelOf(id), { model: id, max_tokens: 1, messages });
    return priced instanceof ApiError ? expect.fail(priced.message) : priced.quote.promptTokens;
  };
  expect(held('google/gemini-2.5-flash', 'https://example.com/a-film')).toBe(1_048_576);
  expect(held('google/gemini-2.5-flash', PNG)).toBeLessThan(6_000);
  expect(held('openai/gpt-4o', 'https://example.com/cat.png')).toBeLessThan(6_000);
});

describe('the request that is sent on credits', () => {
  const body = { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'hi' }] };
  const sent = (more: object, model = 'openai/gpt-4o') => {
    const priced = price(modelOf(model), { ...body, model, ...more });
    if (priced instanceof ApiError) throw priced;
    return JSON.parse(priced.quote.prepared.body);
  };

  test("has one output limit: the larger of the caller's two, and at most the model's", () => {
    expect(sent({ max_completion_tokens: 1, max_tokens: 12_000 })).toMatchObject({ max_completion_tokens: 12_000 });
    expect(sent({ max_completion_tokens: 1, max_tokens: 12_000 })).not.toHaveProperty('max_tokens');
    expect(sent({ max_tokens: 120_000 })).toMatchObject({ max_completion_tokens: 16_384 });
    expect(sent({})).toMatchObject({ max_completion_tokens: 16_384 });
    expect(sent({ max_completion_tokens: 5, max_tokens: 9 }, 'groq/openai/gpt-oss-20b')).toMatchObject({
      max_tokens: 9,
    });
    expect(sent({ max_completion_tokens: 5, max_tokens: 9 }, 'anthropic/claude-sonnet-4-5').max_tokens).toBe(9);
    expect(sent({}, 'anthropic/claude-sonnet-4-5').max_tokens).toBe(16_000);
  });

  test('leaves room for its output next to a long prompt', () => {
    const messages = [{ role: 'user', content: 'word '.repeat(90_000) }];
    expect(sent({ messages }).max_completion_tokens).toBe(1_024);
    expect(sent({ messages: [{ role: 'user', content: 'word '.repeat(40_000) }] }).max_completion_tokens).toBe(16_384);
  });

  test("has no duplicate field, whatever the caller's body contains", () => {
    const text = '{"model":"openai/gpt-4o","n":128,"n":1,"messages":[{"role":"user","content":"a","content":"b"}]}';
    const model = modelOf('openai/gpt-4o');
    const request = parseAs(ChatRequest, JSON.parse(text), 'body');
    const ask: AdapterRequest = {
      provider: PROVIDERS.openai,
      text,
      request,
      upstream: 'gpt-4o',
      outputLimit: undefined,
      modelLimit: model.outputLimit,
      estimate: estimator(request, text),
    };
    const quote = quoteCall(ask, model, { price: model.price, randPerDollar });
    expect(quote.prepared.body).toBe(
      '{"model":"gpt-4o","messages":[{"role":"user","content":"b"}],"n":1,"max_completion_tokens":16384}',
    );
  });
});
