import { CORRECTIONS, OFFERED_MODELS, type OfferedModel, SUCCESSORS } from './offered-models.ts';
import list from './price-list.json' with { type: 'json' };
import type { ProviderId } from './registry.ts';

/** List prices in dollars per million tokens; each token counts in one of the four. */
export interface ListPrice {
  input: number;
  cachedInput: number;
  cacheWrite: number;
  output: number;
}

/** The price of all tokens of a call whose prompt has more than `above` tokens. */
export interface PriceStep {
  above: number;
  price: ListPrice;
}

export interface Model {
  /** `<provider>/<model>`, as callers name it. */
  id: string;
  provider: ProviderId;
  /** As the provider names it. */
  upstream: string;
  name: string;
  price: ListPrice;
  /** Higher prices for long prompts. */
  steps?: readonly PriceStep[] | undefined;
  /** The most tokens that an image counts as; 0 if the model does not read images. */
  imageTokens?: number | undefined;
  /** Tokens of input and output together, and of output alone. */
  contextLimit: number;
  outputLimit: number;
  /** True when the model is sold on credits; otherwise it requires the caller's own key. */
  credits: boolean;
}

/** Prices that apply from a date: `YYYY-MM-DD`, or `''` for the first price of a model. */
export interface DatedPrice {
  from: string;
  price: ListPrice;
  steps: PriceStep[];
}

/** `price-list.json`, which `npm run prices:update` writes from a maintained data set. */
export interface PriceList {
  /** The package with its version, and the digest of the download. */
  source: string;
  integrity: string;
  models: Record<string, { contextWindow: number | null; deprecated: boolean; prices: DatedPrice[] }>;
}

const PRICES: PriceList = list;
/** Context window in tokens of a model for which neither its entry nor the price list has one. */
const DEFAULT_CONTEXT = 128_000;

const DAY_MS = 86_400_000;
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** Returns the model that serves an offered model on a day, with its context window and price. */
function servedOn(offered: OfferedModel, day: string) {
  const { provider, upstream } = offered;
  const successor = SUCCESSORS[`${provider}/${upstream}`];
  const isReplaced = successor !== undefined && successor.from <= day;
  const served = isReplaced ? OFFERED_MODELS.find((model) => model.upstream === successor.upstream) : offered;
  const { prices = [], contextWindow } = PRICES.models[`${provider}/${served?.upstream}`] ?? {};
  const current = prices.findLast(({ from }) => from <= day);
  return served && current ? { served, contextWindow, current } : undefined;
}

type Priced = Pick<DatedPrice, 'price' | 'steps'>;

/** Returns the higher of two prices for each kind of token and at each step. */
function higherPrice(one: Priced, other: Priced): Priced {
  const maxOf = (a: ListPrice, b: ListPrice): ListPrice => ({
    input: Math.max(a.input, b.input),
    cachedInput: Math.max(a.cachedInput, b.cachedInput),
    cacheWrite: Math.max(a.cacheWrite, b.cacheWrite),
    output: Math.max(a.output, b.output),
  });
  const priceAbove = ({ price, steps }: Priced, tokens: number) =>
    steps.findLast((step) => step.above <= tokens)?.price ?? price;
  const starts = new Set([...one.steps, ...other.steps].map((step) => step.above));
  const steps = [...starts]
    .sort((a, b) => a - b)
    .map((tokens) => ({ above: tokens, price: maxOf(priceAbove(one, tokens), priceAbove(other, tokens)) }));
  return { price: maxOf(one.price, other.price), steps };
}

/**
 * Returns the built-in offer at the providers' list prices of a day. Models that their provider has retired are left out; models that the
 * provider serves by a successor are sold as that successor. Operators may replace the offer (functions/operator/setAiOffer).
 * A provider's day may begin later than the UTC day (Google's at 08:00 UTC), so on its first day a new price counts only if it is higher
 * than the previous one.
 */
export function modelsAt(now: Date): readonly Model[] {
  return OFFERED_MODELS.flatMap((offered): Model[] => {
    const { provider, upstream } = offered;
    const id = `${provider}/${upstream}`;
    const [before, today] = [now.getTime() - DAY_MS, now.getTime()].map((time) => servedOn(offered, dayOf(time)));
    if (!today || PRICES.models[id]?.deprecated) return [];
    const { served, contextWindow, current } = today;
    const contextLimit = Math.max(served.contextLimit ?? 0, contextWindow ?? 0) || DEFAULT_CONTEXT;
    const { price, steps } = before ? higherPrice(before.current, current) : current;
    const sold = { ...served, upstream, id, price: CORRECTIONS[id] ?? price, contextLimit, credits: true };
    return [{ ...sold, ...(steps.length > 0 ? { steps } : {}) }];
  });
}
