import type { ListPrice, PriceStep } from '../../providers/ai/models.ts';
import type { Usage } from '../../providers/ai/usage.ts';
import { formatRand } from '../billing/money.ts';

/**
 * Prices of the AI gateway. Amounts are whole micro-rand (millionths of a rand), calculated from the unrounded list price and rounded up
 * once per call. The calculation uses integers only: a price has at most six decimals of a dollar, the exchange rate four of a rand.
 */
export interface Rate {
  price: ListPrice;
  /** Higher prices of long prompts. */
  steps?: readonly PriceStep[] | undefined;
  /** Rand for a dollar. */
  randPerDollar: number;
}

/** Micro-rand in a cent. */
export const CENT_MICRO_RAND = 10_000;
const PRICE_SCALE = 1_000_000;
const RATE_SCALE = 10_000;
const scaled = (value: number, scale: number): bigint => BigInt(Math.round(value * scale));
/** Dollars per million tokens times rand per dollar gives micro-rand per token. Both factors are scaled, so the product has both scales. */
const SCALES = BigInt(PRICE_SCALE) * BigInt(RATE_SCALE);

/** Tokens by kind; each token counts in one kind only. */
export type Tokens = Pick<Usage, 'input' | 'cached' | 'cacheWrite' | 'output'>;

/** Returns the price that applies to a prompt of this many tokens: the price of the highest step that it exceeds. */
export function priceFor({ price, steps = [] }: Rate, promptTokens: number): ListPrice {
  let applies = { above: -1, price };
  for (const step of steps) if (promptTokens > step.above && step.above > applies.above) applies = step;
  return applies.price;
}

/** Returns the cost of tokens in micro-rand, multiplied by both scales. */
function calculateUnrounded(rate: Rate, tokens: Tokens): bigint {
  const { randPerDollar } = rate;
  const price = priceFor(rate, tokens.input + tokens.cached + tokens.cacheWrite);
  const dollars =
    BigInt(tokens.input) * scaled(price.input, PRICE_SCALE) +
    BigInt(tokens.cached) * scaled(price.cachedInput, PRICE_SCALE) +
    BigInt(tokens.cacheWrite) * scaled(price.cacheWrite, PRICE_SCALE) +
    BigInt(tokens.output) * scaled(price.output, PRICE_SCALE);
  return dollars * scaled(randPerDollar, RATE_SCALE);
}

/** Returns the cost of tokens in micro-rand, rounded up. */
export function calculateCost(rate: Rate, tokens: Tokens): number {
  return Number((calculateUnrounded(rate, tokens) + SCALES - 1n) / SCALES);
}

/** Returns a rate without steps for each price that a prompt of up to this many tokens may have, with all input at its most expensive kind. */
function worstRates(rate: Rate, promptTokens: number): Rate[] {
  const { price, steps = [], randPerDollar } = rate;
  const reachable = [price, ...steps.filter(({ above }) => above < promptTokens).map((step) => step.price)];
  return reachable.map(({ input, cachedInput, cacheWrite, output }) => ({
    price: { input: Math.max(input, cachedInput, cacheWrite), cachedInput: 0, cacheWrite: 0, output },
    randPerDollar,
  }));
}

const NO_TOKENS: Tokens = { input: 0, cached: 0, cacheWrite: 0, output: 0 };

/** Returns the maximum cost of a call of up to this many tokens, in micro-rand, over all kinds of tokens and all price steps. */
export function maxCost(rate: Rate, promptTokens: number, output: number): number {
  const costs = worstRates(rate, promptTokens).map((worst) =>
    calculateCost(worst, { ...NO_TOKENS, input: promptTokens, output }),
  );
  return Math.max(...costs);
}

/** Returns the output tokens that an amount pays for after a prompt of up to this many tokens; 0 or less if it pays for none. */
export function affordableOutput(rate: Rate, promptTokens: number, microRand: number): number {
  const outputs = worstRates(rate, promptTokens).map((worst) => {
    const remaining = microRand - calculateCost(worst, { ...NO_TOKENS, input: promptTokens });
    if (remaining < 0) return -1;
    const costPerToken = scaled(worst.price.output, PRICE_SCALE) * scaled(worst.randPerDollar, RATE_SCALE);
    return costPerToken === 0n ? Number.MAX_SAFE_INTEGER : Number((BigInt(remaining) * SCALES) / costPerToken);
  });
  return Math.min(...outputs);
}

/** Formats a price for callers: rand per million tokens with two decimals, rounded half up. */
export function randPerMillion(dollars: number, randPerDollar: number): string {
  const cents = (scaled(dollars, PRICE_SCALE) * scaled(randPerDollar, RATE_SCALE) * 100n * 2n + SCALES) / (SCALES * 2n);
  return formatRand(Number(cents));
}

/** Formats micro-rand as rand with two decimals, rounded down, so that the account has at least the amount shown. */
export const microRandToRand = (microRand: number): string => formatRand(Math.floor(microRand / CENT_MICRO_RAND));

/** Formats a debt in micro-rand as rand with two decimals, rounded up, so that the amount shown covers the debt. */
export const debtToRand = (microRand: number): string => microRandToRand(microRand + CENT_MICRO_RAND - 1);
