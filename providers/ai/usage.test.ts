import { expect, test } from 'vitest';
import { UsageTally } from './anthropic-events.ts';
import { readUsage, toChatUsage, type Usage } from './usage.ts';

const counts = (prompt: number, completion: number, more: object = {}) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  ...more,
});

test.each<[string, unknown, Usage | undefined]>([
  ['OpenAI', counts(10, 5, { total_tokens: 15 }), { input: 10, cached: 0, cacheWrite: 0, output: 5 }],
  [
    'OpenAI: cached',
    counts(10, 5, { prompt_tokens_details: { cached_tokens: 4 } }),
    { input: 6, cached: 4, cacheWrite: 0, output: 5 },
  ],
  [
    'DeepSeek: cached',
    counts(10, 5, { prompt_cache_hit_tokens: 4 }),
    { input: 6, cached: 4, cacheWrite: 0, output: 5 },
  ],
  [
    'OpenRouter: written to the cache',
    counts(10, 5, { prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 5 } }),
    { input: 1, cached: 4, cacheWrite: 5, output: 5 },
  ],
  [
    'more cached than read',
    counts(10, 5, { prompt_tokens_details: { cached_tokens: 8, cache_write_tokens: 8 } }),
    { input: 0, cached: 8, cacheWrite: 2, output: 5 },
  ],
  ['xAI, Google: thinking', counts(10, 5, { total_tokens: 40 }), { input: 10, cached: 0, cacheWrite: 0, output: 30 }],
  ['a total that is too small', counts(10, 5, { total_tokens: 3 }), { input: 10, cached: 0, cacheWrite: 0, output: 5 }],
  ['thinking alone', { prompt_tokens: 10, total_tokens: 40 }, { input: 10, cached: 0, cacheWrite: 0, output: 30 }],
  ['no completion', { prompt_tokens: 10 }, undefined],
  ['no prompt', { completion_tokens: 5 }, undefined],
  ...[-1, 1.5, 2 ** 53, '10', null].map((prompt): [string, unknown, undefined] => [
    `a prompt of ${prompt}`,
    { prompt_tokens: prompt, completion_tokens: 5 },
    undefined,
  ]),
])('reads a usage in each dialect (%s)', (_what, value, usage) => {
  expect(readUsage(value)).toEqual(usage);
  if (usage) expect(readUsage(toChatUsage(usage))).toMatchObject({ cached: usage.cached, output: usage.output });
});

test('sums up Anthropic’s cumulative counts, and keeps a count that a later report omits', () => {
  const tally = new UsageTally();
  tally.add({ cache_read_input_tokens: 4 });
  expect(tally.prompt).toBeUndefined();
  tally.add({ input_tokens: 10, output_tokens: 1, cache_creation_input_tokens: null });
  tally.add({ output_tokens: 7, input_tokens: null, cache_read_input_tokens: -1 });
  tally.add('no usage');
  expect([tally.prompt, tally.output]).toEqual([{ input: 10, cached: 4, cacheWrite: 0 }, 7]);
});
