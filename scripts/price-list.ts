import { calcPrice, type ModelInfo, type ModelPrice } from '@pydantic/genai-prices';
import manifest from '../package.json' with { type: 'json' };
import type { DatedPrice, PriceList } from '../providers/ai/models.ts';
import { OFFERED_MODELS, type OfferedModel } from '../providers/ai/offered-models.ts';

/** The price list of the models on offer, from the data set `@pydantic/genai-prices`, whose version `package.json` pins. */

/** Our names of providers, where the data set has others. */
const PROVIDER_IDS: Partial<Record<OfferedModel['provider'], string>> = { xai: 'x-ai' };

/** Prices of what cannot be asked for on credits (contract/ai/credit-fields.ts). */
const NOT_SOLD = [
  ...['web_searches_kcount', 'storage_searches_kcount', 'cache_write_1h_mtok', 'requests_kcount'],
  ...['input_audio_mtok', 'cache_audio_read_mtok', 'output_audio_mtok'],
];
const KINDS = ['input_mtok', 'cache_read_mtok', 'cache_write_mtok', 'output_mtok'];

type Constraint = { type: string; start_date?: string };
/** Decimals of a dollar per million tokens: prices are multiplied out in integers (domain/ai/prices.ts). */
const rounded = (dollars: number): number => Math.ceil(dollars * 1e6 - 1e-3) / 1e6;

/** The price of one kind of token for prompts of more than `above` tokens. */
function priceAbove(price: ModelPrice[string], above: number): number | undefined {
  if (price === undefined || typeof price === 'number') return price;
  return price.tiers.findLast(({ start }) => start <= above)?.price ?? price.base;
}

function pricesAbove(id: string, prices: ModelPrice, above: number): DatedPrice['price'] {
  const unknown = Object.keys(prices).filter((key) => !KINDS.includes(key) && !NOT_SOLD.includes(key));
  if (unknown.length > 0) throw new Error(`${id} has prices that the gateway does not know: ${unknown.join(', ')}`);
  const of = (kind: string) => priceAbove(prices[kind], above);
  const [input, output] = [of('input_mtok'), of('output_mtok')];
  if (input === undefined || output === undefined) throw new Error(`${id} has no price of its input or output`);
  const [cachedInput = input, cacheWrite = input] = [of('cache_read_mtok'), of('cache_write_mtok')];
  return {
    ...{ input: rounded(input), cachedInput: rounded(cachedInput) },
    ...{ cacheWrite: rounded(cacheWrite), output: rounded(output) },
  };
}

const dearest = (all: DatedPrice['price'][]): DatedPrice['price'] => ({
  input: Math.max(...all.map(({ input }) => input)),
  cachedInput: Math.max(...all.map(({ cachedInput }) => cachedInput)),
  cacheWrite: Math.max(...all.map(({ cacheWrite }) => cacheWrite)),
  output: Math.max(...all.map(({ output }) => output)),
});

const stepsOf = (prices: ModelPrice): number[] =>
  Object.values(prices).flatMap((price) => (typeof price === 'object' ? price.tiers.map(({ start }) => start) : []));

/** The prices of a model by the date from which they apply. A price that depends on the time of day is sold at its dearest. */
function datedPrices(id: string, { prices }: ModelInfo): DatedPrice[] {
  const all = (Array.isArray(prices) ? prices : [{ prices }]).map(({ constraint, prices: each }) => {
    const { type, start_date } = (constraint ?? { type: 'start_date' }) as Constraint;
    return { each, from: type === 'start_date' ? (start_date ?? '') : undefined };
  });
  const byHour = all.filter(({ from }) => from === undefined).map(({ each }) => each);
  return all.flatMap(({ each, from }) => {
    if (from === undefined) return [];
    const alternatives = [each, ...byHour];
    const at = (above: number) => dearest(alternatives.map((one) => pricesAbove(id, one, above)));
    const steps = [...new Set(alternatives.flatMap(stepsOf))].sort((a, b) => a - b);
    return [{ from, price: at(-1), steps: steps.map((above) => ({ above, price: at(above) })) }];
  });
}

/** Returns the price list of the models on offer. Throws where the data set does not know one, or has prices of an unknown kind. */
export function makePriceList(): PriceList {
  const entries = OFFERED_MODELS.map(({ provider, upstream }) => {
    const id = `${provider}/${upstream}`;
    const found = calcPrice({ input_tokens: 1 }, upstream, { providerId: PROVIDER_IDS[provider] ?? provider });
    if (!found) throw new Error(`${id} is not in the data set`);
    const { context_window, deprecated = false } = found.model;
    const prices = datedPrices(id, found.model);
    return [id, { contextWindow: context_window ?? null, deprecated, prices }] as const;
  });
  return {
    source: `@pydantic/genai-prices ${manifest.devDependencies['@pydantic/genai-prices']}`,
    models: Object.fromEntries(entries),
  };
}

/** Returns the differences that a person approves, a line for each difference between two lists. */
export function describeChanges(before: PriceList, after: PriceList): string[] {
  const ids = [...new Set([...Object.keys(before.models), ...Object.keys(after.models)])];
  return ids.flatMap((id) => {
    const [old, now] = [before.models[id], after.models[id]];
    if (!old) return [`+ ${id}: ${JSON.stringify(now)}`];
    if (!now) return [`- ${id}`];
    const fields = ['contextWindow', 'deprecated', 'prices'] as const;
    return fields
      .filter((field) => JSON.stringify(old[field]) !== JSON.stringify(now[field]))
      .map((field) => `~ ${id} ${field}\n    ${JSON.stringify(old[field])}\n  → ${JSON.stringify(now[field])}`);
  });
}
