import type { DatedPrice, PriceList } from '../providers/ai/models.ts';
import { OFFERED_MODELS, type OfferedModel } from '../providers/ai/offered-models.ts';

/** Creates the price list of the offered models from the data set `@pydantic/genai-prices`. */

type KindPrice = number | { base: number; tiers: { start: number; price: number }[] } | undefined;
type ModelPrice = Record<string, KindPrice>;

/** The part of a model in the data set that is read. */
export interface ModelInfo {
  context_window?: number;
  deprecated?: boolean;
  prices: ModelPrice | { constraint?: { type: string; start_date?: string }; prices: ModelPrice }[];
}

/** The data set. It finds a model by the provider's name for it, including aliases. */
export interface DataSet {
  calcPrice(
    usage: { input_tokens: number },
    model: string,
    options: { providerId: string },
  ): { model: ModelInfo } | null;
}

/** The data set's names of providers that differ from the platform's. */
const PROVIDER_IDS: Partial<Record<OfferedModel['provider'], string>> = { xai: 'x-ai' };

/** Prices of features that are not available on credits (contract/ai/credit-fields.ts). */
const NOT_SOLD = [
  'web_searches_kcount',
  'storage_searches_kcount',
  'cache_write_1h_mtok',
  'requests_kcount',
  'input_audio_mtok',
  'cache_audio_read_mtok',
  'output_audio_mtok',
];
const KINDS = ['input_mtok', 'cache_read_mtok', 'cache_write_mtok', 'output_mtok'];

/** Rounds a price up to six decimals of a dollar, because prices are calculated in integers (domain/ai/prices.ts). */
const roundUp = (dollars: number): number => Math.ceil(dollars * 1e6 - 1e-3) / 1e6;

/** Returns the price of one kind of token for prompts of more than `above` tokens. */
function priceAbove(price: KindPrice, above: number): number | undefined {
  if (price === undefined || typeof price === 'number') return price;
  return price.tiers.findLast(({ start }) => start <= above)?.price ?? price.base;
}

function pricesAbove(id: string, prices: ModelPrice, above: number): DatedPrice['price'] {
  const unknown = Object.keys(prices).filter((key) => !KINDS.includes(key) && !NOT_SOLD.includes(key));
  if (unknown.length > 0) throw new Error(`${id} has prices that the gateway does not know: ${unknown.join(', ')}`);
  const priceOf = (kind: string) => priceAbove(prices[kind], above);
  const [input, output] = [priceOf('input_mtok'), priceOf('output_mtok')];
  if (input === undefined || output === undefined) throw new Error(`${id} has no price of its input or output`);
  const [cachedInput = input, cacheWrite = input] = [priceOf('cache_read_mtok'), priceOf('cache_write_mtok')];
  return {
    input: roundUp(input),
    cachedInput: roundUp(cachedInput),
    cacheWrite: roundUp(cacheWrite),
    output: roundUp(output),
  };
}

const highestPrices = (all: DatedPrice['price'][]): DatedPrice['price'] => ({
  input: Math.max(...all.map(({ input }) => input)),
  cachedInput: Math.max(...all.map(({ cachedInput }) => cachedInput)),
  cacheWrite: Math.max(...all.map(({ cacheWrite }) => cacheWrite)),
  output: Math.max(...all.map(({ output }) => output)),
});

const stepsOf = (prices: ModelPrice): number[] =>
  Object.values(prices).flatMap((price) => (typeof price === 'object' ? price.tiers.map(({ start }) => start) : []));

/** Returns the prices of a model by the date from which they apply. If a price depends on the time of day, the highest one applies. */
function datedPrices(id: string, { prices }: ModelInfo): DatedPrice[] {
  const entries = Array.isArray(prices) ? prices : [{ constraint: undefined, prices }];
  const all = entries.map(({ constraint, prices: each }) => {
    const isDated = constraint === undefined || constraint.type === 'start_date';
    return { each, from: isDated ? (constraint?.start_date ?? '') : undefined };
  });
  const byHour = all.filter(({ from }) => from === undefined).map(({ each }) => each);
  return all.flatMap(({ each, from }) => {
    if (from === undefined) return [];
    const alternatives = [each, ...byHour];
    const at = (above: number) => highestPrices(alternatives.map((modelPrice) => pricesAbove(id, modelPrice, above)));
    const steps = [...new Set(alternatives.flatMap(stepsOf))].sort((a, b) => a - b);
    return [{ from, price: at(-1), steps: steps.map((above) => ({ above, price: at(above) })) }];
  });
}

/** Returns the price list of models. Throws if the data set lacks a model, or has prices of an unknown kind. */
export function createPriceList(
  { calcPrice }: DataSet,
  offered: readonly Pick<OfferedModel, 'provider' | 'upstream'>[] = OFFERED_MODELS,
): PriceList['models'] {
  const entries = offered.map(({ provider, upstream }) => {
    const id = `${provider}/${upstream}`;
    const found = calcPrice({ input_tokens: 1 }, upstream, { providerId: PROVIDER_IDS[provider] ?? provider });
    if (!found) throw new Error(`${id} is not in the data set`);
    const { context_window, deprecated = false } = found.model;
    const prices = datedPrices(id, found.model);
    return [id, { contextWindow: context_window ?? null, deprecated, prices }] as const;
  });
  return Object.fromEntries(entries);
}

/** Returns the changes for approval, one line each. */
export function describeChanges(before: PriceList['models'], after: PriceList['models']): string[] {
  const ids = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return ids.flatMap((id) => {
    const [old, now] = [before[id], after[id]];
    if (!old) return [`+ ${id}: ${JSON.stringify(now)}`];
    if (!now) return [`- ${id}`];
    const fields = ['contextWindow', 'deprecated', 'prices'] as const;
    return fields
      .filter((field) => JSON.stringify(old[field]) !== JSON.stringify(now[field]))
      .map((field) => `~ ${id} ${field}\n    ${JSON.stringify(old[field])}\n  → ${JSON.stringify(now[field])}`);
  });
}
