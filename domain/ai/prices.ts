import type { ListPrice, PriceStep } from '../../providers/ai/models.ts';
import type { Usage } from '../../providers/ai/usage.ts';
import { formatRand } from '../billing/money.ts';

/**
 * Money of the AI gateway: whole micro-rand (a millionth of a rand), from the unrounded list price, rounded up once per
 * call. Multiplied out in integers: a price has at most six decimals of a dollar, the rate four of a rand.
 */
export interface Rate {
  price: ListPrice;
  /** Dearer prices of long prompts. */
  steps?: readonly PriceStep[] | undefined;
  /** Rand for a dollar. */
  randPerDollar: number;
}

/** Micro-rand in a cent. */
export const CENT_MICRO_RAND = 10_000;
const PRICE_SCALE = 1_000_000;
const RATE_SCALE = 10_000;
const scaled = (value: number, scale: number): bigint => BigInt(Math.round(value * scale));
/** Dollars per million tokens times rand per dollar is micro-rand per token, times both scales. */
const SCALES = BigInt(PRICE_SCALE) * BigInt(RATE_SCALE);

/** The tokens of each kind, each once. */
export type Tokens = Pick<Usage, 'input' | 'cached' | 'cacheWrite' | 'output'>;

/** Returns the price that applies to a prompt of this many tokens: that of the highest step below it. */
export function priceFor({ price, steps = [] }: Rate, promptTokens: number): ListPrice {
  let applies = { above: -1, price };
  for (const step of steps) if (promptTokens > step.above && step.above > applies.above) applies = step;
  return applies.price;
}

/** The price of these tokens in micro-rand times both scales. */
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

/** A rate without steps for each price that a prompt of up to this many tokens may have, every input token at the dearest of its kinds. */
function worstRates(rate: Rate, promptTokens: number): Rate[] {
  const { price, steps = [], randPerDollar } = rate;
  const reachable = [price, ...steps.filter(({ above }) => above < promptTokens).map((step) => step.price)];
  return reachable.map(({ input, cachedInput, cacheWrite, output }) => ({
    price: { input: Math.max(input, cachedInput, cacheWrite), cachedInput: 0, cacheWrite: 0, output },
    randPerDollar,
  }));
}

const NO_TOKENS: Tokens = { input: 0, cached: 0, cacheWrite: 0, output: 0 };

/** The most that a call of up to this many tokens can cost, in micro-rand: whatever kind they are, at the dearest step. */
export function maxCost(rate: Rate, promptTokens: number, output: number): number {
  const costs = worstRates(rate, promptTokens).map((worst) =>
    calculateCost(worst, { ...NO_TOKENS, input: promptTokens, output }),
  );
  return Math.max(...costs);
}

/** Returns the output tokens that an amount pays for after a prompt of up to this many tokens; 0 or less when it pays for none. */
export function affordableOutput(rate: Rate, promptTokens: number, microRand: number): number {
  const outputs = worstRates(rate, promptTokens).map((worst) => {
    const left = microRand - calculateCost(worst, { ...NO_TOKENS, input: promptTokens });
    if (left < 0) return -1;
    const each = scaled(worst.price.output, PRICE_SCALE) * scaled(worst.randPerDollar, RATE_SCALE);
    return each === 0n ? Number.MAX_SAFE_INTEGER : Number((BigInt(left) * SCALES) / each);
  });
  return Math.min(...outputs);
}

/** A price as callers are shown it: rand per million tokens with two decimals, rounded half up. */
export function randPerMillion(dollars: number, randPerDollar: number): string {
  const cents = (scaled(dollars, PRICE_SCALE) * scaled(randPerDollar, RATE_SCALE) * 100n * 2n + SCALES) / (SCALES * 2n);
  return formatRand(Number(cents));
}

/** Micro-rand as rand with two decimals, rounded down: what is shown is there. */
export const microRandToRand = (microRand: number): string => formatRand(Math.floor(microRand / CENT_MICRO_RAND));

/** Micro-rand that are owed as rand with two decimals, rounded up: what is shown covers them. */
export const debtToRand = (microRand: number): string => microRandToRand(microRand + CENT_MICRO_RAND - 1);
