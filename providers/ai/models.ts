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

/** The price of a call whose prompt has more than `above` tokens, all of it. */
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
  /** Dearer prices of long prompts. */
  steps?: readonly PriceStep[] | undefined;
  /** The most tokens that a picture counts as; 0 when the model reads none. */
  imageTokens?: number | undefined;
  /** Tokens of input and output together, and of output alone. */
  contextLimit: number;
  outputLimit: number;
  /** True when the model is sold on credits; otherwise it requires the caller's own key. */
  credits: boolean;
}

/** Prices that apply from a date (`YYYY-MM-DD`; the first of a model from `''`). */
export interface DatedPrice {
  from: string;
  price: ListPrice;
  steps: PriceStep[];
}

/** `price-list.json`, which `npm run prices:update` writes from a maintained data set. */
export interface PriceList {
  /** The package and its version, and the digest of what was downloaded. */
  source: string;
  integrity: string;
  models: Record<string, { contextWindow: number | null; deprecated: boolean; prices: DatedPrice[] }>;
}

const PRICES: PriceList = list;
/** A model that neither its entry nor the price list gives a context is taken for one of this many tokens. */
const DEFAULT_CONTEXT = 128_000;

/** Priced by the company that serves it: available only with the caller's own key. */
const UNPRICED: Model = {
  id: 'openrouter/openrouter/auto',
  provider: 'openrouter',
  upstream: 'openrouter/auto',
  name: 'OpenRouter Auto',
  price: { input: 0, cachedInput: 0, cacheWrite: 0, output: 0 },
  contextLimit: 2_000_000,
  outputLimit: 2_000_000,
  credits: false,
};

const DAY_MS = 86_400_000;
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** Returns the model that serves an offered one on a day, its context and its price. */
function servedOn(offered: OfferedModel, day: string) {
  const { provider, upstream } = offered;
  const successor = SUCCESSORS[`${provider}/${upstream}`];
  const isReplaced = successor !== undefined && successor.from <= day;
  const served = isReplaced ? OFFERED_MODELS.find((each) => each.upstream === successor.upstream) : offered;
  const { prices = [], contextWindow } = PRICES.models[`${provider}/${served?.upstream}`] ?? {};
  const current = prices.findLast(({ from }) => from <= day);
  return served && current ? { served, contextWindow, current } : undefined;
}

type Priced = Pick<DatedPrice, 'price' | 'steps'>;

/** Returns the dearer of two prices, token by token and at each step. */
function dearer(one: Priced, other: Priced): Priced {
  const most = (a: ListPrice, b: ListPrice): ListPrice => ({
    input: Math.max(a.input, b.input),
    cachedInput: Math.max(a.cachedInput, b.cachedInput),
    cacheWrite: Math.max(a.cacheWrite, b.cacheWrite),
    output: Math.max(a.output, b.output),
  });
  const above = ({ price, steps }: Priced, tokens: number) =>
    steps.findLast((step) => step.above <= tokens)?.price ?? price;
  const starts = new Set([...one.steps, ...other.steps].map((step) => step.above));
  const steps = [...starts]
    .sort((a, b) => a - b)
    .map((tokens) => ({ above: tokens, price: most(above(one, tokens), above(other, tokens)) }));
  return { price: most(one.price, other.price), steps };
}

/**
 * Returns the built-in offer at the providers' list prices of a day. Models that their provider retires are left out, and those
 * that it then serves by another one are sold as that one. Operators may replace the offer (functions/operator/setAiOffer).
 * A provider's day does not begin with ours (Google's at 08:00 UTC): on its first day, a price is the dearer of it and the one before.
 */
export function modelsAt(now: Date): readonly Model[] {
  const models = OFFERED_MODELS.flatMap((offered): Model[] => {
    const { provider, upstream } = offered;
    const id = `${provider}/${upstream}`;
    const [before, today] = [now.getTime() - DAY_MS, now.getTime()].map((time) => servedOn(offered, dayOf(time)));
    if (!today || PRICES.models[id]?.deprecated) return [];
    const { served, contextWindow, current } = today;
    const contextLimit = Math.max(served.contextLimit ?? 0, contextWindow ?? 0) || DEFAULT_CONTEXT;
    const { price, steps } = before ? dearer(before.current, current) : current;
    const sold = { ...served, upstream, id, price: CORRECTIONS[id] ?? price, contextLimit, credits: true };
    return [{ ...sold, ...(steps.length > 0 ? { steps } : {}) }];
  });
  return [...models, UNPRICED];
}
