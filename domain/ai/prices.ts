import type { ListPrice } from '../../providers/ai/models.ts';
import type { Usage } from '../../providers/ai/usage.ts';

/**
 * Money of the AI gateway: whole micro-rand (a millionth of a rand), from the unrounded list price, rounded up once per
 * call. Multiplied out in integers: a price has at most six decimals of a dollar, the rate four of a rand.
 */
export interface Rate {
  price: ListPrice;
  /** Rand for a dollar. */
  randPerDollar: number;
}

const PRICE_SCALE = 1_000_000;
const RATE_SCALE = 10_000;
const scaled = (value: number, scale: number): bigint => BigInt(Math.round(value * scale));
/** Dollars per million tokens times rand per dollar is micro-rand per token, times both scales. */
const SCALES = BigInt(PRICE_SCALE) * BigInt(RATE_SCALE);

/** The tokens of each kind, each once. */
export type Tokens = Pick<Usage, 'input' | 'cached' | 'cacheWrite' | 'output'>;

/** The price of these tokens in micro-rand times both scales. */
function calculateUnrounded({ price, randPerDollar }: Rate, tokens: Tokens): bigint {
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

/** The most that this much input can cost, in micro-rand: every token at the dearest of its three prices. */
export function maxInputCost(rate: Rate, tokens: number): number {
  const { input, cachedInput, cacheWrite } = rate.price;
  const dearest = Math.max(input, cachedInput, cacheWrite);
  const price = { input: dearest, cachedInput: 0, cacheWrite: 0, output: 0 };
  return calculateCost({ ...rate, price }, { input: tokens, cached: 0, cacheWrite: 0, output: 0 });
}

/** Returns the number of output tokens that an amount pays for. */
export function affordableTokens(rate: Rate, microRand: number): number {
  const each = scaled(rate.price.output, PRICE_SCALE) * scaled(rate.randPerDollar, RATE_SCALE);
  if (each === 0n) return Number.MAX_SAFE_INTEGER;
  return microRand <= 0 ? 0 : Number((BigInt(microRand) * SCALES) / each);
}

/** A price as callers are shown it: rand per million tokens with two decimals, rounded half up. */
export function randPerMillion(dollars: number, randPerDollar: number): string {
  const cents = (scaled(dollars, PRICE_SCALE) * scaled(randPerDollar, RATE_SCALE) * 100n * 2n + SCALES) / (SCALES * 2n);
  const text = String(cents).padStart(3, '0');
  return `${text.slice(0, -2)}.${text.slice(-2)}`;
}

/** Micro-rand as rand with two decimals, rounded down: what is shown is there. */
export function microRandToRand(microRand: number): string {
  const cents = Math.floor(microRand / 10_000);
  const text = String(Math.abs(cents)).padStart(3, '0');
  return `${cents < 0 ? '-' : ''}${text.slice(0, -2)}.${text.slice(-2)}`;
}
