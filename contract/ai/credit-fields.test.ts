import { describe, expect, test } from 'vitest';
import { CREDIT_FIELDS, findFieldProblem, isDeeperThan, isLeftOut } from './credit-fields.ts';

const user = { role: 'user', content: 'hi' };
const said = (...messages: object[]) => ({ messages: [user, ...messages] });

/** A value for every field, as the documentation of the ordinary API has it. */
const EXAMPLES: Record<string, unknown> = {
  model: 'openai/gpt-4o',
  messages: [user],
  max_tokens: 5,
  max_completion_tokens: 5,
  n: 2,
  stream: true,
  stream_options: { include_usage: true, include_obfuscation: false },
  stop: ['END', '\n'],
  temperature: 0.7,
  top_p: 0.9,
  top_k: 40,
  min_p: 0.05,
  frequency_penalty: -0.5,
  presence_penalty: 2,
  repetition_penalty: 1.1,
  seed: -7,
  random_seed: 7,
  logprobs: true,
  top_logprobs: 20,
  logit_bias: { 50256: -100 },
  response_format: { type: 'json_schema', json_schema: { name: 'a', strict: true, schema: { type: 'object' } } },
  tools: [{ type: 'function', function: { name: 'f', description: 'd', parameters: { $defs: {} }, strict: null } }],
  tool_choice: { type: 'function', function: { name: 'f' } },
  parallel_tool_calls: false,
  functions: [{ name: 'f', parameters: {} }],
  function_call: { name: 'f' },
  reasoning_effort: 'high',
  verbosity: 'low',
  modalities: ['text'],
  service_tier: 'auto',
  store: false,
  metadata: { team: 'a' },
  user: 'u-1',
  safety_identifier: 's-1',
  prompt_cache_key: 'k',
};
/** Fields that also take a string, or any string. */
const TEXTS = ['model', 'stop', 'tool_choice', 'function_call', 'user', 'safety_identifier', 'prompt_cache_key'];

describe.each(CREDIT_FIELDS)('%s', (field) => {
  test('is accepted as documented, and as null', () => {
    expect(EXAMPLES).toHaveProperty(field);
    expect(findFieldProblem({ [field]: EXAMPLES[field] })).toBeUndefined();
    expect(findFieldProblem({ [field]: null })).toBeUndefined();
  });

  test('of a wrong type is refused by name', () => {
    const wrong = [
      { length: 1e9 },
      [[]],
      1e308,
      Number.NaN,
      -1e300,
      true,
      { type: { a: 5 } },
      [null],
      { a: null, b: { c: [] } },
    ];
    for (const value of [...wrong, ...(TEXTS.includes(field) ? [] : ['surprise'])]) {
      const own = EXAMPLES[field];
      // true is what a flag takes, and a metadata of null has no members.
      if (typeof value === 'boolean' && typeof own === 'boolean') continue;
      const problem = findFieldProblem({ [field]: value });
      expect([value, problem?.field.split('.')[0]]).toEqual([value, field]);
    }
  });
});

test('a choice of tools may be some of them, by name, which costs nothing; tools of other types are refused', () => {
  const choose = (allowed_tools: object) => findFieldProblem({ tool_choice: { type: 'allowed_tools', allowed_tools } });
  const tools = [{ type: 'function', function: { name: 'f' } }];
  expect(choose({ mode: 'required', tools })).toBeUndefined();
  expect(choose({ mode: 'other', tools })?.field).toBe('tool_choice.allowed_tools.mode');
  expect(choose({ mode: 'auto', tools: [{ type: 'mcp', server_label: 'x' }] })?.field).toBe(
    'tool_choice.allowed_tools.tools.0.type',
  );
});

test.each<[string, object]>([
  [
    'an answer with all that it may have',
    said({ role: 'assistant', content: 'x', refusal: null, annotations: [], audio: null, function_call: null }),
  ],
  [
    'a citation',
    said({
      role: 'assistant',
      content: 'x',
      annotations: [{ type: 'url_citation', url_citation: { url: 'u', start_index: 0 } }],
    }),
  ],
  ['readings of clients', said({ role: 'assistant', content: '{}', parsed: { a: [1] } })],
  [
    'copies of the answer in its parts',
    said({
      role: 'assistant',
      content: [
        { type: 'text', text: 'x', role: 'assistant', refusal: null, annotations: [], reasoning_content: 'y' },
        { type: 'refusal', refusal: 'no', role: 'assistant', annotations: [] },
      ],
    }),
  ],
  ['reasoning', said({ role: 'assistant', content: 'x', reasoning_content: 'y', reasoning: null })],
  [
    'tool calls and their results',
    said(
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', index: 0, type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'r' }] },
    ),
  ],
  [
    'tool calls without a type',
    said({ role: 'assistant', tool_calls: [{ id: 'a', index: 0, function: { name: 'f' } }] }),
  ],
  [
    'tool calls of Google’s models',
    said({
      role: 'assistant',
      tool_calls: [{ id: 'a', type: 'function', function: {}, extra_content: { google: { thought_signature: 's' } } }],
    }),
  ],
  [
    'a signature of Google’s models',
    said({ role: 'assistant', content: 'x', extra_content: { google: { thought_signature: 's' } } }),
  ],
  ['a refusal', said({ role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] })],
])('accepts back %s', (_what, body) => {
  expect(findFieldProblem(body)).toBeUndefined();
});

test.each<[string, object]>([
  ['messages.1.audio', said({ role: 'assistant', audio: { id: 'audio_1' } })],
  ['messages.1.content.0.type', said({ role: 'user', content: [{ type: 'video_url', video_url: { url: 'u' } }] })],
  ['messages.1.content.0.type', said({ role: 'user', content: [{ type: 'constructor' }] })],
  [
    'messages.1.tool_calls.0.type',
    said({ role: 'assistant', tool_calls: [{ type: 'custom', custom: { input: 'x' } }] }),
  ],
  ['messages.1.constructor', said({ ...user, constructor: 1 })],
  ['messages.1.__proto__', JSON.parse('{"messages":[{"role":"user"},{"role":"user","__proto__":{"a":1}}]}')],
  ['web_search_options', { web_search_options: {} }],
  ['tools.0.cache_control', { tools: [{ type: 'function', function: {}, cache_control: {} }] }],
  ['response_format.type', { response_format: { type: 'grammar' } }],
  ['stream_options.other', { stream_options: { other: 1 } }],
  ['service_tier', { service_tier: 'flex' }],
  ['modalities.1', { modalities: ['text', 'audio'] }],
  ['reasoning_effort', { reasoning_effort: 'unlimited' }],
])('%s needs a provider key of the caller’s own', (field, body) => {
  expect(findFieldProblem(body)).toMatchObject({ field, unpriced: true });
});

test.each(['constructor', 'hasOwnProperty', '__proto__', 'Web_Search_Options', 'my_own'])('%s is left out', (field) => {
  expect(isLeftOut(field)).toBe(true);
  expect(findFieldProblem(JSON.parse(`{"${field}":{"a":1}}`))).toBeUndefined();
});

test('depth is limited, without descending further', () => {
  const nested = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
  expect([isDeeperThan(nested(100), 100), isDeeperThan(nested(101), 100)]).toEqual([false, true]);
  expect(isDeeperThan(nested(1_000_000), 100)).toBe(true);
});

test('checks what a part is about, also where other parts may have a copy of it', () => {
  const body = said({ role: 'assistant', content: [{ type: 'refusal', refusal: { a: 1 } }] });
  expect(findFieldProblem(body)).toMatchObject({ field: 'messages.1.content.0.refusal', unpriced: false });
});
