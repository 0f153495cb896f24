import { expect, test } from 'vitest';
import { modelsAt } from '../providers/ai/models.ts';
import { CORRECTIONS, OFFERED_MODELS, SUCCESSORS } from '../providers/ai/offered-models.ts';
import list from '../providers/ai/price-list.json' with { type: 'json' };
import { createPriceList, describeChanges, type ModelInfo } from './price-list.ts';

const at = (date: string, id: string) => modelsAt(new Date(date)).find((model) => model.id === id);
const listOf = (model: ModelInfo) =>
  createPriceList({ calcPrice: () => ({ model }) }, [{ provider: 'xai', upstream: 'grok' }])['xai/grok'];

test('steps, announced dates and times of day of the data set become prices that are sold', () => {
  const stepping = { base: 2, tiers: [{ start: 200_000, price: 4 }] };
  const tiered = {
    input_mtok: stepping,
    cache_read_mtok: 0.5,
    output_mtok: { base: 6, tiers: [{ start: 200_000, price: 12 }] },
  };
  expect(listOf({ context_window: 500_000, prices: tiered })).toEqual({
    contextWindow: 500_000,
    deprecated: false,
    prices: [
      {
        from: '',
        price: { input: 2, cachedInput: 0.5, cacheWrite: 2, output: 6 },
        steps: [{ above: 200_000, price: { input: 4, cachedInput: 0.5, cacheWrite: 4, output: 12 } }],
      },
    ],
  });
  const dated = listOf({
    deprecated: true,
    prices: [
      { prices: { input_mtok: 1, output_mtok: 2 } },
      { constraint: { type: 'start_date', start_date: '2027-01-01' }, prices: { input_mtok: 3, output_mtok: 4 } },
      { constraint: { type: 'time_of_date' }, prices: { input_mtok: 2, output_mtok: 1, web_searches_kcount: 10 } },
    ],
  });
  expect(dated?.prices.map(({ from, price: { input, output } }) => [from, input, output])).toEqual([
    ['', 2, 2],
    ['2027-01-01', 3, 4],
  ]);
  expect(dated?.deprecated).toBe(true);
});

test('a kind of price that the gateway does not know stops the update', () => {
  expect(() => listOf({ prices: { input_mtok: 1, output_mtok: 2, output_image_mtok: 9 } })).toThrow(
    /output_image_mtok/,
  );
  expect(() => listOf({ prices: { input_mtok: 1 } })).toThrow(/no price of its input or output/);
  expect(() => createPriceList({ calcPrice: () => null })).toThrow(/is not in the data set/);
});

test('every model on offer has a price, a context and limits within it', () => {
  const sold = modelsAt(new Date()).filter(({ credits }) => credits);
  expect(sold.map(({ id }) => id).sort()).toEqual(OFFERED_MODELS.map((o) => `${o.provider}/${o.upstream}`).sort());
  for (const { id, price, steps = [], contextLimit, outputLimit } of sold) {
    for (const { input, cachedInput, cacheWrite, output } of [price, ...steps.map((step) => step.price)]) {
      expect([id, input > 0, output > 0, cachedInput >= 0, cacheWrite > 0]).toEqual([id, true, true, true, true]);
    }
    expect([id, outputLimit < contextLimit]).toEqual([id, true]);
  }
});

test('no name is sold whose provider may move it to another model at any time', () => {
  expect(OFFERED_MODELS.filter(({ upstream }) => /latest$/.test(upstream))).toEqual([]);
});

test('a retired name is sold as the model that serves it, from the announced day', () => {
  for (const [id, { from, upstream }] of Object.entries(SUCCESSORS)) {
    const nextDay = new Date(Date.parse(from) + 86_400_000).toISOString();
    const successor = at(nextDay, `${id.split('/')[0]}/${upstream}`);
    expect(at(nextDay, id)).toEqual({ ...successor, id, upstream: id.split('/')[1] });
    expect(at(from, id)?.name).toBe(successor?.name);
    expect(at(new Date(Date.parse(from) - 1).toISOString(), id)?.name).not.toBe(successor?.name);
  }
  expect(at('2026-11-30', 'google/gemini-2.5-pro')?.price.output).toBe(10);
  expect(at('2026-12-02', 'google/gemini-2.5-pro')?.price.output).toBe(3.75);
  expect(at('2027-01-01', 'google/gemini-2.5-pro')?.price.output).toBe(7.5);
});

test('a price is the dearer of it and the one before until its first day is over everywhere', () => {
  expect(at('2026-12-01T23:59:59Z', 'google/gemini-2.5-pro')).toMatchObject({
    price: { input: 1.25, cachedInput: 0.125, output: 10 },
    steps: [{ above: 200_000, price: { input: 2.5, output: 15 } }],
  });
  expect(at('2026-12-02', 'google/gemini-2.5-pro')?.steps).toBeUndefined();
});

test('a price that the list has not followed is corrected, and a correction that says no more than the list is gone', () => {
  for (const [id, price] of Object.entries(CORRECTIONS)) {
    expect(at('2026-11-26', id)).toMatchObject({ price });
    expect(list.models).not.toMatchObject({
      [id]: { prices: expect.arrayContaining([expect.objectContaining({ price })]) },
    });
  }
});

test('prices change on the day that the provider announced, and step up above a context length', () => {
  expect(at('2026-12-31T23:59:59Z', 'google/gemini-3.8-flash')?.price.input).toBe(0.75);
  expect(at('2027-01-01T00:00:00Z', 'google/gemini-3.8-flash')?.price.input).toBe(1.5);
  expect(at('2026-11-22T00:00:00Z', 'google/gemini-2.5-pro')).toMatchObject({
    price: { input: 1.25, output: 10 },
    steps: [{ above: 200_000, price: { input: 2.5, output: 15 } }],
  });
});

test('a price that depends on the time of day is sold at its dearest', () => {
  expect(at('2026-11-22T00:00:00Z', 'deepseek/deepseek-v4-pro')?.price).toMatchObject({ input: 1.32, output: 3.96 });
});

test('differences are described for a person, model by model', () => {
  const at = (output: number) => ({
    contextWindow: null,
    deprecated: false,
    prices: [{ from: '', price: { input: 1, cachedInput: 1, cacheWrite: 1, output }, steps: [] }],
  });
  const before = { 'openai/gpt-4o': at(5), 'openai/gpt-5': at(10) };
  const after = { 'openai/gpt-5': at(11), 'openai/new': at(5) };
  expect(describeChanges(before, before)).toEqual([]);
  expect(describeChanges(before, after).sort()).toEqual([
    expect.stringMatching(/^\+ openai\/new: /),
    '- openai/gpt-4o',
    expect.stringMatching(/^~ openai\/gpt-5 prices\n.*"output":10.*\n {2}→ .*"output":11/s),
  ]);
});
