import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { modelsAt, type PriceList } from '../providers/ai/models.ts';
import { OFFERED_MODELS } from '../providers/ai/offered-models.ts';
import { describeChanges, makePriceList } from './price-list.ts';

const written = (): PriceList =>
  JSON.parse(readFileSync(new URL('../providers/ai/price-list.json', import.meta.url), 'utf8'));
const at = (date: string, id: string) => modelsAt(new Date(date)).find((model) => model.id === id);

test('the prices that are sold are those of the pinned data set', () => {
  expect(describeChanges(written(), makePriceList())).toEqual([]);
  expect(written().source).toBe(makePriceList().source);
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

test('prices change on the day that the provider announced, and step up above a context length', () => {
  expect(at('2026-12-31T23:59:59Z', 'google/gemini-3.8-flash')?.price.input).toBe(0.75);
  expect(at('2027-01-01T00:00:00Z', 'google/gemini-3.8-flash')?.price.input).toBe(1.5);
  expect(at('2026-11-22T00:00:00Z', 'google/gemini-2.5-pro')).toMatchObject({
    price: { input: 1.25, output: 10 },
    steps: [{ above: 200_000, price: { input: 2.5, output: 15 } }],
  });
});

test('a price that depends on the time of day is sold at its dearest', () => {
  expect(at('2026-11-22T00:00:00Z', 'deepseek/deepseek-v4-flash')?.price).toMatchObject({ input: 0.44, output: 1.32 });
});

test('differences are described for a person, model by model', () => {
  const before = written();
  const { 'openai/gpt-4o': removed, 'openai/gpt-5': dearer, ...others } = structuredClone(before.models);
  if (!removed || !dearer?.prices[0]) return expect.fail('the offer has other models');
  dearer.prices[0].price.output = 11;
  const after = { ...before, models: { ...others, 'openai/gpt-5': dearer, 'openai/new': removed } };
  expect(describeChanges(before, before)).toEqual([]);
  expect(describeChanges(before, after).sort()).toEqual([
    expect.stringMatching(/^\+ openai\/new: /),
    '- openai/gpt-4o',
    expect.stringMatching(/^~ openai\/gpt-5 prices\n.*"output":10.*\n {2}→ .*"output":11/s),
  ]);
});
