/** Prices of a model on credits, in rand per million tokens. */
export interface ModelPrice {
  pricing_zar_per_million: { input: string; output: string };
  pricing_steps?: readonly { above_prompt_tokens: number; input: string; output: string }[] | undefined;
}

/** Returns the list price of a response on credits in micro-rand, which depends on the prompt's length; undefined if the model has no price. */
export function turnCost(
  { prompt_tokens: input, completion_tokens: output }: { prompt_tokens: number; completion_tokens: number },
  model: ModelPrice | undefined,
): number | undefined {
  if (!model) return undefined;
  const step = model.pricing_steps?.findLast(({ above_prompt_tokens }) => input > above_prompt_tokens);
  const price = step ?? model.pricing_zar_per_million;
  // Rand per million tokens equal micro-rand per token.
  return Math.ceil(input * Number(price.input) + output * Number(price.output));
}
